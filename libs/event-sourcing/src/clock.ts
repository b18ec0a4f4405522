/** Time and timers, so that a simulation can bring its own. */
export interface Clock {
  /** Milliseconds since 1970, UTC. */
  now(): number;
  /** Calls `action` once, `ms` later; the function returned cancels it. */
  after(ms: number, action: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  after(ms, action) {
    const timer = setTimeout(action, ms);
    return () => clearTimeout(timer);
  },
};

/** Resolves after so many milliseconds; rejects with its reason when `stopping` is aborted before, or was already. */
export async function pause(clock: Clock, ms: number, stopping?: AbortSignal): Promise<void> {
  stopping?.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const cancel = clock.after(ms, resolve);
  const giveUp = () => reject(stopping?.reason);
  stopping?.addEventListener('abort', giveUp, { once: true });
  try {
    await promise;
  } finally {
    cancel();
    stopping?.removeEventListener('abort', giveUp);
  }
}

/** UTC with three decimals: `2009-02-05T12:00:00.000Z`. */
export function timeText(ms: number): string {
  return new Date(ms).toISOString();
}

/** Whether a text is a time exactly as this platform writes them, so that it reads back from any database as it was. */
export function isTimeText(text: string): boolean {
  const ms = Date.parse(text);
  return !Number.isNaN(ms) && timeText(ms) === text;
}

/** Doubling pauses up to a ceiling, for what is tried without end: 50 ms, 100 ms, … 2 s. */
export class Backoff {
  #ms = 0;

  constructor(
    private readonly clock: Clock,
    private readonly firstMs = 50,
    private readonly mostMs = 2_000,
  ) {}

  async wait(): Promise<void> {
    this.#ms = Math.min(this.mostMs, this.#ms === 0 ? this.firstMs : this.#ms * 2);
    await pause(this.clock, this.#ms);
  }
}
