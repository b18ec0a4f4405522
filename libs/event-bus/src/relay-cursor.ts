/** Where a log keeps how far its events were published. */
export interface CursorStore {
  /** Position of the last event that was published, 0 before the first. */
  readCursor(): Promise<number>;
  /** Compare-and-set, in either direction; false when the cursor was not at `from`. */
  moveCursor(from: number, to: number): Promise<boolean>;
}

/**
 * Moves the stored cursor after what was published, one move at a time, beside the sends: what is published meanwhile adds up to
 * the next move. A stored cursor that lags behind only has some of it published again after a crash.
 */
export class RelayCursor {
  #stored: number;
  #target: number;
  #moving: Promise<void> | null = null;
  #displaced = false;
  #failure: unknown = null;

  constructor(
    private readonly store: CursorStore,
    stored: number,
    /** Called after each move, and when one fails. */
    private readonly changed: () => void | Promise<void>,
  ) {
    this.#stored = stored;
    this.#target = stored;
  }

  get stored(): number {
    return this.#stored;
  }

  /** True once somebody else has moved the cursor: it must be read again. Throws what a move has failed with. */
  get displaced(): boolean {
    if (this.#failure) throw this.#failure;
    return this.#displaced;
  }

  advance(to: number): void {
    this.#target = to;
    this.#moving ??= this.#move();
  }

  /** Resolves when no move is under way. */
  async settled(): Promise<void> {
    await this.#moving;
  }

  async #move(): Promise<void> {
    try {
      while (!this.#displaced && this.#stored < this.#target) {
        const to = this.#target;
        if (await this.store.moveCursor(this.#stored, to)) this.#stored = to;
        else this.#displaced = true;
        await this.changed();
      }
    } catch (error) {
      this.#failure = error;
      void this.changed();
    } finally {
      this.#moving = null;
    }
  }
}
