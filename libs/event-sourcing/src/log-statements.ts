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
 * For the writer's session. Its prepared statements probe indexes by a few hundred values; planned once on nearly
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
