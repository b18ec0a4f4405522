/** Channel on which a log says that it has grown. */
export const LOG_CHANNEL = 'enjeu_log';

/** A notification carries the batch's lines while the whole stays below this; PostgreSQL's own limit is 8,000 bytes. */
export const NOTIFICATION_LIMIT_BYTES = 7_900;

/**
 * The only statement that writes on the hot path. It takes one row lock first, that of the head: every writing part
 * reads from the head's UPDATE, so appends follow each other and positions have no gaps. The statement's snapshot is older than
 * the wait for that lock; so each check counts the rows that an UPDATE, a DELETE or an INSERT … ON CONFLICT returned, which see
 * what was committed meanwhile, and a check that fails divides by zero (22012). Keys, parked records and events are
 * plain inserts, whose unique indexes speak for themselves.
 */
export const APPEND = `
  with head as (
    update log_head
       set position = position + $1::bigint,
           chain = case when $1::bigint > 0 then sha256(chain || $2::bytea) else chain end
    returning log_id, epoch, position, chain, position - $1::bigint as before
  ),
  appended as (
    insert into events (position, batch, stream, version, type, schema_version, occurred_at, correlation, data)
    select head.before + e.place, head.before + 1, e.stream, e.version, e.type, e.schema_version, e.occurred_at,
           e.correlation, e.data
      from head
     cross join unnest($3::text[], $4::bigint[], $5::text[], $6::int[], $7::timestamptz[], $8::uuid[], $9::json[])
           with ordinality as e (stream, version, type, schema_version, occurred_at, correlation, data, place)
  ),
  batch as (
    insert into batches (first, last, digest, chain)
    select head.before + 1, head.position, $2::bytea, head.chain
      from head
     where head.position > head.before
  ),
  changed as (
    update states
       set version = c.version,
           state = c.state
      from head
     cross join unnest($10::text[], $11::bigint[], $12::bigint[], $13::json[]) as c (id, was, version, state)
     where states.id = c.id
       and states.version = c.was
       and c.was > 0
    returning 1
  ),
  created as (
    insert into states (id, version, state)
    select c.id, c.version, c.state
      from head
     cross join unnest($10::text[], $11::bigint[], $12::bigint[], $13::json[]) as c (id, was, version, state)
     where c.was = 0
        on conflict (id) do nothing
    returning 1
  ),
  spent as (
    insert into keys (owner, key, request_hash, decision)
    select k.owner, k.key, decode(k.request_hash, 'hex'), k.decision
      from head
     cross join unnest($14::text[], $15::text[], $16::text[], $17::json[]) as k (owner, key, request_hash, decision)
  ),
  moved as (
    update positions
       set position = m.position,
           "offset" = m.resume
      from head
     cross join unnest($18::text[], $19::int[], $20::bigint[], $21::bigint[], $22::text[])
           as m (source, epoch, was, position, resume)
     where positions.source = m.source
       and positions.epoch = m.epoch
       and positions.position = m.was
       and m.was > 0
    returning 1
  ),
  placed as (
    insert into positions (source, epoch, position, "offset")
    select m.source, m.epoch, m.position, m.resume
      from head
     cross join unnest($18::text[], $19::int[], $20::bigint[], $21::bigint[], $22::text[])
           as m (source, epoch, was, position, resume)
     where m.was = 0
        on conflict (source) do nothing
    returning 1
  ),
  parking as (
    insert into parked (source, position, key, record, error)
    select p.source, p.position, p.key, p.record, p.error
      from head
     cross join unnest($23::text[], $24::bigint[], $25::text[], $26::json[], $27::text[])
           as p (source, position, key, record, error)
  ),
  unparked as (
    delete from parked
     using head
     cross join unnest($28::text[], $29::bigint[]) as u (source, position)
     where parked.source = u.source
       and parked.position = u.position
    returning 1
  )
  select log_id,
         epoch,
         before,
         position,
         encode(chain, 'hex') as chain,
         1 / (case
                when (select count(*) from changed) + (select count(*) from created) = cardinality($10::text[])
                 and (select count(*) from moved) + (select count(*) from placed) = cardinality($18::text[])
                 and (select count(*) from unparked) = cardinality($28::text[])
                then 1
                else 0
              end) as checked,
         case
           when position > before
           then pg_notify('${LOG_CHANNEL}', epoch || ' ' || (before + 1) || ' ' || position || $30::text)
         end as notified
    from head`;

/** Rows by their primary keys; states and keys in one round trip. It takes no lock. */
export const LOAD = `
  select s.id as name,
         null as key,
         s.version,
         s.state::text as content,
         null as request_hash
    from states s
   where s.id = any($1::text[])
  union all
  select k.owner,
         k.key,
         null,
         k.decision::text,
         encode(k.request_hash, 'hex')
    from unnest($2::text[], $3::text[]) as wanted (owner, key)
    join keys k on k.owner = wanted.owner
     and k.key = wanted.key`;

/**
 * For the writer's session. Its two prepared statements probe indexes by a few hundred values; planned once on nearly
 * empty tables they would keep sequential scans after these have grown.
 */
export const PLAN_FOR_GROWTH = `
  set plan_cache_mode = force_generic_plan;
  set enable_seqscan = off;
  set enable_bitmapscan = off;
  set enable_hashjoin = off;
  set enable_mergejoin = off;
  set jit = off`;

/** Events in order from a position on, by the primary key; it takes no lock, and appends leave no gap to wait for. */
export const READ_EVENTS = `
  select position, batch, stream, version, type, schema_version, correlation,
         (extract(epoch from occurred_at) * 1000)::bigint as occurred_ms,
         data::text as data
    from events
   where position > $1
   order by position
   limit $2`;

export const READ_HEAD = `
  select log_id, epoch, position, encode(chain, 'hex') as chain
    from log_head`;

/** Batches that end above a position, in order; it takes no lock. */
export const READ_BATCHES = `
  select first, last, encode(digest, 'hex') as digest, encode(chain, 'hex') as chain
    from batches
   where last > $1
   order by last
   limit $2`;

/** Highest and lowest position there are, whatever the head says. */
export const READ_BOUNDS = `
  select coalesce(min(position), 1) as lowest,
         coalesce(max(position), 0) as highest
    from events`;

export const READ_POSITIONS = `
  select source, epoch, position, "offset"
    from positions
   order by source`;

/** In order of source and position: by the primary key, or by the index on the key; it takes no lock. */
export const READ_PARKED = `
  select source, position, key, record::text as record, error,
         (extract(epoch from parked_at) * 1000)::bigint as parked_ms
    from parked
   where ($1::text is null or key = $1)
     and ($2::text is null or source = $2)
   order by source, position
   limit $3`;

export const READ_PARKED_KEYS = `
  select distinct source, key
    from parked`;
