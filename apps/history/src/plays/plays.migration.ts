import { sqlMigration } from '#service';

const PLAYS = `
  create table plays (
    play_id         uuid primary key,
    player_id       uuid not null,
    block_id        uuid,
    wallet_position bigint,
    stake_cents     bigint,
    prize_cents     bigint,
    paid_cents      bigint,
    placed_at       timestamptz(3),
    settled_at      timestamptz(3),
    paid_at         timestamptz(3),
    sequence        int,
    unit_index      int,
    game            text,
    regulation      text,
    mode            text,
    mechanic        text,
    reason          text,
    seed            bytea,
    script_digest   bytea
  ) with (fillfactor = 85)`;

/** A player's history: its pages are one backward scan. */
const PLAYS_OF_PLAYER = `
  create index plays_of_player
      on plays (player_id, wallet_position)
   where wallet_position is not null`;

/** No reference to plays: the marks outlive a rebuild of what they mark. */
const SEEN = `
  create table seen (
    play_id uuid primary key,
    seen_at timestamptz(3) not null
  )`;

const POSITIONS = `
  create table positions (
    source   text primary key,
    epoch    int not null,
    position bigint not null,
    "offset" text
  ) with (fillfactor = 10)`;

/** Both sources stand from the beginning, so that every write can check both; epoch 0 means that nothing came yet. */
const NOTHING_APPLIED = `
  insert into positions (source, epoch, position)
  values ('wallet', 0, 0), ('issuance', 0, 0)`;

const PARKED = `
  create table parked (
    source    text not null,
    position  bigint not null,
    key       text not null,
    record    json not null,
    error     text not null,
    parked_at timestamptz(3) not null default clock_timestamp(),
    primary key (source, position)
  )`;

const PARKED_KEY = `
  create index parked_key
      on parked (key, source, position)`;

/** The history's own tables, in order. Each migration's name ends in the time by which they are ordered. */
export const HISTORY_MIGRATIONS = [
  sqlMigration('CreatePlays1704067200000', [
    PLAYS,
    PLAYS_OF_PLAYER,
    SEEN,
    POSITIONS,
    NOTHING_APPLIED,
    PARKED,
    PARKED_KEY,
  ]),
];
