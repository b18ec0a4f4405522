/** An event to be appended. `data` is canonical JSON text (RFC 8785) and is kept byte for byte. */
export interface NewEvent {
  readonly stream: string;
  /** 1 for the first event of the stream, then without gaps. */
  readonly version: number;
  readonly type: string;
  readonly schemaVersion: number;
  /** UTC with three decimals: `2009-02-05T12:00:00.000Z`. */
  readonly occurredAt: string;
  /** The play id for a play's events. */
  readonly correlation: string | null;
  readonly data: string;
}

export interface RecordedEvent extends NewEvent {
  /** From 1, without gaps over the whole log. */
  readonly position: number;
  /** Position of the first event of the same append. */
  readonly batch: number;
}

/** One event as a consumer meets it, whatever bus brought it. */
export interface SourceRecord {
  /** The log it comes from: `wallet`, `issuance`. */
  readonly source: string;
  readonly epoch: number;
  readonly position: number;
  readonly batch: number;
  readonly stream: string;
  readonly version: number;
  readonly type: string;
  readonly schemaVersion: number;
  readonly occurredAt: string;
  readonly correlation: string | null;
  /** What is parked together: the player id for a play's and an account's events, else the stream. */
  readonly key: string;
  /** The event's data, parsed once by the bus. Not validated yet. */
  readonly body: unknown;
  /** Where the bus would resume after this record (Kafka's next offset), or null where the position itself says so. */
  readonly offset: string | null;
}

export interface LogHead {
  readonly logId: string;
  readonly epoch: number;
  /** Position of the newest event, 0 in an empty log. */
  readonly position: number;
  /** Chain value after the newest batch, lower-case hex. */
  readonly chain: string;
}

export interface StoredState {
  readonly id: string;
  /** 0 when absent, and then `state` is null. */
  readonly version: number;
  readonly state: unknown;
}

/** Changes a state only when it is still at version `from` (0 = absent). */
export interface StateChange {
  readonly id: string;
  readonly from: number;
  readonly to: number;
  readonly state: unknown;
}

export interface KeyRef {
  /** The player whose name space the key is in. */
  readonly owner: string;
  readonly key: string;
}

export interface StoredKey extends KeyRef {
  /** SHA-256 of route and canonical body, lower-case hex. */
  readonly requestHash: string;
  /** The decision as JSON: a play id or a refusal, never an HTTP answer. */
  readonly decision: unknown;
}

/** How far a source has been applied. */
export interface SourcePosition {
  readonly source: string;
  readonly epoch: number;
  readonly position: number;
  readonly offset: string | null;
}

/** Moves a stored position by compare-and-set; `from` 0 where none is stored yet. */
export interface PositionMove extends SourcePosition {
  readonly from: number;
}

export interface ParkedRecord {
  readonly source: string;
  readonly position: number;
  readonly key: string;
  readonly record: SourceRecord;
  /** Why it could not be handled, or behind which parked record it waits. */
  readonly error: string;
}

export interface Append {
  readonly events: readonly NewEvent[];
  readonly states: readonly StateChange[];
  readonly keys: readonly StoredKey[];
  readonly positions: readonly PositionMove[];
  readonly parked: readonly ParkedRecord[];
  readonly unparked: readonly { readonly source: string; readonly position: number }[];
}

export interface Appended {
  /** Position of the first and last event; `last` is `first - 1` when the append had no events. */
  readonly first: number;
  readonly last: number;
  readonly head: LogHead;
}

/**
 * What an append may fail with:
 * - `stale`: something it was decided on has changed (a version, a key, a position); reload and decide again;
 * - `outcome-taken`: the play already has an outcome (the unique index of the second wall);
 * - `rejected`: the database refuses a value for ever (an out of range number, U+0000); halve until the culprit is alone;
 * - `unavailable`: connection, time-out, disk; nothing is known of the outcome.
 */
export type AppendFailure = 'stale' | 'outcome-taken' | 'rejected' | 'unavailable';

export class AppendError extends Error {
  constructor(
    readonly failure: AppendFailure,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = 'AppendError';
  }
}

/**
 * One append-only, totally ordered log with the states, keys and positions that change together with it.
 * What any of its methods rejects with is an AppendError, unless the program itself is at fault.
 */
export interface EventLog {
  head(): Promise<LogHead>;
  /**
   * States and keys in one round trip; states that do not exist come back at version 0, keys that do not exist not at all.
   * A name that no database can hold (U+0000) is `rejected`.
   */
  load(states: readonly string[], keys: readonly KeyRef[]): Promise<{ states: StoredState[]; keys: StoredKey[] }>;
  /** All or nothing. */
  append(append: Append): Promise<Appended>;
  /** Events with a position above `after`, in order, at most `limit`. */
  read(after: number, limit: number): Promise<RecordedEvent[]>;
  positions(): Promise<SourcePosition[]>;
  /** Parked rows in order of source and position; of one key, of one source where these are given. At most `limit`. */
  parked(filter: {
    readonly key?: string;
    readonly source?: string;
    readonly limit: number;
  }): Promise<(ParkedRecord & { readonly parkedAt: string })[]>;
  /** Every key that has parked records: loaded once at start. */
  parkedKeys(): Promise<{ readonly source: string; readonly key: string }[]>;
}
