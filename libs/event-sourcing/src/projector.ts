import type { Clock } from './clock.ts';
import { Backoff, systemClock } from './clock.ts';
import type { SourcePosition, SourceRecord } from './event-log.ts';
import { type Gap, GapDetector } from './gap-detector.ts';
import type { RecordLane } from './group-commit.ts';
import { raiseIncident } from './incident.ts';
import type { RecordHandler } from './lane.ts';
import { ParkedKeys, parkingKey } from './parking.ts';

export type StepKind = 'apply' | 'park' | 'drop' | 'skip';

export interface Step {
  readonly kind: StepKind;
  readonly record: SourceRecord;
}

/** The source was restored to an earlier moment and counts anew: nothing may be applied until somebody has looked. */
export class EpochAhead extends Error {
  readonly word = 'epoch-ahead';

  constructor(record: SourceRecord, stored: SourcePosition) {
    super(`epoch-ahead: ${record.source} is at epoch ${record.epoch}, applied so far is epoch ${stored.epoch}`);
    this.name = 'EpochAhead';
  }
}

/**
 * What to do with records in the order of their feed. A record is applied when its position is the next one, parked when its
 * key has parked records, dropped at or below the position (sent again) or from a lower epoch, else skipped (something is missing).
 * Pure. @param at where the source has been applied, null before its first record. @throws EpochAhead
 */
export function project(at: SourcePosition | null, parked: ParkedKeys, records: readonly SourceRecord[]): Step[] {
  let place = at;
  return records.map((record) => {
    const kind = stepOf(place, parked, record);
    if (kind === 'apply' || kind === 'park') place = positionOf(record);
    return { kind, record };
  });
}

function stepOf(at: SourcePosition | null, parked: ParkedKeys, record: SourceRecord): StepKind {
  if (at && record.epoch > at.epoch) throw new EpochAhead(record, at);
  if (at && record.epoch < at.epoch) return 'drop';
  const position = at?.position ?? 0;
  if (record.position <= position) return 'drop';
  if (record.position > position + 1) return 'skip';
  return parked.has(record.source, parkingKey(record)) ? 'park' : 'apply';
}

/** Where a source stands once this record has been applied. */
export function positionOf({ source, epoch, position, offset }: SourceRecord): SourcePosition {
  return { source, epoch, position, offset };
}

/** Where a test may let the process die. */
export type ProjectorFault = 'prepared' | 'handed';

export interface ProjectorOptions {
  /** Who follows: `wallet`, `issuance`. */
  readonly name: string;
  readonly newId: () => string;
  /** Asks the source to publish again what comes after `position`; called again while nothing fits. */
  readonly onGap: (source: string, position: number) => void | Promise<void>;
  /** Called once, when the source is at a higher epoch; every batch is refused from then on. */
  readonly onEpochAhead?: (error: EpochAhead) => void;
  /** What `prepare` fails with, before it is tried again. */
  readonly onRetry?: (error: unknown) => void;
  readonly clock?: Clock;
  readonly fault?: (point: ProjectorFault) => void;
}

/** A consumer with stored positions, as the bus wants it. */
export interface Projector {
  readonly name: string;
  position(): Promise<SourcePosition | null>;
  handle(records: readonly SourceRecord[], end: boolean): Promise<void>;
  /** Ends its timers; what `prepare` refuses is not tried again. */
  stop(): void;
}

/**
 * Feeds one source's records to the lane. `handle` resolves when the lane holds them in its order: whatever happens
 * afterwards, their effects and the position are stored together or not at all.
 */
export function projectInto(lane: RecordLane, handler: RecordHandler, options: ProjectorOptions): Projector {
  return new LaneProjector(lane, handler, options);
}

/** Decides nothing about parking: the lane does, when a record's turn comes. */
const NONE_PARKED = new ParkedKeys();

class LaneProjector implements Projector {
  readonly name: string;
  readonly #clock: Clock;
  readonly #gaps: GapDetector;
  #handed: SourcePosition | null;
  #stopped: EpochAhead | null = null;
  #ending = false;

  constructor(
    private readonly lane: RecordLane,
    private readonly handler: RecordHandler,
    private readonly options: ProjectorOptions,
  ) {
    this.name = options.name;
    this.#clock = options.clock ?? systemClock;
    this.#handed = lane.position(handler.source);
    this.#gaps = new GapDetector(this.#clock, (gap) => this.#report(gap));
  }

  async position(): Promise<SourcePosition | null> {
    this.#handed = this.lane.position(this.handler.source);
    return this.#handed;
  }

  async handle(records: readonly SourceRecord[], end: boolean): Promise<void> {
    if (this.#stopped) throw this.#stopped;
    const steps = this.#project(records);
    const next = steps.filter(({ kind }) => kind === 'apply').map(({ record }) => record);
    if (next.length > 0) {
      await this.#prepare(next);
      this.options.fault?.('prepared');
      await this.lane.take(next.map((record) => ({ record, work: workOf(this.handler, record) })));
      this.#handed = positionOf(next.at(-1)!);
      this.options.fault?.('handed');
    }
    this.#gaps.saw(steps, this.#handed?.position ?? 0, end);
  }

  stop(): void {
    this.#ending = true;
    this.#gaps.stop();
  }

  #project(records: readonly SourceRecord[]): Step[] {
    try {
      return project(this.#handed, NONE_PARKED, records);
    } catch (error) {
      if (error instanceof EpochAhead) {
        this.#stopped = error;
        this.options.onEpochAhead?.(error);
      }
      throw error;
    }
  }

  /** What a database or a network refuses now is no failure of the records. */
  async #prepare(records: readonly SourceRecord[]): Promise<void> {
    const backoff = new Backoff(this.#clock);
    for (;;) {
      try {
        return await this.handler.prepare?.(records);
      } catch (error) {
        if (this.#ending || this.lane.stopped) throw error;
        this.options.onRetry?.(error);
        await backoff.wait();
      }
    }
  }

  async #report({ position, first }: Gap): Promise<void> {
    const { source } = this.handler;
    if (first) {
      const detail = `nothing fits after position ${position}`;
      const incident = { incidentId: this.options.newId(), kind: 'bus-gap', subject: source, detail };
      // A lane that is full or stopping only loses the note; the records are asked for all the same.
      await this.lane.run([raiseIncident(incident)]).catch((error) => this.options.onRetry?.(error));
    }
    await this.options.onGap(source, position);
  }
}

/** The work for a record, null where there is nothing to do, or why it cannot be decoded. */
export function workOf(handler: RecordHandler, record: SourceRecord): ReturnType<RecordHandler['work']> | Error {
  try {
    return handler.work(record);
  } catch (error) {
    return asError(error);
  }
}

/** Whatever was thrown, as an error; one of another realm keeps its message. */
export function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String((thrown as Error | null)?.message ?? thrown));
}
