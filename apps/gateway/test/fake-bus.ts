import type { Bus, Subscription } from '#event-bus';
import type { SourceRecord } from '#event-sourcing';

/** A bus in memory: what a test brings is seen by the tails at once. */
export class FakeBus implements Bus {
  readonly #tails = new Map<
    string,
    { onRecords: (records: readonly SourceRecord[]) => void; interrupted: () => void }
  >();

  /** Until it is closed, no tail is sure to see anything. */
  away = false;
  readonly #closed = Promise.withResolvers<never>();

  constructor() {
    this.#closed.promise.catch(() => {});
  }

  async tail(
    source: string,
    onRecords: (records: readonly SourceRecord[]) => void,
    interrupted: () => void,
  ): Promise<Subscription> {
    if (this.away) return this.#closed.promise;
    this.#tails.set(source, { onRecords, interrupted });
    return { stop: async () => void this.#tails.delete(source) };
  }

  bring(...records: readonly SourceRecord[]): void {
    for (const record of records) this.#tails.get(record.source)?.onRecords([record]);
  }

  interrupt(): void {
    for (const { interrupted } of this.#tails.values()) interrupted();
  }

  async follow(): Promise<Subscription> {
    throw new Error('the gateway follows nothing');
  }

  async newest(): Promise<null> {
    return null;
  }

  async close(): Promise<void> {
    this.#closed.reject(new Error('the bus is closed'));
  }
}
