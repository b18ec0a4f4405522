import type { SourcePosition, SourceRecord } from '#event-sourcing';

/** A consumer with stored positions. */
export interface Follower {
  /** Who follows, for metrics and committed offsets: `wallet`, `history`. */
  readonly name: string;
  /** Where to resume: asked at start and again after every failure. Null before the first record. */
  position(): Promise<SourcePosition | null>;
  /**
   * Called with one batch at a time, in the order of the feed, duplicates and gaps included. `end` says that the feed had
   * nothing more when the batch was read. Resolves when the effects are stored, or safely held in the lane's order;
   * the bus reads at most one batch ahead. A rejection makes the bus start again from `position()`, after a pause.
   */
  handle(records: readonly SourceRecord[], end: boolean): Promise<void>;
}

export interface Subscription {
  /** Resolves when `handle` is not running and will not be called again. */
  stop(): Promise<void>;
}

/**
 * The port between the services' logs. A log is one totally ordered feed; both adapters (postgres, kafka) pass
 * bus-contract.ts. `source` is the service whose log it is.
 */
export interface Bus {
  /** From the stored position on, for services. Resolves once it is connected or is trying to. */
  follow(source: string, follower: Follower): Promise<Subscription>;
  /**
   * From now on, without positions, for the gateway. Resolves when every later record is sure to be seen. `interrupted` is
   * called when records may have been missed (a reconnect), so that whoever waits can ask elsewhere.
   */
  tail(
    source: string,
    onRecords: (records: readonly SourceRecord[]) => void,
    interrupted: () => void,
  ): Promise<Subscription>;
  /** The newest record that the bus holds of a source, null when none; `null` always on postgres, where there is no copy. */
  newest(source: string): Promise<SourceRecord | null>;
  close(): Promise<void>;
}
