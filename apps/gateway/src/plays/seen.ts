import { type Clock, pause } from '#event-sourcing';
import { Problem, unavailable } from '#service';
import type { History } from '../peers/history.ts';
import type { Outcomes } from './outcomes.ts';
import type { ReadPlays } from './read-plays.ts';

export interface SeenOptions {
  readonly clock: Clock;
  /** How long the history may take to hear of a play that is settled here already. Default 2,000. */
  readonly wait_ms?: number;
}

const EVERY_MS = 50;

/** Seen marks: of settled plays only, and of one that has just been settled too. */
export class Seen {
  readonly #wait_ms: number;

  constructor(
    private readonly plays: ReadPlays,
    private readonly history: History,
    private readonly outcomes: Outcomes,
    private readonly options: SeenOptions,
  ) {
    this.#wait_ms = options.wait_ms ?? 2_000;
  }

  /**
   * When the play was first marked. 404 `play-unknown`, 409 `play-not-settled`, 503 `history-behind` where the history
   * has not heard of its outcome in time.
   */
  async mark(playerId: string, playId: string): Promise<string> {
    const { clock } = this.options;
    const deadline = clock.now() + this.#wait_ms;
    for (;;) {
      const seenAt = await this.history.markSeen(playId, playerId);
      if (seenAt !== null) {
        this.outcomes.seen(playId, seenAt);
        return seenAt;
      }
      const play = await this.plays.one(playerId, playId);
      if (play.status === 'pending') {
        throw new Problem(409, 'play-not-settled', 'This play has no outcome yet that could have been shown.');
      }
      if (clock.now() >= deadline) {
        throw unavailable('history-behind', 'The history has not heard of this play’s outcome yet; try again.', 1);
      }
      await pause(clock, EVERY_MS);
    }
  }
}
