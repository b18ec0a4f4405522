import { randomUUID } from 'node:crypto';
import type { Clock } from './clock.ts';
import type { DomainEvent, Subject } from './decider.ts';
import { type Append, AppendError, type AppendFailure, type EventLog, type SourceRecord } from './event-log.ts';
import { type LaneOptions, openLane, type RecordLane } from './group-commit.ts';
import type { LaneAnswer, RecordHandler, Work } from './lane.ts';
import { isOutcome } from './log-contract.ts';
import { MemoryLog } from './memory-log.ts';

export interface Added extends DomainEvent {
  readonly type: 'Added';
  readonly amount: number;
}

/** A subject that counts: small enough to see what a lane did with it. */
export const counters: Subject<{ readonly total: number; readonly count: number }, Added> = {
  name: 'counter',
  initial: { total: 0, count: 0 },
  evolve: ({ total, count }, { amount }) => ({ total: total + amount, count: count + 1 }),
};

export interface AddOptions {
  readonly key?: string;
  readonly owner?: string;
  readonly hash?: string;
  /** Refused, as a decision, when the total would pass it. */
  readonly most?: number;
  readonly spendsKey?: boolean;
  readonly before?: () => void;
}

/** Adds to a counter and answers its new total, or `too-much`. */
export function add(id: string, amount: number, options: AddOptions = {}): Work<number | 'too-much'> {
  const { key, owner = 'player', hash = 'ab'.repeat(32), most = Number.MAX_SAFE_INTEGER, spendsKey, before } = options;
  return {
    states: [{ subject: counters, id }],
    ...(key !== undefined && { key: { owner, key, requestHash: hash } }),
    decide(draft) {
      before?.();
      const total = draft.state(counters, id).total + amount;
      if (total > most) return { answer: 'too-much', ...(spendsKey !== undefined && { spendsKey }) };
      draft.emit(counters, id, { type: 'Added', amount });
      return { answer: total };
    },
  };
}

/** Settles a play, once; a second time meets the second wall. */
export function settle(playId: string, type: 'PrizeCredited' | 'StakeRefunded' = 'PrizeCredited'): Work<null> {
  return {
    states: [],
    decide(draft) {
      draft.emitOnce(`settled-${randomUUID()}`, { type }, playId);
      return { answer: null };
    },
  };
}

export function fail(message: string): Work<never> {
  return {
    states: [],
    decide() {
      throw new Error(message);
    },
  };
}

export function memoryLog(clock?: Clock): MemoryLog {
  return new MemoryLog({
    logId: randomUUID(),
    ...(clock && { clock }),
    outcomeOf: ({ type, correlation }) => (isOutcome(type) ? correlation : null),
  });
}

export function lane(log: EventLog, options: Partial<LaneOptions> = {}): Promise<RecordLane> {
  return openLane(log, { newId: randomUUID, ...options });
}

export async function runOne<Answer>(on: RecordLane, work: Work<Answer>): Promise<LaneAnswer<Answer>> {
  const [answer] = await on.run([work]);
  return answer!;
}

/** What a counter stands at, in the log and not in anyone's memory. */
export async function totalOf(log: EventLog, id: string): Promise<number> {
  const { states } = await log.load([`counter-${id}`], []);
  return (states[0]?.state as { total: number } | null)?.total ?? 0;
}

/** A log whose appends and loads can be made to fail, before or after they are done, and that tells what was appended. */
export class FaultyLog implements EventLog {
  readonly appends: Append[] = [];
  /** Asked before each append: a failure to answer with, and whether the append is done all the same. */
  onAppend: (append: Append, attempt: number) => { failure: AppendFailure; done?: boolean } | null = () => null;
  onLoad: () => AppendFailure | null = () => null;
  #attempts = 0;

  constructor(private readonly log: EventLog) {}

  get attempts(): number {
    return this.#attempts;
  }

  async append(append: Append): ReturnType<EventLog['append']> {
    this.#attempts++;
    const fault = this.onAppend(append, this.#attempts);
    if (fault && !fault.done) throw new AppendError(fault.failure, 'planned');
    const appended = await this.log.append(append);
    this.appends.push(append);
    if (fault) throw new AppendError(fault.failure, 'planned, after it was done');
    return appended;
  }

  async load(...args: Parameters<EventLog['load']>): ReturnType<EventLog['load']> {
    const failure = this.onLoad();
    if (failure) throw new AppendError(failure, 'planned');
    return this.log.load(...args);
  }

  head: EventLog['head'] = () => this.log.head();
  read: EventLog['read'] = (after, limit) => this.log.read(after, limit);
  positions: EventLog['positions'] = () => this.log.positions();
  parked: EventLog['parked'] = (filter) => this.log.parked(filter);
  parkedKeys: EventLog['parkedKeys'] = () => this.log.parkedKeys();
}

/** Time that moves only when it is told to. */
export class VirtualClock implements Clock {
  #now: number;
  #timers: { at: number; action: () => void }[] = [];

  constructor(start = Date.parse('2009-02-05T12:00:00.000Z')) {
    this.#now = start;
  }

  now(): number {
    return this.#now;
  }

  after(ms: number, action: () => void): () => void {
    const timer = { at: this.#now + ms, action };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((other) => other !== timer);
    };
  }

  set(ms: number): void {
    this.#now = ms;
  }

  /** Runs what is due on the way, and lets what that starts come to rest. */
  async pass(ms: number): Promise<void> {
    const end = this.#now + ms;
    for (;;) {
      await settled();
      const next = this.#timers.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
      if (!next) break;
      this.#timers = this.#timers.filter((timer) => timer !== next);
      this.#now = Math.max(this.#now, next.at);
      next.action();
    }
    this.#now = Math.max(this.#now, end);
    await settled();
  }
}

/** Lets promises that wait for nothing outside come to rest. */
export async function settled(): Promise<void> {
  for (let i = 0; i < 3; i++) await new Promise((resolve) => setImmediate(resolve));
}

/** A record of a source whose body says what to do. */
export function record(
  position: number,
  body: Record<string, unknown>,
  change: Partial<SourceRecord> = {},
): SourceRecord {
  return {
    source: 'issuance',
    epoch: 1,
    position,
    batch: position,
    stream: `play-${position}`,
    version: 1,
    type: 'Order',
    schemaVersion: 1,
    occurredAt: '2009-02-05T12:00:00.000Z',
    correlation: null,
    key: String(body['key'] ?? `stream-${position}`),
    body,
    offset: null,
    ...change,
  };
}

/**
 * Handles the records of `record`: `{add, to}` adds to a counter, `{settle}` settles a play, `{nothing}` means nothing here,
 * `{undecodable}` and `{undecidable}` fail unless `mended.now`.
 */
export function handler(mended = { now: false }, source = 'issuance'): RecordHandler {
  return {
    source,
    work({ body }) {
      const order = body as {
        add?: number;
        to?: string;
        settle?: string;
        undecodable?: boolean;
        undecidable?: boolean;
      };
      if (order.undecodable && !mended.now) throw new Error('cannot be decoded');
      if (order.undecidable && !mended.now) return fail('cannot be decided');
      if (order.settle) return settle(order.settle, 'StakeRefunded');
      return order.to === undefined ? null : add(order.to, order.add ?? 1);
    },
  };
}
