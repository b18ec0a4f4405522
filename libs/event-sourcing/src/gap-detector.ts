import type { Clock } from './clock.ts';
import type { Step } from './projector.ts';

/** How long skipped records may wait for the missing one when the feed goes on. */
export const GAP_AFTER_MS = 5_000;

/** Pauses between reports of one gap: 5 s, then doubling up to a minute. */
const MOST_PAUSE_MS = 60_000;

export interface Gap {
  /** Applied last: what comes after it is missing. */
  readonly position: number;
  /** False when this gap has been reported before. */
  readonly first: boolean;
}

/**
 * Notices that a bus has lost records: some were skipped and none has fitted since, by the end of the feed or for 5 s. Reports
 * again, with growing pauses, while it lasts.
 */
export class GapDetector {
  #cancel: (() => void) | null = null;
  #reported = false;
  #pauseMs = GAP_AFTER_MS;
  #position = 0;
  #stopped = false;

  constructor(
    private readonly clock: Clock,
    private readonly onGap: (gap: Gap) => void | Promise<void>,
  ) {}

  /** Tell it each batch of the feed. @param position applied last; @param end whether the feed had nothing more */
  saw(steps: readonly Step[], position: number, end: boolean): void {
    const last = steps.findLast(({ kind }) => kind !== 'drop');
    const fitted = steps.some(({ kind }) => kind === 'apply' || kind === 'park');
    if (fitted) this.#forget();
    if (last?.kind !== 'skip' || this.#stopped) return;
    this.#position = position;
    if (end && !this.#reported) this.#report();
    else this.#cancel ??= this.clock.after(this.#pauseMs, () => this.#report());
  }

  /** Reports nothing more. */
  stop(): void {
    this.#stopped = true;
    this.#forget();
  }

  #forget(): void {
    this.#cancel?.();
    this.#cancel = null;
    this.#reported = false;
    this.#pauseMs = GAP_AFTER_MS;
  }

  #report(): void {
    this.#cancel?.();
    const first = !this.#reported;
    if (!first) this.#pauseMs = Math.min(MOST_PAUSE_MS, this.#pauseMs * 2);
    this.#reported = true;
    this.#cancel = this.clock.after(this.#pauseMs, () => this.#report());
    // Asking that fails is asked again at the next report.
    void Promise.resolve(this.onGap({ position: this.#position, first })).catch(() => undefined);
  }
}
