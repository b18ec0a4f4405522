import type { Client } from 'pg';
import type { SourcePosition, SourceRecord } from '#event-sourcing';
import type { Folded } from './fold-records.ts';
import type { Play } from './play.ts';
import { PLAYS_OF_IDS, type PlayRow, playOf, rowOf } from './play-rows.ts';

/** A source's stored position, and where it moves. */
export interface Move extends SourcePosition {
  readonly from: number;
}

/** Where every source has been applied; epoch 0 before its first record. It takes no lock. */
export const READ_POSITIONS = `
  select source,
         epoch,
         position::float8 as position,
         "offset"
    from positions`;

/** Keys with parked records; few by nature. It takes no lock. */
export const READ_PARKED_KEYS = `
  select distinct source, key
    from parked`;

/** Whether a key still has parked records of a source: one probe of the index on (key, source, position). It takes no lock. */
export const HAS_PARKED = `
  select exists (
    select from parked
     where key = $2
       and source = $1) as found`;

/** The oldest parked records of a source and key: a scan of the index on (key, source, position). It takes no lock. */
export const READ_PARKED = `
  select record
    from parked
   where key = $2
     and source = $1
   order by position
   limit $3`;

/**
 * Everything that a batch changes, or nothing. The positions come first: every source's is moved by compare-and-set, the
 * unmoved ones onto themselves, which takes the locks of their rows; so the plays are written exactly as they were read,
 * and of two writers the second finds another position, divides by zero (22012) and has to read again.
 */
export const STORE = `
  with moved as (
    update positions
       set epoch = move.epoch,
           position = move.position,
           "offset" = move."offset"
      from json_to_recordset($1)
           as move(source text, epoch int, position bigint, "offset" text, "from" bigint)
     where positions.source = move.source
       and positions.position = move."from"
    returning positions.source
  ),
  checked as (
    select 1 / (count(*) = json_array_length($1))::int as ok
      from moved
  ),
  told as (
    insert into plays (
           play_id, player_id, wallet_position, game, regulation, stake_cents, mode, placed_at,
           block_id, sequence, unit_index, prize_cents, seed, mechanic, script_digest,
           reason, settled_at, paid_cents, paid_at)
    select play_id, player_id, wallet_position, game, regulation, stake_cents, mode, placed_at,
           block_id, sequence, unit_index, prize_cents, decode(seed, 'hex'), mechanic, decode(script_digest, 'hex'),
           reason, settled_at, paid_cents, paid_at
      from checked
     cross join json_to_recordset($2)
           as play(play_id uuid, player_id uuid, wallet_position bigint, game text, regulation text,
                   stake_cents bigint, mode text, placed_at timestamptz, block_id uuid, sequence int, unit_index int,
                   prize_cents bigint, seed text, mechanic text, script_digest text, reason text,
                   settled_at timestamptz, paid_cents bigint, paid_at timestamptz)
    on conflict (play_id) do update
       set player_id = excluded.player_id,
           wallet_position = excluded.wallet_position,
           game = excluded.game,
           regulation = excluded.regulation,
           stake_cents = excluded.stake_cents,
           mode = excluded.mode,
           placed_at = excluded.placed_at,
           block_id = excluded.block_id,
           sequence = excluded.sequence,
           unit_index = excluded.unit_index,
           prize_cents = excluded.prize_cents,
           seed = excluded.seed,
           mechanic = excluded.mechanic,
           script_digest = excluded.script_digest,
           reason = excluded.reason,
           settled_at = excluded.settled_at,
           paid_cents = excluded.paid_cents,
           paid_at = excluded.paid_at
  ),
  held as (
    insert into parked (source, position, key, record, error)
    select source, position, key, record, error
      from checked
     cross join json_to_recordset($3)
           as row(source text, position bigint, key text, record json, error text)
  ),
  released as (
    delete from parked
     using checked, json_to_recordset($4) as row(source text, position bigint)
     where parked.source = row.source
       and parked.position = row.position
  )
  select ok
    from checked`;

/** The writer's tables, over the one connection that holds the service's lock. */
export class PlayStore {
  constructor(private readonly client: Pick<Client, 'query'>) {}

  async positions(): Promise<Map<string, SourcePosition>> {
    const { rows } = await this.client.query<SourcePosition>(READ_POSITIONS);
    return new Map(rows.map((row) => [row.source, row]));
  }

  async parkedKeys(): Promise<{ source: string; key: string }[]> {
    return (await this.client.query<{ source: string; key: string }>(READ_PARKED_KEYS)).rows;
  }

  /** In the order of their positions. */
  async parked(source: string, key: string, limit: number): Promise<SourceRecord[]> {
    const { rows } = await this.client.query<{ record: SourceRecord }>(READ_PARKED, [source, key, limit]);
    return rows.map(({ record }) => record);
  }

  async hasParked(source: string, key: string): Promise<boolean> {
    const { rows } = await this.client.query<{ found: boolean }>(HAS_PARKED, [source, key]);
    return rows[0]?.found ?? false;
  }

  /** The stored plays among these, by id. */
  async plays(playIds: readonly string[]): Promise<Map<string, Play>> {
    if (playIds.length === 0) return new Map();
    const { rows } = await this.client.query<PlayRow>(PLAYS_OF_IDS, [playIds]);
    return new Map(rows.map((row) => [row.play_id, playOf(row)]));
  }

  /** @param moves one for every source, also where it stays */
  async store(moves: readonly Move[], { plays, parked, released }: Folded): Promise<void> {
    await this.client.query(STORE, [
      JSON.stringify(moves),
      JSON.stringify(plays.map(rowOf)),
      JSON.stringify(parked),
      JSON.stringify(released.map(({ source, position }) => ({ source, position }))),
    ]);
  }
}
