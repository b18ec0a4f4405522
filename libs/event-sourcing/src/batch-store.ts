import { Backoff, type Clock, pause, systemClock, timeText } from './clock.ts';
import { AppendError, type EventLog, type KeyRef, type LogHead, type SourcePosition } from './event-log.ts';
import type { LaneOptions } from './group-commit.ts';
import { ParkedKeys } from './parking.ts';
import { type Entry, makePlan, type Plan } from './plan.ts';

/** Positions without effects are stored at the latest when they have moved this far. */
const MOST_AHEAD = 5_000;

/** How often the same decision on the same states may be stale before the work itself counts as the cause. */
const STALE_LIMIT = 3;

const RETRY_STALE_MS = 10;

/** Stores a lane's batches one after the other, and keeps in memory what that needs of the database. */
export class BatchStore {
  readonly #clock: Clock;
  #stored = new Map<string, SourcePosition>();
  #ahead = new Map<string, SourcePosition>();
  #parked = new ParkedKeys();
  #outdated = false;
  /** Whether positions without effects must not wait any longer. */
  flushDue = false;

  /** @param lastMs the time of the newest event: no batch is earlier */
  constructor(
    private readonly log: EventLog,
    private readonly options: LaneOptions,
    private lastMs: number,
  ) {
    this.#clock = options.clock ?? systemClock;
  }

  position(source: string): SourcePosition | null {
    return this.#stored.get(source) ?? null;
  }

  /** Whether there are positions without effects that no append has carried yet. */
  get isAhead(): boolean {
    return this.#ahead.size > 0;
  }

  /** Reads again what is kept in memory of the database. */
  async reload(): Promise<void> {
    const [positions, parked] = [await this.log.positions(), await this.log.parkedKeys()];
    this.#stored = new Map(positions.map((position) => [position.source, position]));
    this.#parked = new ParkedKeys(parked);
    for (const [source, { position }] of this.#ahead) {
      if (position <= (this.#stored.get(source)?.position ?? 0)) this.#ahead.delete(source);
    }
    this.#outdated = false;
  }

  /** Stores a batch, whatever it takes: repeated when stale or unavailable, halved until a culprit stands alone. */
  async store(entries: readonly Entry[]): Promise<void> {
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
    await this.store(entries.slice(0, half));
    await this.store(entries.slice(half));
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
      if (append.events.length > 0) this.#announce(append.events, first, head);
    } else if (append.positions.length > 0) {
      this.#ahead = new Map(append.positions.map(({ from: _, ...position }) => [position.source, position]));
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
    return this.flushDue || moves.some(({ position, from }) => position - from >= MOST_AHEAD);
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
