/** A step of the log's tables, forward only. The name ends in the time by which migration runners order them. */
export interface LogMigration {
  readonly name: string;
  readonly statements: readonly string[];
}

const EVENTS = `
  create table events (
    position       bigint primary key,
    batch          bigint not null,
    version        bigint not null,
    occurred_at    timestamptz(3) not null,
    schema_version int not null,
    correlation    uuid,
    stream         text not null,
    type           text not null,
    data           json not null
  )`;

const EVENTS_STREAM_VERSION = `
  create unique index events_stream_version
      on events (stream, version)`;

const BATCHES = `
  create table batches (
    first  bigint primary key,
    last   bigint not null unique,
    digest bytea not null,
    chain  bytea not null
  )`;

const LOG_HEAD = `
  create table log_head (
    singleton boolean primary key default true check (singleton),
    log_id    uuid not null,
    epoch     int not null,
    position  bigint not null,
    chain     bytea not null
  ) with (fillfactor = 10, autovacuum_vacuum_threshold = 500, autovacuum_vacuum_scale_factor = 0)`;

const FIRST_HEAD = `
  insert into log_head (log_id, epoch, position, chain)
  select id, 1, 0, sha256('enjeu-log/1'::bytea || uuid_send(id))
    from (select uuidv7() as id) made`;

const STATES = `
  create table states (
    id      text primary key,
    version bigint not null,
    state   json not null
  ) with (fillfactor = 70)`;

const KEYS = `
  create table keys (
    owner        text not null,
    key          text not null,
    request_hash bytea not null,
    decision     json not null,
    primary key (owner, key)
  )`;

const POSITIONS = `
  create table positions (
    source   text primary key,
    epoch    int not null,
    position bigint not null,
    "offset" text
  ) with (fillfactor = 10)`;

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

const RELAY = `
  create table relay (
    singleton boolean primary key default true check (singleton),
    cursor    bigint not null
  ) with (fillfactor = 10)`;

const FIRST_CURSOR = `
  insert into relay (cursor) values (0)`;

/** Consumers on the postgres bus read another service's log under this role, and nothing else of its database. */
const GRANT_TO_READERS = `
  do $$
  begin
    if exists (select from pg_roles where rolname = 'enjeu_reader') then
      grant select on events, log_head, batches to enjeu_reader;
    end if;
  end
  $$`;

/** The log's own tables, in order. Needs PostgreSQL 18 (`uuidv7`). */
export const LOG_MIGRATIONS: readonly LogMigration[] = [
  {
    name: 'EventLog1700000000000',
    statements: [
      EVENTS,
      EVENTS_STREAM_VERSION,
      BATCHES,
      LOG_HEAD,
      FIRST_HEAD,
      STATES,
      KEYS,
      POSITIONS,
      PARKED,
      PARKED_KEY,
      RELAY,
      FIRST_CURSOR,
      GRANT_TO_READERS,
    ],
  },
];
