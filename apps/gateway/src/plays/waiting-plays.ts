/** A debited play whose outcome has not come. */
export interface WaitingPlay {
  readonly playerId: string;
  /** Null for one that was not placed here. */
  readonly key: string | null;
  /** When its debit was confirmed, in milliseconds of the clock. */
  readonly since: number;
}

/** Why no new stake is taken. */
export type Delay = 'outcomes-delayed' | 'play-pending';

export interface DelayRules {
  /** How long no outcome may come before new stakes are refused. */
  readonly delayed_ms: number;
  /** While everyone is refused, one stake is let through after each of these, to find out. */
  readonly probe_ms: number;
}

/**
 * The plays that wait for their outcome, and when that stops new stakes. A play whose outcome alone is held back stops
 * its player only; while everyone is refused a stake is let through now and then, and its outcome ends the refusals.
 */
export class WaitingPlays<Play extends WaitingPlay> {
  readonly #rules: DelayRules;
  /** The one that waits longest is the first. */
  readonly #inTurn = new Set<Play>();
  /** Likewise, but a later debit has its outcome already: outcomes do flow. */
  readonly #overtaken = new Set<Play>();
  readonly #byPlayer = new Map<string, Set<Play>>();
  #lastOutcomeAt = Number.NEGATIVE_INFINITY;
  /** `since` of the latest debit that has its outcome. */
  #settledUpTo = Number.NEGATIVE_INFINITY;
  /** When the next stake may be let through; infinite while nobody is refused. */
  #probeAt = Number.POSITIVE_INFINITY;

  constructor(rules: DelayRules) {
    this.#rules = rules;
  }

  get size(): number {
    return this.#inTurn.size + this.#overtaken.size;
  }

  /** The overtaken ones first, then in the order of their debits. */
  *[Symbol.iterator](): Iterator<Play> {
    yield* this.#overtaken;
    yield* this.#inTurn;
  }

  /** Plays are added in the order of `since`. */
  add(play: Play): void {
    this.#inTurn.add(play);
    const own = this.#byPlayer.get(play.playerId);
    if (own === undefined) this.#byPlayer.set(play.playerId, new Set([play]));
    else own.add(play);
  }

  delete(play: Play): boolean {
    const waited = this.#inTurn.delete(play) || this.#overtaken.delete(play);
    const own = this.#byPlayer.get(play.playerId);
    if (own?.delete(play) && own.size === 0) this.#byPlayer.delete(play.playerId);
    return waited;
  }

  /** The outcome of a play has come, of one that waited here or of another (then `null`). */
  outcomeCame(play: Play | null, now: number): void {
    this.#lastOutcomeAt = now;
    if (play !== null && this.delete(play)) this.#settledUpTo = Math.max(this.#settledUpTo, play.since);
  }

  /**
   * Why this player's stake has to wait, or null. The key of a play that waits already is no new stake.
   * Not pure: what it lets through while everyone is refused is counted.
   */
  delay(playerId: string, key: string, now: number): Delay | null {
    const own = this.#byPlayer.get(playerId);
    const repeated = own?.values().some((play) => play.key === key) ?? false;
    const oldest = own?.values().next().value;
    if (oldest && this.#overdue(oldest, now)) return repeated ? null : 'play-pending';
    if (!this.#outcomesAreDelayed(now) || repeated) return null;
    if (now < this.#probeAt) return 'outcomes-delayed';
    this.#probeAt = now + this.#rules.probe_ms;
    return null;
  }

  #overdue(play: Play, now: number): boolean {
    return now - play.since > this.#rules.delayed_ms;
  }

  /** True when a play waits for too long, none debited after it has its outcome, and none at all has come meanwhile. */
  #outcomesAreDelayed(now: number): boolean {
    const oldest = this.#oldestInTurn();
    const delayed =
      oldest !== undefined && this.#overdue(oldest, now) && now - this.#lastOutcomeAt > this.#rules.delayed_ms;
    if (!delayed) this.#probeAt = Number.POSITIVE_INFINITY;
    else if (this.#probeAt === Number.POSITIVE_INFINITY) this.#probeAt = now + this.#rules.probe_ms;
    return delayed;
  }

  #oldestInTurn(): Play | undefined {
    for (const play of this.#inTurn) {
      if (play.since >= this.#settledUpTo) return play;
      this.#inTurn.delete(play);
      this.#overtaken.add(play);
    }
    return undefined;
  }
}
