import type { Follower } from '#event-bus';
import {
  AppendError,
  appendFailure,
  Backoff,
  type Clock,
  EpochAhead,
  type Gap,
  GapDetector,
  type HandledAgain,
  ParkedKeys,
  parkingKey,
  positionOf,
  project,
  type SourcePosition,
  type SourceRecord,
  type Step,
} from '#event-sourcing';
import { type Entry, type Folded, foldRecords, type Page } from './fold-records.ts';
import { factOf } from './play-fact.ts';
import type { Move, PlayStore } from './play-store.ts';

/** Something that must not happen has happened, and somebody must look. */
export interface Incident {
  /** `bus-gap`, `epoch-ahead`, `record-parked`, or how two events of a play disagree. */
  readonly kind: string;
  readonly subject: string;
  readonly detail: string;
}

/** A write has moved a source by so many records. */
export interface Stored {
  readonly source: string;
  readonly position: number;
  readonly records: number;
}

export interface ProjectPlaysOptions {
  readonly clock: Clock;
  readonly onIncident: (incident: Incident) => void;
  /** Asks a source to publish again what comes after a position. */
  readonly publishAgain: (source: string, position: number) => Promise<void>;
  /** The database has refused for reasons of its own; it is tried again. */
  readonly onRetry: (error: Error) => void;
  /** Nothing is stored any more: a stored position went back, or the program is at fault. */
  readonly onBroken: (error: Error) => void;
  readonly onStored?: (stored: Stored) => void;
  /** Most records in one write. Default 2,000. */
  readonly largest?: number;
}

interface Queued extends Entry {
  /** Who waits until it is stored, at the last entry of what was brought together. */
  readonly waiter: PromiseWithResolvers<void> | null;
}

/** Parked records handled again in one batch. */
const AGAIN_AT_ONCE = 200;

/**
 * The one writer of the plays. The records of both sources stand in one queue, so that no two writes meet at a play; all
 * that wait are one read and one write. What the write moves together with the plays makes records that come twice, that
 * are missing, and a second writer harmless.
 */
export class ProjectPlays {
  readonly #options: ProjectPlaysOptions;
  readonly #largest: number;
  readonly #queue: Queued[] = [];
  #stored = new Map<string, SourcePosition>();
  #parkedKeys = new ParkedKeys();
  readonly #gaps: GapDetector[] = [];
  #running: Promise<void> | null = null;
  #lastAgain: Promise<unknown> = Promise.resolve();
  #stopping = false;
  #broken: Error | null = null;

  constructor(
    private readonly store: PlayStore,
    options: ProjectPlaysOptions,
  ) {
    this.#options = options;
    this.#largest = options.largest ?? 2_000;
  }

  /** Reads where every source stands and which keys are parked. Before anything else. */
  async open(): Promise<void> {
    this.#stored = await this.store.positions();
    this.#parkedKeys = new ParkedKeys(await this.store.parkedKeys());
  }

  /** Where a source has been applied and stored, null before its first record. */
  applied(source: string): SourcePosition | null {
    const at = this.#stored.get(source);
    return at === undefined || at.epoch === 0 ? null : at;
  }

  /** The consumer of one source's feed. What it was handed is stored when `handle` resolves. */
  follower(source: string): Follower {
    const gaps = new GapDetector(this.#options.clock, (gap) => this.#reportGap(source, gap));
    this.#gaps.push(gaps);
    let refused: EpochAhead | null = null;
    return {
      name: 'history',
      position: async () => this.applied(source),
      handle: async (records, end) => {
        if (refused !== null) throw refused;
        try {
          const steps = await this.#take(source, records);
          gaps.saw(steps, this.applied(source)?.position ?? 0, end);
        } catch (error) {
          if (error instanceof EpochAhead) refused = this.#refuse(source, error);
          throw error;
        }
      },
    };
  }

  /**
   * Handles the oldest parked records of one source and key again, in order, as one batch; stops at the first that fails.
   * Once none is left the key's later records are no longer parked. A second call waits for the first.
   */
  handleAgain(source: string, key: string): Promise<HandledAgain> {
    const handled = this.#lastAgain.then(() => this.#handleAgain(source, key));
    this.#lastAgain = handled.catch(() => {});
    return handled;
  }

  /** Takes no more records, stores what it has, then resolves. */
  async stop(): Promise<void> {
    this.#stopping = true;
    for (const gaps of this.#gaps) gaps.stop();
    await this.#running;
  }

  async #take(source: string, records: readonly SourceRecord[]): Promise<Step[]> {
    // Whether a key is parked is decided when the record's turn comes: what is before it in the queue may park it.
    const steps = project(this.applied(source), new ParkedKeys(), records);
    await this.#enqueue(
      steps.filter(({ kind }) => kind === 'apply').map(({ record }) => record),
      null,
    );
    return steps;
  }

  async #handleAgain(source: string, key: string): Promise<HandledAgain> {
    const page: Page = { handled: 0, error: null };
    await this.#enqueue(await this.store.parked(source, key, AGAIN_AT_ONCE), page);
    return { handled: page.handled, error: page.error?.message ?? null };
  }

  /** Resolves when all of these are stored. */
  async #enqueue(records: readonly SourceRecord[], page: Page | null): Promise<void> {
    if (this.#broken !== null) throw this.#broken;
    if (this.#stopping) throw new Error('the history is stopping');
    if (records.length === 0) return;
    const stored = Promise.withResolvers<void>();
    records.forEach((record, at) => {
      const waiter = at === records.length - 1 ? stored : null;
      this.#queue.push({ record, fact: readFact(record), page, refused: null, waiter });
    });
    this.#running ??= this.#run();
    await stored.promise;
  }

  async #run(): Promise<void> {
    while (this.#queue.length > 0) {
      const batch = this.#queue.splice(0, this.#largest);
      try {
        await this.#write(batch);
      } catch (error) {
        this.#break(error as Error, batch);
        break;
      }
      for (const { waiter } of batch) waiter?.resolve();
    }
    this.#running = null;
  }

  /** Stores a batch; one that the database refuses is halved until the record that it refuses stands alone. */
  async #write(batch: readonly Queued[]): Promise<void> {
    const backoff = new Backoff(this.#options.clock);
    let entries = batch;
    for (;;) {
      const failure = await this.#attempt(entries);
      if (failure === null) return;
      if (failure.failure === 'rejected') return this.#divide(entries, failure);
      if (failure.failure !== 'stale') this.#options.onRetry(failure);
      await backoff.wait();
      await this.#reload(backoff);
      entries = entries.filter((entry) => !this.#isStored(entry));
    }
  }

  async #divide(entries: readonly Queued[], failure: AppendError): Promise<void> {
    if (entries.length > 1) {
      const half = entries.length >> 1;
      await this.#write(entries.slice(0, half));
      return this.#write(entries.slice(half));
    }
    const [alone] = entries as readonly [Queued];
    if (alone.refused !== null) throw failure;
    alone.refused = failure;
    return this.#write(entries);
  }

  /** Null when the batch is stored, else what it failed with. */
  async #attempt(entries: readonly Queued[]): Promise<AppendError | null> {
    const moves = this.#moves(entries);
    try {
      const folded = foldRecords(entries, await this.store.plays(playIdsOf(entries)), this.#parkedKeys);
      await this.store.store(moves, folded);
      for (const move of moves) this.#moved(move);
      await this.#settle(folded);
      return null;
    } catch (error) {
      const failure = appendFailure(error);
      if (failure instanceof AppendError) return failure;
      throw failure;
    }
  }

  /** Where each source stands after these entries; one that they do not concern moves onto itself. */
  #moves(entries: readonly Queued[]): Move[] {
    const moves = new Map([...this.#stored].map(([source, at]) => [source, { ...at, from: at.position }]));
    for (const { record, page } of entries) {
      if (page !== null) continue;
      const move = moves.get(record.source);
      if (move?.position !== record.position - 1) throw new Error(`the stored position of ${record.source} went back`);
      moves.set(record.source, { ...positionOf(record), from: move.from });
    }
    return [...moves.values()];
  }

  #moved({ from, ...at }: Move): void {
    this.#stored.set(at.source, at);
    const records = at.position - from;
    if (records > 0) this.#options.onStored?.({ source: at.source, position: at.position, records });
  }

  async #settle({ parked, released, pages, contradictions }: Folded): Promise<void> {
    for (const row of parked) {
      if (this.#parkedKeys.has(row.source, row.key)) continue;
      this.#parkedKeys.add(row.source, row.key);
      const detail = `position ${row.position} of ${row.source}: ${row.error}`;
      this.#options.onIncident({ kind: 'record-parked', subject: row.key, detail });
    }
    for (const { record, kind } of contradictions) {
      const detail = `${record.type} at position ${record.position} of ${record.source} is not as known before`;
      this.#options.onIncident({ kind, subject: record.correlation ?? record.key, detail });
    }
    const freed = new Map(released.map((record) => [`${record.source} ${parkingKey(record)}`, record]));
    for (const record of freed.values()) {
      const key = parkingKey(record);
      if (!(await this.store.hasParked(record.source, key))) this.#parkedKeys.delete(record.source, key);
    }
    for (const [page, told] of pages) Object.assign(page, told);
  }

  #isStored({ page, record }: Queued): boolean {
    return page === null && record.position <= (this.#stored.get(record.source)?.position ?? 0);
  }

  async #reload(backoff: Backoff): Promise<void> {
    for (;;) {
      try {
        await this.open();
        return;
      } catch (error) {
        this.#options.onRetry(error as Error);
        await backoff.wait();
      }
    }
  }

  #break(error: Error, batch: readonly Queued[]): void {
    this.#broken = error;
    for (const { waiter } of [...batch, ...this.#queue.splice(0)]) waiter?.reject(error);
    this.#options.onBroken(error);
  }

  #refuse(source: string, error: EpochAhead): EpochAhead {
    this.#options.onIncident({ kind: error.word, subject: source, detail: error.message });
    return error;
  }

  async #reportGap(source: string, { position, first }: Gap): Promise<void> {
    const detail = `nothing fits after position ${position}`;
    if (first) this.#options.onIncident({ kind: 'bus-gap', subject: source, detail });
    await this.#options.publishAgain(source, position);
  }
}

function readFact(record: SourceRecord): Entry['fact'] {
  try {
    return factOf(record);
  } catch (error) {
    return error as Error;
  }
}

function playIdsOf(entries: readonly Entry[]): string[] {
  return [...new Set(entries.flatMap(({ fact }) => (fact === null || fact instanceof Error ? [] : [fact.playId])))];
}
