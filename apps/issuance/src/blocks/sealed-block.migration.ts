import { sqlMigration } from '#service';

const SEALED_BLOCKS = `
  create table sealed_blocks (
    block_id      uuid primary key,
    emission_id   uuid not null,
    regulation    text not null,
    stake_cents   integer not null,
    size          bigint not null,
    root          text not null,
    table_digest  text not null,
    coarse_level  bytea not null,
    sealed_secret bytea not null,
    sealed_deck   bytea not null,
    entry         integer unique,
    sealed_at     timestamptz(3) not null
  )`;

const WITHOUT_ENTRY = `
  create index sealed_blocks_without_entry
      on sealed_blocks (block_id)
   where entry is null`;

const SEALING_CHECK = `
  create table sealing_check (
    id     smallint primary key check (id = 1),
    sealed bytea not null
  )`;

export const CreateSealedBlocks = sqlMigration('CreateSealedBlocks1704067201000', [
  SEALED_BLOCKS,
  WITHOUT_ENTRY,
  SEALING_CHECK,
]);

/**
 * Decks are sealed by stretches from here on, and stored so that one stretch can be read alone. What was sealed whole is
 * forgotten: it follows from the block's secret, and is derived and sealed again at the next start.
 */
export const SealDecksByStretches = sqlMigration('SealDecksByStretches1796083200000', [
  `
  alter table sealed_blocks
    alter column sealed_deck drop not null,
    alter column sealed_deck set storage external`,
  'update sealed_blocks set sealed_deck = null',
]);
