import type { RecordedEvent } from '#event-sourcing';

export interface HeldLimits {
  readonly records: number;
  /** Of the events' data, in characters. */
  readonly size: number;
}

/** The newest events of a log in memory, in order and without gaps; bounded: what does not fit is read from the database. */
export class HeldEvents {
  #events: RecordedEvent[] = [];
  #size = 0;

  constructor(private readonly limits: HeldLimits) {}

  get length(): number {
    return this.#events.length;
  }

  /** Takes a commit's events. When they do not follow on those held, or there are too many, the older ones are let go. */
  offer(events: readonly RecordedEvent[]): void {
    const first = events[0];
    if (first === undefined) return;
    const last = this.#events.at(-1);
    if (last !== undefined && first.position !== last.position + 1) this.clear();
    for (const event of events) {
      this.#events.push(event);
      this.#size += event.data.length;
    }
    if (this.#events.length > this.limits.records || this.#size > this.limits.size) this.clear();
  }

  /** The events from the one after `position` on, at most `limit`; null when that one is not held. */
  after(position: number, limit: number): RecordedEvent[] | null {
    this.#letGo(position);
    return this.#events[0]?.position === position + 1 ? this.#events.slice(0, limit) : null;
  }

  clear(): void {
    this.#events = [];
    this.#size = 0;
  }

  #letGo(position: number): void {
    const first = this.#events[0];
    if (first === undefined || first.position > position) return;
    for (const gone of this.#events.splice(0, position - first.position + 1)) this.#size -= gone.data.length;
  }
}
