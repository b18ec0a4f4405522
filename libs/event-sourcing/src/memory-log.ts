import { batchDigest, canonicalLines, firstChain, nextChain } from './chain.ts';
import { checkAppend, MAX_NAME_LENGTH } from './check-append.ts';
import { type Clock, systemClock, timeText } from './clock.ts';
import {
  type Append,
  AppendError,
  type Appended,
  type EventLog,
  type KeyRef,
  type LogHead,
  type NewEvent,
  type ParkedRecord,
  type RecordedEvent,
  type SourcePosition,
  type StoredKey,
  type StoredState,
} from './event-log.ts';
import type { Batch, LogReader } from './verify-log.ts';

export interface MemoryLogOptions {
  readonly logId: string;
  readonly clock?: Clock;
  /** The second wall: what an event settles once and for all (a play id), or null. */
  readonly outcomeOf?: (event: NewEvent) => string | null;
}

/** The event log without a database, for simulation and tests: same port, same guarantees, gone with the process. */
export class MemoryLog implements EventLog, LogReader {
  readonly #clock: Clock;
  readonly #events: RecordedEvent[] = [];
  readonly #batches: Batch[] = [];
  readonly #streams = new Map<string, Set<number>>();
  readonly #outcomes = new Set<string>();
  readonly #states = new Map<string, { version: number; state: string }>();
  readonly #keys = new Map<string, StoredKey & { decision: string }>();
  readonly #positions = new Map<string, SourcePosition>();
  readonly #parked = new Map<string, ParkedRecord & { parkedAt: string }>();
  #head: LogHead;

  constructor(private readonly options: MemoryLogOptions) {
    this.#clock = options.clock ?? systemClock;
    this.#head = { logId: options.logId, epoch: 1, position: 0, chain: firstChain(options.logId) };
  }

  async append(append: Append): Promise<Appended> {
    checkAppend(append);
    this.#check(append);
    const first = this.#head.position + 1;
    if (append.events.length > 0) this.#record(append.events, first);
    for (const { id, to, state } of append.states) this.#states.set(id, { version: to, state: JSON.stringify(state) });
    for (const key of append.keys) {
      this.#keys.set(pair(key.owner, key.key), { ...key, decision: JSON.stringify(key.decision) });
    }
    for (const { from: _, ...position } of append.positions) this.#positions.set(position.source, position);
    const parkedAt = timeText(this.#clock.now());
    for (const { source, position } of append.unparked) this.#parked.delete(place(source, position));
    for (const row of append.parked) this.#parked.set(place(row.source, row.position), { ...copy(row), parkedAt });
    return { first, last: this.#head.position, head: this.#head };
  }

  async load(states: readonly string[], keys: readonly KeyRef[]): ReturnType<EventLog['load']> {
    for (const text of [...states, ...keys.flatMap(({ owner, key }) => [owner, key])]) checkText(text);
    return {
      states: [...new Set(states)].map((id) => this.#state(id)),
      keys: keys.flatMap(({ owner, key }) => {
        const stored = this.#keys.get(pair(owner, key));
        return stored ? [{ ...stored, decision: JSON.parse(stored.decision) }] : [];
      }),
    };
  }

  async head(): Promise<LogHead> {
    return this.#head;
  }

  async read(after: number, limit: number): Promise<RecordedEvent[]> {
    const start = Math.max(0, after);
    return this.#events.slice(start, start + limit);
  }

  async batches(after: number, limit: number): Promise<Batch[]> {
    const start = this.#batches.findIndex(({ last }) => last > after);
    return start < 0 ? [] : this.#batches.slice(start, start + limit);
  }

  async bounds(): ReturnType<LogReader['bounds']> {
    return { lowest: 1, highest: this.#events.length };
  }

  async positions(): Promise<SourcePosition[]> {
    return [...this.#positions.values()].sort((a, b) => (a.source < b.source ? -1 : 1));
  }

  async parked(filter: Parameters<EventLog['parked']>[0]): ReturnType<EventLog['parked']> {
    return [...this.#parked.values()]
      .filter((row) => filter.key === undefined || row.key === filter.key)
      .filter((row) => filter.source === undefined || row.source === filter.source)
      .sort((a, b) => (a.source === b.source ? a.position - b.position : a.source < b.source ? -1 : 1))
      .slice(0, filter.limit);
  }

  async parkedKeys(): ReturnType<EventLog['parkedKeys']> {
    const keys = [...this.#parked.values()].map(({ source, key }) => ({ source, key }));
    return [...new Map(keys.map((row) => [pair(row.source, row.key), row])).values()];
  }

  #state(id: string): StoredState {
    const held = this.#states.get(id);
    return held ? { id, version: held.version, state: JSON.parse(held.state) } : { id, version: 0, state: null };
  }

  /** Everything that the statement of the PostgreSQL log checks, before anything is changed. */
  #check(append: Append): void {
    const streams = new Set<string>();
    const outcomes = new Set<string>();
    for (const event of append.events) {
      if (this.#streams.get(event.stream)?.has(event.version)) stale(`${event.stream} has version ${event.version}`);
      isNew(streams, place(event.stream, event.version));
      const outcome = this.options.outcomeOf?.(event) ?? null;
      if (outcome === null) continue;
      if (this.#outcomes.has(outcome) || outcomes.has(outcome)) {
        throw new AppendError('outcome-taken', `${outcome} has its outcome`);
      }
      outcomes.add(outcome);
    }
    for (const { id, from } of append.states) {
      if ((this.#states.get(id)?.version ?? 0) !== from) stale(`${id} is not at version ${from}`);
    }
    const keys = new Set<string>();
    for (const { owner, key } of append.keys) {
      if (this.#keys.has(pair(owner, key))) stale(`the key ${key} is spent`);
      isNew(keys, pair(owner, key));
    }
    this.#checkPositions(append);
  }

  #checkPositions(append: Append): void {
    for (const { source, epoch, from } of append.positions) {
      const stored = this.#positions.get(source);
      const fits = from === 0 ? !stored : stored?.position === from && stored.epoch === epoch;
      if (!fits) stale(`${source} is not at position ${from}`);
    }
    for (const { source, position } of append.parked) {
      if (this.#parked.has(place(source, position))) stale(`position ${position} of ${source} is parked`);
    }
    for (const { source, position } of append.unparked) {
      if (!this.#parked.has(place(source, position))) stale(`position ${position} of ${source} is not parked`);
    }
  }

  #record(events: readonly NewEvent[], first: number): void {
    for (const [i, event] of events.entries()) {
      this.#events.push({ ...event, position: first + i, batch: first });
      const versions = this.#streams.get(event.stream) ?? new Set();
      this.#streams.set(event.stream, versions.add(event.version));
      const outcome = this.options.outcomeOf?.(event) ?? null;
      if (outcome !== null) this.#outcomes.add(outcome);
    }
    const digest = batchDigest(canonicalLines(events));
    const last = first + events.length - 1;
    const chain = nextChain(this.#head.chain, digest);
    this.#batches.push({ first, last, digest: digest.toString('hex'), chain });
    this.#head = { ...this.#head, position: last, chain };
  }
}

function isNew(seen: Set<string>, name: string): void {
  if (seen.has(name)) stale(`${name} stands twice in one append`);
  seen.add(name);
}

function stale(why: string): never {
  throw new AppendError('stale', why);
}

function checkText(text: string): void {
  if (text.includes('\u0000'))
    throw new AppendError('rejected', `${JSON.stringify(text.slice(0, MAX_NAME_LENGTH))} cannot be stored`);
}

/** What a database gives back is never the object that was put in. */
function copy<Value>(value: Value): Value {
  return JSON.parse(JSON.stringify(value));
}

function pair(a: string, b: string): string {
  return JSON.stringify([a, b]);
}

function place(name: string, number: number): string {
  return `${number} ${name}`;
}
