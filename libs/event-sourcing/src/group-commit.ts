import { BatchQueue } from './batch-queue.ts';
import { Backoff, type Clock, pause, systemClock, timeText } from './clock.ts';
import { type SchemaVersionOf, stateIds } from './draft.ts';
import type { ParkedRecord, SourcePosition, SourceRecord } from './event-log.ts';
import { AppendError, type EventLog, type KeyRef, type LogHead, type RecordedEvent } from './event-log.ts';
import { type Lane, type LaneAnswer, LaneUnavailable, type RecordHandler, type Work } from './lane.ts';
import { type HandledAgain, ParkedKeys, type ParkedSink } from './parking.ts';
import {
  type AgainEntry,
  type CommandEntry,
  type Entry,
  makePlan,
  type Page,
  type Plan,
  type RecordEntry,
} from './plan.ts';
import { asError, workOf } from './projector.ts';

/** Where a test may let the process die: each is called when the step that it names is done. */
export type LaneFault = 'loaded' | 'decided' | 'appended' | 'answered';

export interface LaneOptions {
  /** UUIDs for the incidents that the lane raises. */
  readonly newId: () => string;
  /** Most works in an append. Default 500. */
  readonly maxBatch?: number;
  /** Most commands, and most records, that wait. Default 10,000 of each. */
  readonly maxQueue?: number;
  /** Latest moment at which positions without effects are stored. Default 250 ms. */
  readonly flushAfterMs?: number;
  /** The schema version under which a type of event is written. Default 1 for all. */
  readonly schemaVersionOf?: SchemaVersionOf;
  /** What has been appended, before anybody is answered: feeds the relay. Must not throw. */
  readonly onAppended?: (events: readonly RecordedEvent[], head: LogHead) => void;
  readonly onIncident?: (incident: Plan['incidents'][number]) => void;
  readonly onParked?: (row: ParkedRecord) => void;
  /** The database could not be reached or has refused for reasons of its own: it is tried again, without end. */
  readonly onRetry?: (error: Error) => void;
  /** A fault of the program itself: the lane has stopped and rejects everything. The service must end its process. */
  readonly onBroken?: (error: Error) => void;
  readonly clock?: Clock;
  readonly fault?: (point: LaneFault) => void;
}

/** What projectors ask of a lane beside its public port. */
export interface RecordLane extends Lane, ParkedSink {
  /**
   * Takes records in the order of their feed, each with its work; resolves when it holds them, after waiting while too many
   * wait. From then on they are stored in this order, or the process ends.
   */
  take(records: readonly { readonly record: SourceRecord; readonly work: RecordEntry['work'] }[]): Promise<void>;
  /** The newest record of a source that the lane holds or has stored. */
  position(source: string): SourcePosition | null;
  readonly stopped: boolean;
}

/** Positions without effects are stored at the latest when they have moved this far. */
const MOST_AHEAD = 5_000;

/** How often the same decision on the same states may be stale before the work itself counts as the cause. */
const STALE_LIMIT = 3;

const RETRY_STALE_MS = 10;

/** Opens the lane of a log: reads where every source stands, which keys are parked and how late it was. */
export async function openLane(log: EventLog, options: LaneOptions): Promise<RecordLane> {
  const { position } = await log.head();
  const [newest] = position > 0 ? await log.read(position - 1, 1) : [];
  const lane = new GroupCommitLane(log, options, newest ? Date.parse(newest.occurredAt) : 0);
  await lane.reload();
  return lane;
}

class GroupCommitLane implements RecordLane {
  readonly #clock: Clock;
  readonly #queue: BatchQueue;
  readonly #maxBatch: number;
  #stored = new Map<string, SourcePosition>();
  #ahead = new Map<string, SourcePosition>();
  readonly #taken = new Map<string, SourcePosition>();
  #parked = new ParkedKeys();
  #outdated = false;
  #stopping = false;
  #broken: Error | null = null;
  #running = false;
  #whenIdle: (() => void)[] = [];
  #inFlight: readonly Entry[] = [];
  #sending: Promise<unknown> = Promise.resolve();
  #cancelFlush: (() => void) | null = null;
  #flushDue = false;

  constructor(
    private readonly log: EventLog,
    private readonly options: LaneOptions,
    private lastMs: number,
  ) {
    this.#clock = options.clock ?? systemClock;
    this.#queue = new BatchQueue(options.maxQueue ?? 10_000);
    this.#maxBatch = options.maxBatch ?? 500;
  }

  get stopped(): boolean {
    return this.#stopping || this.#broken !== null;
  }

  run<Answer>(works: readonly Work<Answer>[]): Promise<LaneAnswer<Answer>[]> {
    if (this.stopped) return Promise.reject(new LaneUnavailable('stopped'));
    if (!this.#queue.hasRoomForCommands(works.length)) return Promise.reject(new LaneUnavailable('full'));
    if (works.length === 0) return Promise.resolve([]);
    return new Promise((resolve, reject) => {
      const answers: LaneAnswer<Answer>[] = new Array(works.length);
      let open = works.length;
      const entries = works.map((work, i): CommandEntry => {
        const answer = (given: LaneAnswer<unknown>) => {
          answers[i] = given as LaneAnswer<Answer>;
          open--;
          if (open === 0) resolve(answers);
        };
        return { kind: 'command', work, ids: stateIds(work.states), verdict: null, answer, reject };
      });
      this.#push(entries);
    });
  }

  async take(records: Parameters<RecordLane['take']>[0]): Promise<void> {
    await this.#queue.roomForRecords();
    if (this.stopped) throw new LaneUnavailable('stopped');
    this.#push(
      records.map(
        ({ record, work }): RecordEntry => ({ kind: 'record', record, work, ids: idsOf(work), verdict: null }),
      ),
    );
    for (const { record } of records) {
      const { source, epoch, position, offset } = record;
      this.#taken.set(source, { source, epoch, position, offset });
    }
  }

  position(source: string): SourcePosition | null {
    return this.#taken.get(source) ?? this.#stored.get(source) ?? null;
  }

  handleAgain(handler: RecordHandler, key: string): Promise<HandledAgain> {
    const page = this.#sending.then(() => this.#sendPage(handler, key));
    this.#sending = page.catch(() => undefined);
    return page;
  }

  async #sendPage(handler: RecordHandler, key: string): Promise<HandledAgain> {
    const rows = await this.log.parked({ key, source: handler.source, limit: this.#maxBatch });
    if (rows.length === 0) return { handled: 0, error: null };
    await handler.prepare?.(rows.map(({ record }) => record));
    await this.#queue.roomForRecords();
    if (this.stopped) throw new LaneUnavailable('stopped');
    return new Promise((resolve, reject) => {
      const page: Page = { handled: 0, error: null };
      const settle = (): void => resolve({ handled: page.handled, error: page.error?.message ?? null });
      this.#push(
        rows.map((row, i): AgainEntry => {
          const work = workOf(handler, row.record);
          const last = i === rows.length - 1;
          return { kind: 'again', row, work, ids: idsOf(work), verdict: null, page, ...(last && { settle }), reject };
        }),
      );
    });
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    this.#queue.wake();
    this.#flushDue = true;
    this.#wake();
    if (this.#running) await new Promise<void>((resolve) => this.#whenIdle.push(resolve));
    if (this.#broken) throw this.#broken;
  }

  /** Reads again what the lane keeps in memory of the database. */
  async reload(): Promise<void> {
    const [positions, parked] = [await this.log.positions(), await this.log.parkedKeys()];
    this.#stored = new Map(positions.map((position) => [position.source, position]));
    this.#parked = new ParkedKeys(parked);
    for (const [source, { position }] of this.#ahead) {
      if (position <= (this.#stored.get(source)?.position ?? 0)) this.#ahead.delete(source);
    }
    this.#outdated = false;
  }

  #push(entries: readonly Entry[]): void {
    this.#queue.push(entries);
    this.#wake();
  }

  /** Starts the loop unless it runs; what comes in the same turn of the event loop goes into the first batch. */
  #wake(): void {
    if (this.#running || this.#broken) return;
    this.#running = true;
    void Promise.resolve().then(() => this.#loop());
  }

  async #loop(): Promise<void> {
    try {
      while (this.#queue.length > 0 || (this.#flushDue && this.#ahead.size > 0)) {
        this.#inFlight = this.#queue.take(this.#maxBatch);
        await this.#store(this.#inFlight);
      }
      this.#flushDue = false;
    } catch (error) {
      this.#break(asError(error));
    } finally {
      this.#inFlight = [];
      this.#running = false;
      for (const resolve of this.#whenIdle.splice(0)) resolve();
    }
  }

  /** Stores a batch, whatever it takes: repeated when stale or unavailable, halved until a culprit stands alone. */
  async #store(entries: readonly Entry[]): Promise<void> {
    const backoff = new Backoff(this.#clock);
    let unchanged = 0;
    let before = '';
    for (;;) {
      const attempt = await this.#attempt(entries);
      if (attempt.stored) return;
      const { error, basis } = attempt;
      this.#outdated = true;
      if (error.failure === 'unavailable') {
        this.options.onRetry?.(error);
        await backoff.wait();
        continue;
      }
      if (error.failure === 'stale') {
        unchanged = basis === before ? unchanged + 1 : 1;
        before = basis;
        if (unchanged < STALE_LIMIT) {
          if (unchanged > 1) await pause(this.#clock, RETRY_STALE_MS);
          continue;
        }
      }
      if (entries.length > 1) return this.#halve(entries);
      if (!condemn(entries[0], attempt)) {
        this.options.onRetry?.(error);
        await backoff.wait();
      }
      unchanged = 0;
    }
  }

  async #halve(entries: readonly Entry[]): Promise<void> {
    const half = Math.ceil(entries.length / 2);
    await this.#store(entries.slice(0, half));
    await this.#store(entries.slice(half));
  }

  async #attempt(entries: readonly Entry[]): Promise<Attempt> {
    let loaded: Awaited<ReturnType<EventLog['load']>> = { states: [], keys: [] };
    let emittedOnce = false;
    try {
      if (this.#outdated) await this.reload();
      loaded = await this.#load(entries);
      this.options.fault?.('loaded');
      const plan = this.#plan(entries, loaded);
      emittedOnce = plan.emittedOnce;
      this.options.fault?.('decided');
      await this.#commit(plan, entries);
      return { stored: true };
    } catch (error) {
      if (!(error instanceof AppendError)) throw error;
      const versions = loaded.states.map((state) => state.version);
      const basis = JSON.stringify([versions, loaded.keys, [...this.#stored.values()]]);
      return { stored: false, error, basis, emittedOnce };
    }
  }

  async #load(entries: readonly Entry[]): ReturnType<EventLog['load']> {
    const states = new Set<string>();
    const keys = new Map<string, KeyRef>();
    for (const entry of entries) {
      if (entry.verdict) continue;
      for (const id of entry.ids) states.add(id);
      const key = entry.kind === 'command' ? entry.work.key : undefined;
      if (key) keys.set(`${key.owner}\n${key.key}`, key);
    }
    if (states.size + keys.size === 0) return { states: [], keys: [] };
    return this.log.load([...states], [...keys.values()]);
  }

  #plan(entries: readonly Entry[], loaded: Awaited<ReturnType<EventLog['load']>>): Plan {
    this.lastMs = Math.max(this.lastMs, this.#clock.now());
    return makePlan(entries, {
      at: timeText(this.lastMs),
      loaded,
      stored: this.#stored,
      ahead: this.#ahead,
      parked: this.#parked,
      schemaVersionOf: this.options.schemaVersionOf ?? (() => 1),
      newId: this.options.newId,
    });
  }

  async #commit(plan: Plan, entries: readonly Entry[]): Promise<void> {
    const { append } = plan;
    if (plan.hasEffects || this.#mustFlush(append.positions)) {
      const { first, head } = await this.log.append(append);
      this.options.fault?.('appended');
      for (const { from: _, ...position } of append.positions) this.#stored.set(position.source, position);
      this.#ahead.clear();
      this.#cancelFlush?.();
      this.#cancelFlush = null;
      if (append.events.length > 0) this.#announce(append.events, first, head);
    } else if (append.positions.length > 0) {
      this.#ahead = new Map(append.positions.map(({ from: _, ...position }) => [position.source, position]));
      this.#cancelFlush ??= this.#clock.after(this.options.flushAfterMs ?? 250, () => this.#flush());
    }
    for (const settle of plan.settlements) settle();
    for (const incident of plan.incidents) this.options.onIncident?.(incident);
    for (const row of append.parked) this.options.onParked?.(row);
    await this.#settleAgain(entries);
    this.options.fault?.('answered');
  }

  #announce(events: Plan['append']['events'], first: number, head: LogHead): void {
    this.options.onAppended?.(
      events.map((event, i) => ({ ...event, position: first + i, batch: first })),
      head,
    );
  }

  #mustFlush(moves: Plan['append']['positions']): boolean {
    if (moves.length === 0) return false;
    return this.#flushDue || moves.some(({ position, from }) => position - from >= MOST_AHEAD);
  }

  #flush(): void {
    this.#cancelFlush = null;
    this.#flushDue = true;
    this.#wake();
  }

  /** Frees the keys whose last parked record has gone, before any later record of theirs is decided. */
  async #settleAgain(entries: readonly Entry[]): Promise<void> {
    const again = entries.filter((entry) => entry.kind === 'again');
    const rows = new Map(again.map(({ row }) => [`${row.source}\n${row.key}`, row]));
    for (const { source, key } of rows.values()) {
      if (await this.#hasNoParked(source, key)) this.#parked.delete(source, key);
    }
    for (const entry of again) entry.settle?.();
  }

  async #hasNoParked(source: string, key: string): Promise<boolean> {
    const backoff = new Backoff(this.#clock);
    for (;;) {
      try {
        return (await this.log.parked({ source, key, limit: 1 })).length === 0;
      } catch (error) {
        if (!(error instanceof AppendError)) throw error;
        this.options.onRetry?.(error);
        await backoff.wait();
      }
    }
  }

  #break(error: Error): void {
    this.#broken = error;
    this.#cancelFlush?.();
    for (const entry of [...this.#inFlight, ...this.#queue.take(this.#queue.length)]) {
      if (entry.kind !== 'record') entry.reject(new LaneUnavailable('stopped'));
    }
    if (!this.options.onBroken) throw error;
    this.options.onBroken(error);
  }
}

type Attempt =
  | { readonly stored: true }
  | {
      readonly stored: false;
      readonly error: AppendError;
      /** What the batch was decided on: the same again means that a reload changes nothing. */
      readonly basis: string;
      readonly emittedOnce: boolean;
    };

/**
 * Marks the entry that stands alone as the cause, so that the next attempt answers, drops or parks it. False when even
 * that was refused, and nothing is left but to try again.
 */
function condemn(entry: Entry | undefined, attempt: Extract<Attempt, { stored: false }>): boolean {
  if (!entry || entry.verdict?.failure === 'rejected') return false;
  const { error, emittedOnce } = attempt;
  const taken = error.failure === 'outcome-taken' || (error.failure === 'stale' && emittedOnce);
  entry.verdict = { failure: taken && !entry.verdict ? 'outcome-taken' : 'rejected', error };
  return true;
}

function idsOf(work: RecordEntry['work']): string[] {
  return work === null || work instanceof Error ? [] : stateIds(work.states);
}
