/** What a bus and a relay tell whoever watches them; a service makes log lines and metrics of it. */
export interface BusReports {
  /** A connection, a read or a handler failed; it is tried again. `who` is the follower's name, `tail` or `relay`. */
  failed?(source: string, who: string, error: Error): void;
  /** A record of the bus has no readable envelope, so no position: it is passed over, and the gap that it leaves is asked for again. */
  unreadable?(source: string, who: string, offset: string, error: Error): void;
  /** Records that the bus holds behind those handed over, or that the relay has still to publish. */
  lag?(source: string, who: string, records: number): void;
  /** `log-behind-bus`: the source's log ends before what this follower has applied. It is given nothing more. */
  logBehind?(source: string, who: string, applied: number, head: number): void;
}
