import type { Debit, DebitsResponse, PlayRecord, PlaysResponse } from '#contracts';
import { Problem, unavailable } from '#service';
import { Away } from '../peers/away.ts';
import type { History } from '../peers/history.ts';
import type { Wallet } from '../peers/wallet.ts';
import type { KnownPlay, Outcomes } from './outcomes.ts';
import { pending } from './sighting.ts';

/** Debits asked of the wallet at once, which is also as far as the history may be behind. */
const DEBITS_AT_ONCE = 200;

export interface PlaysPage {
  readonly items: readonly PlayRecord[];
  /** Below which wallet position the next page begins, or null. */
  readonly next: number | null;
}

/**
 * A player's plays as they are now: what the history has applied, in front of it the wallet's newer debits, and the
 * outcomes that have just passed here. What cannot be known is a 503, never an older play as the last (REG-4.2).
 */
export class ReadPlays {
  constructor(
    private readonly wallet: Wallet,
    private readonly history: History,
    private readonly outcomes: Outcomes,
  ) {}

  /** The newest play. 404 `no-play-yet` where there is none. */
  async last(playerId: string): Promise<PlayRecord> {
    const [told, newer] = await Promise.all([
      unlessAway(this.history.plays(playerId, null, 1)),
      this.wallet.debits(playerId, 0, 1),
    ]);
    const debit = newer.items[0];
    if (told instanceof Away) return this.#lastWithoutHistory(newer, told);
    const top = told.items[0];
    if (top && (debit === undefined || (top.walletPosition ?? 0) >= debit.position)) return this.#freshest(top);
    if (debit === undefined) throw newer.more ? historyBehind() : noPlayYet();
    const [play] = await this.#ofDebits([debit]);
    return play as PlayRecord;
  }

  /** The wallet knows which play is the last; how it stands only who has seen all of it does. */
  #lastWithoutHistory({ items: [debit], more }: DebitsResponse, away: Away): PlayRecord {
    if (debit === undefined && !more) throw noPlayYet();
    const known = debit && this.outcomes.find(debit.playId);
    if (known && isSure(known)) return known.play;
    throw away;
  }

  /**
   * A page, newest first. @param before wallet position from `next` of the page before, null for the first page
   * @param limit 1 to 100
   */
  async page(playerId: string, before: number | null, limit: number): Promise<PlaysPage> {
    const told = await this.history.plays(playerId, before, limit);
    const applied = told.items.map((play) => this.#freshest(play));
    if (before !== null && before <= told.walletPosition + 1) return { items: applied, next: told.next };
    const { items, more } = await this.wallet.debits(playerId, told.walletPosition, DEBITS_AT_ONCE);
    const missing = items.filter((debit) => before === null || debit.position < before);
    if (missing.length === 0 && more) throw historyBehind();
    const front = await this.#ofDebits(missing.slice(0, limit));
    return joined(front, more ? null : { ...told, items: applied }, missing.length, limit);
  }

  /** One play. 404 `play-unknown` where there is none, or where it is another player's. */
  async one(playerId: string, playId: string): Promise<PlayRecord> {
    const known = this.outcomes.find(playId);
    const told = await unlessAway(this.history.find([playId]));
    const [play] = told instanceof Away ? [] : told;
    if (play) return this.#freshest(ownedBy(playerId, play));
    if (known && isSure(known)) return ownedBy(playerId, known.play);
    const debit = ownedBy(playerId, await this.wallet.debitOf(playId));
    if (told instanceof Away) throw told;
    return known?.play ?? pending(debit, debit.position);
  }

  /** These debits as plays, in order: with the outcome that has passed here or that the history knows, else pending. */
  async #ofDebits(debits: readonly Debit[]): Promise<PlayRecord[]> {
    const unsettled = debits
      .filter(({ playId }) => !isSettled(this.outcomes.find(playId)?.play))
      .map(({ playId }) => playId);
    const told = unsettled.length === 0 ? [] : await this.history.find(unsettled);
    const byId = new Map(told.map((play) => [play.playId, play]));
    return debits.map((debit) => {
      const known = this.outcomes.find(debit.playId)?.play;
      const play = isSettled(known) ? known : byId.get(debit.playId);
      return { ...(play ?? pending(debit, debit.position)), walletPosition: debit.position };
    });
  }

  /** A play of the history, with the outcome that has passed here where it has none yet. */
  #freshest(play: PlayRecord): PlayRecord {
    if (isSettled(play)) return play;
    const known = this.outcomes.find(play.playId)?.play;
    return isSettled(known) ? { ...known, seenAt: play.seenAt, walletPosition: play.walletPosition } : play;
  }
}

function joined(front: readonly PlayRecord[], behind: PlaysResponse | null, missing: number, limit: number): PlaysPage {
  const items = [...front, ...(behind?.items ?? [])].slice(0, limit);
  const whole = behind !== null && behind.next === null && missing + behind.items.length <= limit;
  return { items, next: whole ? null : (items.at(-1)?.walletPosition ?? null) };
}

/** True when what is known here is all that there is to know. */
function isSure(known: KnownPlay): known is KnownPlay & { readonly play: PlayRecord } {
  return known.play !== null && (known.sure || isSettled(known.play));
}

type SettledPlay = PlayRecord & { readonly status: Exclude<PlayRecord['status'], 'pending'> };

function isSettled(play: PlayRecord | null | undefined): play is SettledPlay {
  return play != null && play.status !== 'pending';
}

function ownedBy<Play extends { readonly playerId: string }>(playerId: string, play: Play | null): Play {
  if (play?.playerId === playerId) return play;
  throw new Problem(404, 'play-unknown', 'You have no play with this id.');
}

async function unlessAway<Answer>(answer: Promise<Answer>): Promise<Answer | Away> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof Away) return error;
    throw error;
  }
}

function noPlayYet(): Problem {
  return new Problem(404, 'no-play-yet', 'You have not played yet.');
}

function historyBehind(): Problem {
  return unavailable('history-behind', 'The history has not caught up with your plays yet; try again shortly.', 2);
}
