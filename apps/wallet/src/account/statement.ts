import type { DataSource } from 'typeorm';
import type { AccountView, Debit, DebitsResponse, EntriesResponse, StatementEntry } from '#contracts';
import { streamOf } from '#event-sourcing';
import { type Account, type AccountEvent, accounts } from './account.ts';

/** Rows of a page, and play ids of a question, at most. */
export const PAGE_LIMIT = 200;

/** Events of one account that a look at its newest debits passes at most. */
const WALK_LIMIT = 2_000;

/** One statement, so that balance and position come from one snapshot; it takes no lock. */
export const ACCOUNT_AND_POSITION = `
  select head.position::float8 as position,
         account.state
    from log_head head
    left join states account on account.id = $1`;

/**
 * Newest first below a version: one backward scan of the index on (stream, version), which meets few events that are
 * not entries. It takes no lock.
 */
export const ENTRIES_BELOW = `
  select position::float8 as position,
         type,
         data
    from events
   where stream = $1
     and version < $2
     and type in ('StakeDebited', 'StakeRefunded', 'PrizeCredited', 'AccountAdjusted')
   order by version desc
   limit $3`;

/** The version of the account's event at a position, by the primary key; it takes no lock. */
export const VERSION_AT = `
  select version::float8 as version
    from events
   where position = $2
     and stream = $1`;

/**
 * Walks the account's stream backwards, one probe of the index on (stream, version) an event, and stops at position $2,
 * at the first debit beyond $3, or after $4 events: it costs what is new, not what the account has. It takes no lock.
 */
export const DEBITS_ABOVE = `
  with recursive walk as (
    select newest.*,
           (newest.type = 'StakeDebited')::int as debits,
           1 as walked
      from (select position, version, type, data
              from events
             where stream = $1
             order by version desc
             limit 1) newest
     where newest.position > $2
    union all
    select older.*,
           walk.debits + (older.type = 'StakeDebited')::int,
           walk.walked + 1
      from walk
     cross join lateral (select position, version, type, data
                           from events
                          where stream = $1
                            and version = walk.version - 1
                          limit 1) older
     where older.position > $2
       and walk.debits <= $3
       and walk.walked < $4
  )
  select position::float8 as position,
         type,
         data,
         walked = $4 as cut
    from walk
   where type = 'StakeDebited'
      or walked = $4
   order by version desc`;

/** By the unique index on the play id of a debit; it takes no lock. */
export const DEBITS_OF_PLAYS = `
  select position::float8 as position,
         data
    from events
   where type = 'StakeDebited'
     and correlation = any($1)`;

type Entry = Extract<AccountEvent, { readonly availableCents: number }>;
type EntryData<Type extends Entry['type']> = Omit<Extract<Entry, { readonly type: Type }>, 'type'>;
type StakeDebitedData = EntryData<'StakeDebited'>;

/** What may be asked of the accounts' part of the log. Every question is one bounded scan of an index. */
export class Statement {
  constructor(private readonly wallet: { readonly dataSource: DataSource }) {}

  /** The account and the log's head of the same moment; null where the account is not open. */
  async account(playerId: string): Promise<AccountView | null> {
    const [row] = await this.#query<{ position: number; state: Account | null }>(ACCOUNT_AND_POSITION, [
      accountStream(playerId),
    ]);
    if (!row?.state?.openedAt) return null;
    const { openedAt, availableCents, accepted } = row.state;
    return { playerId, openedAt, availableCents, reservedCents: 0, accepted, position: row.position };
  }

  /**
   * At most `limit` (1 to PAGE_LIMIT) entries, newest first, below the entry at position `before` or from the newest on.
   * Null where `before` is not the position of an event of this account.
   */
  async entries(playerId: string, before: number | null, limit: number): Promise<EntriesResponse | null> {
    const stream = accountStream(playerId);
    const below = before === null ? Number.MAX_SAFE_INTEGER : await this.#versionAt(stream, before);
    if (below === null) return null;
    const rows = await this.#query<EntryRow>(ENTRIES_BELOW, [stream, below, limit + 1]);
    const items = rows.slice(0, limit).map(entryOf);
    return { items, next: rows.length > limit ? (items.at(-1)?.position ?? null) : null };
  }

  /**
   * The account's debits above a position, newest first, at most `limit` (1 to PAGE_LIMIT). `more` also where the newest
   * 2,000 events of the account did not reach down to the position.
   */
  async debitsAbove(playerId: string, above: number, limit: number): Promise<DebitsResponse> {
    const rows = await this.#query<DebitRow & { type: string; cut: boolean }>(DEBITS_ABOVE, [
      accountStream(playerId),
      above,
      limit,
      WALK_LIMIT,
    ]);
    const debits = rows.filter((row) => row.type === 'StakeDebited');
    return {
      items: debits.slice(0, limit).map(debitOf),
      more: debits.length > limit || rows.some((row) => row.cut),
    };
  }

  /** The debits of these plays, in any order; a play that was never debited here is left out. */
  async debitsOfPlays(playIds: readonly string[]): Promise<Debit[]> {
    if (playIds.length === 0) return [];
    return (await this.#query<DebitRow>(DEBITS_OF_PLAYS, [playIds])).map(debitOf);
  }

  async #versionAt(stream: string, position: number): Promise<number | null> {
    const [row] = await this.#query<{ version: number }>(VERSION_AT, [stream, position]);
    return row?.version ?? null;
  }

  #query<Row>(statement: string, values: unknown[]): Promise<Row[]> {
    return this.wallet.dataSource.query<Row[]>(statement, values);
  }
}

function accountStream(playerId: string): string {
  return streamOf(accounts, playerId);
}

interface DebitRow {
  readonly position: number;
  readonly data: StakeDebitedData;
}

function debitOf({ position, data }: DebitRow): Debit {
  const { playId, playerId, game, stakeCents, regulation, mode, placedAt } = data;
  return { position, playId, playerId, game, stakeCents, regulation, mode, placedAt };
}

type EntryRow = {
  [Type in Entry['type']]: { readonly position: number; readonly type: Type; readonly data: EntryData<Type> };
}[Entry['type']];

function entryOf(row: EntryRow): StatementEntry {
  const { position } = row;
  switch (row.type) {
    case 'StakeDebited': {
      const { playId, stakeCents, availableCents, placedAt } = row.data;
      return { position, type: row.type, playId, amountCents: -stakeCents, availableCents, reason: null, at: placedAt };
    }
    case 'StakeRefunded': {
      const { playId, stakeCents, availableCents, reason, refundedAt } = row.data;
      return { position, type: row.type, playId, amountCents: stakeCents, availableCents, reason, at: refundedAt };
    }
    case 'PrizeCredited': {
      const { playId, prizeCents, availableCents, creditedAt } = row.data;
      return {
        position,
        type: row.type,
        playId,
        amountCents: prizeCents,
        availableCents,
        reason: null,
        at: creditedAt,
      };
    }
    case 'AccountAdjusted': {
      const { amountCents, availableCents, reason, adjustedAt } = row.data;
      return { position, type: row.type, playId: null, amountCents, availableCents, reason, at: adjustedAt };
    }
  }
}
