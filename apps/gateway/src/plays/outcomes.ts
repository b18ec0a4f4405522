import type { PlayRecord } from '#contracts';
import type { Clock, SourceRecord } from '#event-sourcing';
import { read, type Sighting } from './sighting.ts';
import { type Delay, WaitingPlays } from './waiting-plays.ts';

export interface OutcomesOptions {
  readonly clock: Clock;
  /** What the history knows of these plays, at most 200; unknown ones are left out. May reject. */
  readonly askHistory: (playIds: readonly string[]) => Promise<readonly PlayRecord[]>;
  /** Told of a record that cannot be read; the history has to answer for its play. */
  readonly unreadable: (record: SourceRecord, error: unknown) => void;
  /** How long an outcome is remembered. Default 60,000. */
  readonly remembered_ms?: number;
  /** How many are remembered at most. Default 30,000. */
  readonly remembered?: number;
  /** How many plays may wait for their outcome at once. Default 50,000. */
  readonly waiting?: number;
  /** How long no outcome may come before new stakes are refused. Default 30,000. */
  readonly delayed_ms?: number;
  /** While everyone is refused, one stake is let through after each of these. Default 5,000. */
  readonly probe_ms?: number;
}

/** What is known here of a play that was registered, or whose events have passed within the last minute. */
export interface KnownPlay {
  readonly playId: string;
  readonly playerId: string;
  /** Pending or settled; null while its debit has not been seen. */
  readonly play: PlayRecord | null;
  /** The wallet accepted the stake. */
  readonly debited: boolean;
  /** It is settled, and its prize or refund has passed too where there is one. */
  readonly complete: boolean;
  /** No event of it can have been missed, so a pending play is pending. */
  readonly sure: boolean;
}

const ASKED_AT_ONCE = 200;
const SWEEP_MS = 1_000;
/** Of a play that waits longer than this an event may have been missed. */
const OVERDUE_MS = 3_000;

class Entry implements KnownPlay {
  play: PlayRecord | null = null;
  debited = false;
  paid = false;
  sure = true;
  since: number;
  askedAt = Number.NEGATIVE_INFINITY;
  /** Null while nobody waits, as with nearly all that are remembered. */
  waiters: Set<() => void> | null = null;

  constructor(
    readonly playId: string,
    readonly playerId: string,
    readonly key: string | null,
    now: number,
  ) {
    this.since = now;
  }

  get settled(): boolean {
    return this.play !== null && this.play.status !== 'pending';
  }

  get complete(): boolean {
    return this.settled && (this.paid || this.play?.status === 'lost');
  }

  wake(): void {
    for (const waiter of this.waiters ?? []) waiter();
  }
}

/**
 * Who waits for which play. A play is registered before its command is passed on, so that nothing of it passes unseen;
 * its outcome wakes whoever waits and is remembered for a minute. What may have been missed is asked of the history.
 * Memory is bounded: when too many wait, no further play is registered.
 */
export class Outcomes {
  readonly #clock: Clock;
  readonly #askHistory: OutcomesOptions['askHistory'];
  readonly #unreadable: OutcomesOptions['unreadable'];
  readonly #remembered_ms: number;
  readonly #remembered: number;
  readonly #mostWaiting: number;
  readonly #entries = new Map<string, Entry>();
  /** Registered, without a word from the wallet; the oldest is the first. */
  readonly #asked = new Set<Entry>();
  readonly #waiting: WaitingPlays<Entry>;
  /** Settled, or not placed here; the oldest is the first. */
  readonly #recent = new Set<Entry>();
  #asking = false;
  #cancelSweep: () => void = () => {};

  constructor(options: OutcomesOptions) {
    this.#clock = options.clock;
    this.#askHistory = options.askHistory;
    this.#unreadable = options.unreadable;
    this.#remembered_ms = options.remembered_ms ?? 60_000;
    this.#remembered = options.remembered ?? 30_000;
    this.#mostWaiting = options.waiting ?? 50_000;
    this.#waiting = new WaitingPlays({
      delayed_ms: options.delayed_ms ?? 30_000,
      probe_ms: options.probe_ms ?? 5_000,
    });
    this.#sweepLater();
  }

  /** Registers a play about to be asked for. False when too many wait already: then nothing may be asked. */
  register(playId: string, playerId: string, key: string): boolean {
    if (this.waiting >= this.#mostWaiting) return false;
    this.#asked.add(this.#enter(playId, playerId, key));
    return true;
  }

  /** The wallet has debited this play. One that is not known yet is registered, unsure of what passed before. */
  debited(playId: string, playerId: string, key: string): void {
    const known = this.#entries.get(playId);
    const entry = known ?? this.#enter(playId, playerId, key);
    if (known === undefined) entry.sure = false;
    if (!entry.debited) this.#confirm(entry);
  }

  /** The play does not exist: its stake was refused, or its key was another play's. */
  forget(playId: string): void {
    const entry = this.#entries.get(playId);
    if (entry !== undefined && !entry.debited) this.#drop(entry);
  }

  /** What is known here of a play, or null. */
  find(playId: string): KnownPlay | null {
    return this.#entries.get(playId) ?? null;
  }

  /**
   * Resolves when the play is complete, at the latest at `deadline`, with what is known then; null when that is nothing.
   */
  async completed(playId: string, deadline: number): Promise<KnownPlay | null> {
    const entry = this.#entries.get(playId);
    if (entry === undefined) return null;
    if (!entry.complete) await this.#wake(entry, deadline - this.#clock.now());
    return entry;
  }

  /**
   * Why this player's stake has to wait, or null: see WaitingPlays. A key that was asked for without a word from the
   * wallet is no new stake either: it may have been debited, and only its repetition tells.
   */
  delay(playerId: string, key: string): Delay | null {
    const delay = this.#waiting.delay(playerId, key, this.#clock.now());
    return delay !== null && this.#isAsked(playerId, key) ? null : delay;
  }

  #isAsked(playerId: string, key: string): boolean {
    return this.#asked.values().some((entry) => entry.key === key && entry.playerId === playerId);
  }

  /** Plays registered or debited whose outcome has not come. */
  get waiting(): number {
    return this.#asked.size + this.#waiting.size;
  }

  /** Plays remembered for those who may ask. */
  get remembered(): number {
    return this.#recent.size;
  }

  /** Takes what a tail of either log brings. */
  onRecords(records: readonly SourceRecord[]): void {
    const now = this.#clock.now();
    for (const record of records) {
      try {
        const sighting = read(record);
        if (sighting !== null) this.#see(sighting, now);
      } catch (error) {
        this.#unreadable(record, error);
      }
    }
    if (this.#recent.size > this.#remembered) this.#evict(now);
  }

  /** Takes what the history says of a play that waits here. */
  told(play: PlayRecord): void {
    const entry = this.#entries.get(play.playId);
    if (entry === undefined) return;
    if (play.paidAt !== null) entry.paid = true;
    if (play.status === 'pending') entry.play ??= play;
    else if (!entry.settled) this.#settle(entry, play, this.#clock.now());
    if (entry.complete) entry.wake();
  }

  /** The client has shown this play to the end. */
  seen(playId: string, seenAt: string): void {
    const entry = this.#entries.get(playId);
    if (entry?.play) entry.play = { ...entry.play, seenAt };
  }

  /** Events may have been missed: whoever waits now asks the history. */
  interrupted(): void {
    for (const entry of this.#entries.values()) entry.sure = false;
    void this.#askForWaiting(0);
  }

  stop(): void {
    this.#cancelSweep();
  }

  #see(sighting: Sighting, now: number): void {
    const entry = this.#entries.get(sighting.playId) ?? this.#meet(sighting);
    switch (sighting.kind) {
      case 'debited':
        entry.play ??= sighting.play;
        if (this.#asked.has(entry)) this.#confirm(entry);
        entry.debited = true;
        return;
      case 'settled':
        if (!entry.settled) this.#settle(entry, sighting.play, now);
        return;
      case 'paid':
        entry.paid = true;
        if (entry.complete) entry.wake();
    }
  }

  #enter(playId: string, playerId: string, key: string | null): Entry {
    const entry = new Entry(playId, playerId, key, this.#clock.now());
    this.#entries.set(playId, entry);
    return entry;
  }

  /** A play that was not placed here: remembered, in case someone asks. */
  #meet(sighting: Sighting): Entry {
    const entry = this.#enter(sighting.playId, sighting.playerId, null);
    entry.sure = sighting.kind !== 'paid';
    this.#recent.add(entry);
    return entry;
  }

  #confirm(entry: Entry): void {
    entry.debited = true;
    this.#asked.delete(entry);
    if (this.#recent.has(entry)) return;
    entry.since = this.#clock.now();
    this.#waiting.add(entry);
  }

  #settle(entry: Entry, play: PlayRecord, now: number): void {
    this.#waiting.outcomeCame(entry, now);
    this.#asked.delete(entry);
    this.#recent.delete(entry);
    this.#recent.add(entry);
    entry.play = { ...play, walletPosition: play.walletPosition ?? entry.play?.walletPosition ?? null };
    entry.debited = true;
    entry.since = now;
    if (entry.complete) entry.wake();
  }

  #drop(entry: Entry): void {
    this.#asked.delete(entry);
    this.#waiting.delete(entry);
    this.#recent.delete(entry);
    this.#entries.delete(entry.playId);
    entry.wake();
  }

  /**
   * Forgets what was remembered for long enough, and the oldest when there is too much: then some more, because a set
   * keeps the places of what was taken from its front, and passes them one by one each time it is asked for its first.
   */
  #evict(now: number): void {
    const most = this.#recent.size > this.#remembered ? this.#remembered - Math.floor(this.#remembered / 50) : Infinity;
    for (const entry of this.#recent) {
      if (this.#recent.size <= most && now - entry.since <= this.#remembered_ms) break;
      this.#drop(entry);
    }
    for (const entry of this.#asked) {
      if (now - entry.since <= this.#remembered_ms) break;
      this.#drop(entry);
    }
  }

  #wake(entry: Entry, wait_ms: number): Promise<void> {
    if (wait_ms <= 0) return Promise.resolve();
    return new Promise((resolve) => {
      const waiter = () => {
        cancel();
        if (entry.waiters?.delete(waiter) && entry.waiters.size === 0) entry.waiters = null;
        resolve();
      };
      const cancel = this.#clock.after(wait_ms, waiter);
      entry.waiters ??= new Set();
      entry.waiters.add(waiter);
    });
  }

  #sweepLater(): void {
    this.#cancelSweep = this.#clock.after(SWEEP_MS, () => {
      this.#evict(this.#clock.now());
      this.#sweepLater();
      void this.#askForWaiting(OVERDUE_MS);
    });
  }

  /** Asks the history for those who wait at least `overdue_ms`, a page at a time, the longest unasked first. */
  async #askForWaiting(overdue_ms: number): Promise<void> {
    if (this.#asking) return;
    const now = this.#clock.now();
    const overdue = [...this.#waiting]
      .filter((entry) => now - entry.since >= overdue_ms)
      .sort((a, b) => a.askedAt - b.askedAt)
      .slice(0, ASKED_AT_ONCE);
    if (overdue.length === 0) return;
    for (const entry of overdue) entry.askedAt = now;
    this.#asking = true;
    try {
      for (const play of await this.#askHistory(overdue.map((entry) => entry.playId))) this.told(play);
    } catch {
      // The history is away: the next sweep asks again.
    } finally {
      this.#asking = false;
    }
  }
}
