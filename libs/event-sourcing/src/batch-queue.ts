import type { Entry } from './plan.ts';

/** Entries in the order in which they came, bounded; commands and records count apart, so that neither shuts out the other. */
export class BatchQueue {
  readonly #entries: Entry[] = [];
  #taken = 0;
  #commands = 0;
  #records = 0;
  #waiting: (() => void)[] = [];

  constructor(private readonly limit: number) {}

  get length(): number {
    return this.#entries.length - this.#taken;
  }

  hasRoomForCommands(count: number): boolean {
    return this.#commands + count <= this.limit;
  }

  /** Resolves when there is room for records: a whole batch of the bus may then be pushed. */
  async roomForRecords(): Promise<void> {
    while (this.#records >= this.limit) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  push(entries: readonly Entry[]): void {
    for (const entry of entries) {
      this.#entries.push(entry);
      if (entry.kind === 'command') this.#commands++;
      else this.#records++;
    }
  }

  /** The oldest entries, at most `most` of them. */
  take(most: number): Entry[] {
    const batch = this.#entries.slice(this.#taken, this.#taken + most);
    this.#taken += batch.length;
    for (const entry of batch) {
      if (entry.kind === 'command') this.#commands--;
      else this.#records--;
    }
    if (this.#taken === this.#entries.length || this.#taken > 10_000) {
      this.#entries.splice(0, this.#taken);
      this.#taken = 0;
    }
    this.wake();
    return batch;
  }

  /** Lets those who wait for room look again. */
  wake(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }
}
