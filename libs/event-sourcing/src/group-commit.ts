import { BatchQueue } from './batch-queue.ts';
import { BatchStore } from './batch-store.ts';
import { type Clock, systemClock } from './clock.ts';
import { type SchemaVersionOf, stateIds } from './draft.ts';
import type { EventLog, LogHead, ParkedRecord, RecordedEvent, SourcePosition, SourceRecord } from './event-log.ts';
import { type Lane, type LaneAnswer, LaneUnavailable, type RecordHandler, type Work } from './lane.ts';
import type { HandledAgain, ParkedSink } from './parking.ts';
import { type AgainEntry, type CommandEntry, type Entry, type Page, type Plan, type RecordEntry } from './plan.ts';
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

/** Opens the lane of a log: reads where every source stands, which keys are parked and how late it was. */
export async function openLane(log: EventLog, options: LaneOptions): Promise<RecordLane> {
  const { position } = await log.head();
  const [newest] = position > 0 ? await log.read(position - 1, 1) : [];
  const store = new BatchStore(log, options, newest ? Date.parse(newest.occurredAt) : 0);
  await store.reload();
  return new GroupCommitLane(log, store, options);
}

class GroupCommitLane implements RecordLane {
  readonly #clock: Clock;
  readonly #queue: BatchQueue;
  readonly #maxBatch: number;
  readonly #taken = new Map<string, SourcePosition>();
  #stopping = false;
  #broken: Error | null = null;
  #running = false;
  #whenIdle: (() => void)[] = [];
  #inFlight: readonly Entry[] = [];
  #sending: Promise<unknown> = Promise.resolve();
  #cancelFlush: (() => void) | null = null;

  constructor(
    private readonly log: EventLog,
    private readonly store: BatchStore,
    private readonly options: LaneOptions,
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
    return this.#taken.get(source) ?? this.store.position(source);
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
    this.store.flushDue = true;
    this.#wake();
    if (this.#running) await new Promise<void>((resolve) => this.#whenIdle.push(resolve));
    if (this.#broken) throw this.#broken;
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
      while (this.#queue.length > 0 || (this.store.flushDue && this.store.isAhead)) {
        this.#inFlight = this.#queue.take(this.#maxBatch);
        await this.store.store(this.#inFlight);
        this.#scheduleFlush();
      }
      this.store.flushDue = false;
    } catch (error) {
      this.#break(asError(error));
    } finally {
      this.#inFlight = [];
      this.#running = false;
      for (const resolve of this.#whenIdle.splice(0)) resolve();
    }
  }

  #scheduleFlush(): void {
    if (this.store.isAhead) {
      this.#cancelFlush ??= this.#clock.after(this.options.flushAfterMs ?? 250, () => this.#flush());
    } else {
      this.#cancelFlush?.();
      this.#cancelFlush = null;
    }
  }

  #flush(): void {
    this.#cancelFlush = null;
    this.store.flushDue = true;
    this.#wake();
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

function idsOf(work: RecordEntry['work']): string[] {
  return work === null || work instanceof Error ? [] : stateIds(work.states);
}
