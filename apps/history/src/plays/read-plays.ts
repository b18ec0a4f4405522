import type { DataSource } from 'typeorm';
import type { FindPlaysResponse, PlayRecord, PlaysResponse } from '#contracts';
import { toRecord } from './play.ts';
import { PLAY_COLUMNS, type PlayRow, playOf } from './play-rows.ts';

/** Plays of a page, and ids of a question, at most. */
export const PAGE_LIMIT = 100;
export const FIND_LIMIT = 200;

/** Up to where the wallet's log has been applied. It takes no lock. */
const APPLIED = `
  select position
    from positions
   where source = 'wallet'`;

/**
 * A player's plays below a wallet position, newest first, and up to where his part of the wallet's log has been applied:
 * the records of his that are parked are not. One statement, so one snapshot, and it takes no lock. The page is one
 * backward scan of the index on (player_id, wallet_position).
 */
export const PAGE_OF_PLAYER = `
  with applied as (
    select least(
             (${APPLIED}),
             (select min(position) - 1
                from parked
               where key = $1::text
                 and source = 'wallet'))::float8 as applied
  ),
  page as (
    select *
      from plays
     where player_id = $1::uuid
       and wallet_position < $2
     order by wallet_position desc
     limit $3
  )
  select applied.applied,
         seen.seen_at,
         ${PLAY_COLUMNS}
    from applied
    left join page as plays on true
    left join seen using (play_id)
   order by wallet_position desc`;

/** These plays, and up to where the wallet's log has been applied, in one snapshot. It takes no lock. */
export const PLAYS_WITH_SEEN = `
  select applied.position::float8 as applied,
         seen.seen_at,
         ${PLAY_COLUMNS}
    from (${APPLIED}) applied
    left join plays on plays.play_id = any($1)
    left join seen using (play_id)`;

type ReadRow = PlayRow & { readonly applied: number; readonly seen_at: Date | null };

/** What the history answers: plays as far as they have been applied, and how far that is. */
export class ReadPlays {
  constructor(private readonly database: { readonly dataSource: DataSource }) {}

  /** @param before wallet position below which the page begins; null for the newest @param limit 1 to PAGE_LIMIT */
  async page(playerId: string, before: number | null, limit: number): Promise<PlaysResponse> {
    const rows = await this.#query(PAGE_OF_PLAYER, [playerId, before ?? Number.MAX_SAFE_INTEGER, limit + 1]);
    const items = recordsOf(rows.slice(0, limit));
    const next = rows.length > limit ? (items.at(-1)?.walletPosition ?? null) : null;
    return { items, next, walletPosition: rows[0]?.applied ?? 0 };
  }

  /** @param playIds at most FIND_LIMIT; plays of which nothing but a payment is known are left out like unknown ones */
  async find(playIds: readonly string[]): Promise<FindPlaysResponse> {
    const rows = await this.#query(PLAYS_WITH_SEEN, [playIds]);
    return { items: recordsOf(rows), walletPosition: rows[0]?.applied ?? 0 };
  }

  #query(statement: string, values: unknown[]): Promise<ReadRow[]> {
    return this.database.dataSource.query<ReadRow[]>(statement, values);
  }
}

/** A row without a play only says how far the wallet's log has been applied. */
function recordsOf(rows: readonly ReadRow[]): PlayRecord[] {
  return rows.flatMap((row) => {
    const record = row.play_id === null ? null : toRecord(playOf(row), row.seen_at?.toISOString() ?? null);
    return record === null ? [] : [record];
  });
}
