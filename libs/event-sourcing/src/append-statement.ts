import { batchDigest, canonicalLines } from './chain.ts';
import type { Append } from './event-log.ts';
import type { PreparedStatement } from './queryable.ts';

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
 *
 * The parts that this append has nothing for are left out: the server sets up every part of a statement on every execution,
 * which for a small append costs more than its work. Each combination is one prepared statement; a service uses about a dozen.
 */
export function appendStatement(append: Append): PreparedStatement {
  const present = PARTS.filter((part) => part.rows(append).length > 0);
  const name = `enjeu-append-${present.map((part) => part.name).join('-')}`;
  let text = texts.get(name);
  if (text === undefined) {
    text = textOf(present);
    texts.set(name, text);
  }
  return { name, text, values: present.flatMap((part) => part.values(append)) };
}

const texts = new Map<string, string>();

/** One part of the statement with its own parameters: as many as `values` gives, numbered from `first` on. */
interface Part {
  readonly name: string;
  rows(append: Append): readonly unknown[];
  values(append: Append): unknown[];
  /** The common table expressions; `$0` stands for the part's first parameter, `$1` for its second, and so on. */
  readonly tables: string;
  /** The count that must be the number of rows of the first parameter, where the unique indexes do not say it. */
  readonly checked?: string;
}

const HEAD_GROWS = `
  with head as (
    update log_head
       set position = position + cardinality($2::text[]),
           chain = sha256(chain || $0::bytea)
    returning log_id, epoch, position, chain, position - cardinality($2::text[]) as before
  )`;

/** Nothing is appended: the lock is what is wanted. */
const HEAD_STAYS = `
  with head as (
    update log_head
       set position = position
    returning log_id, epoch, position, chain, position as before
  )`;

const EVENTS: Part = {
  name: 'events',
  rows: ({ events }) => events,
  values({ events }) {
    const lines = canonicalLines(events);
    return [
      batchDigest(lines),
      enclosed(lines),
      events.map((event) => event.stream),
      events.map((event) => event.version),
      events.map((event) => event.type),
      events.map((event) => event.schemaVersion),
      events.map((event) => event.occurredAt),
      events.map((event) => event.correlation),
      events.map((event) => event.data),
    ];
  },
  tables: `
  appended as (
    insert into events (position, batch, stream, version, type, schema_version, occurred_at, correlation, data)
    select head.before + e.place, head.before + 1, e.stream, e.version, e.type, e.schema_version, e.occurred_at,
           e.correlation, e.data
      from head
     cross join unnest($2::text[], $3::bigint[], $4::text[], $5::int[], $6::timestamptz[], $7::uuid[], $8::json[])
           with ordinality as e (stream, version, type, schema_version, occurred_at, correlation, data, place)
  ),
  batch as (
    insert into batches (first, last, digest, chain)
    select head.before + 1, head.position, $0::bytea, head.chain
      from head
  )`,
};

const NOTIFIED = `pg_notify('${LOG_CHANNEL}', epoch || ' ' || (before + 1) || ' ' || position || $1::text)`;

const CHANGED: Part = {
  name: 'changed',
  rows: ({ states }) => states.filter((change) => change.from > 0),
  values: ({ states }) => {
    const changed = states.filter((change) => change.from > 0);
    return [
      changed.map((change) => change.id),
      changed.map((change) => change.from),
      changed.map((change) => change.to),
      changed.map((change) => JSON.stringify(change.state)),
    ];
  },
  tables: `
  changed as (
    update states
       set version = c.version,
           state = c.state
      from head
     cross join unnest($0::text[], $1::bigint[], $2::bigint[], $3::json[]) as c (id, was, version, state)
     where states.id = c.id
       and states.version = c.was
    returning 1
  )`,
  checked: 'changed',
};

const CREATED: Part = {
  name: 'created',
  rows: ({ states }) => states.filter((change) => change.from === 0),
  values: ({ states }) => {
    const created = states.filter((change) => change.from === 0);
    return [
      created.map((change) => change.id),
      created.map((change) => change.to),
      created.map((change) => JSON.stringify(change.state)),
    ];
  },
  tables: `
  created as (
    insert into states (id, version, state)
    select c.id, c.version, c.state
      from head
     cross join unnest($0::text[], $1::bigint[], $2::json[]) as c (id, version, state)
        on conflict (id) do nothing
    returning 1
  )`,
  checked: 'created',
};

const SPENT: Part = {
  name: 'spent',
  rows: ({ keys }) => keys,
  values: ({ keys }) => [
    keys.map((key) => key.owner),
    keys.map((key) => key.key),
    keys.map((key) => key.requestHash),
    keys.map((key) => JSON.stringify(key.decision)),
  ],
  tables: `
  spent as (
    insert into keys (owner, key, request_hash, decision)
    select k.owner, k.key, decode(k.request_hash, 'hex'), k.decision
      from head
     cross join unnest($0::text[], $1::text[], $2::text[], $3::json[]) as k (owner, key, request_hash, decision)
  )`,
};

const MOVED: Part = {
  name: 'moved',
  rows: ({ positions }) => positions.filter((move) => move.from > 0),
  values: ({ positions }) => {
    const moved = positions.filter((move) => move.from > 0);
    return [
      moved.map((move) => move.source),
      moved.map((move) => move.epoch),
      moved.map((move) => move.from),
      moved.map((move) => move.position),
      moved.map((move) => move.offset),
    ];
  },
  tables: `
  moved as (
    update positions
       set position = m.position,
           "offset" = m.resume
      from head
     cross join unnest($0::text[], $1::int[], $2::bigint[], $3::bigint[], $4::text[])
           as m (source, epoch, was, position, resume)
     where positions.source = m.source
       and positions.epoch = m.epoch
       and positions.position = m.was
    returning 1
  )`,
  checked: 'moved',
};

const PLACED: Part = {
  name: 'placed',
  rows: ({ positions }) => positions.filter((move) => move.from === 0),
  values: ({ positions }) => {
    const placed = positions.filter((move) => move.from === 0);
    return [
      placed.map((move) => move.source),
      placed.map((move) => move.epoch),
      placed.map((move) => move.position),
      placed.map((move) => move.offset),
    ];
  },
  tables: `
  placed as (
    insert into positions (source, epoch, position, "offset")
    select m.source, m.epoch, m.position, m.resume
      from head
     cross join unnest($0::text[], $1::int[], $2::bigint[], $3::text[]) as m (source, epoch, position, resume)
        on conflict (source) do nothing
    returning 1
  )`,
  checked: 'placed',
};

const PARKING: Part = {
  name: 'parking',
  rows: ({ parked }) => parked,
  values: ({ parked }) => [
    parked.map((row) => row.source),
    parked.map((row) => row.position),
    parked.map((row) => row.key),
    parked.map((row) => JSON.stringify(row.record)),
    parked.map((row) => row.error),
  ],
  tables: `
  parking as (
    insert into parked (source, position, key, record, error)
    select p.source, p.position, p.key, p.record, p.error
      from head
     cross join unnest($0::text[], $1::bigint[], $2::text[], $3::json[], $4::text[])
           as p (source, position, key, record, error)
  )`,
};

const UNPARKED: Part = {
  name: 'unparked',
  rows: ({ unparked }) => unparked,
  values: ({ unparked }) => [unparked.map((row) => row.source), unparked.map((row) => row.position)],
  tables: `
  unparked as (
    delete from parked
     using head
     cross join unnest($0::text[], $1::bigint[]) as u (source, position)
     where parked.source = u.source
       and parked.position = u.position
    returning 1
  )`,
  checked: 'unparked',
};

/** The events first, so that their parameters are the statement's first. */
const PARTS: readonly Part[] = [EVENTS, CHANGED, CREATED, SPENT, MOVED, PLACED, PARKING, UNPARKED];

function textOf(parts: readonly Part[]): string {
  const grows = parts.includes(EVENTS);
  const tables = [grows ? numbered(HEAD_GROWS, 1) : HEAD_STAYS];
  const checks: string[] = [];
  let first = 1;
  for (const part of parts) {
    tables.push(numbered(part.tables, first));
    if (part.checked) checks.push(numbered(`(select count(*) from ${part.checked}) = cardinality($0::text[])`, first));
    first += part.values(NOTHING).length;
  }
  return `${tables.join(',')}
  select log_id,
         epoch,
         before,
         position,
         encode(chain, 'hex') as chain,
         1 / (case when ${['true', ...checks].join('\n                    and ')} then 1 else 0 end) as checked${
           grows ? `,\n         ${numbered(NOTIFIED, 1)} as notified` : ''
         }
    from head`;
}

const NOTHING: Append = { events: [], states: [], keys: [], positions: [], parked: [], unparked: [] };

/** The part's own parameters `$0`, `$1`, … as those of the whole statement, from `first` on. */
function numbered(text: string, first: number): string {
  return text.replaceAll(/\$(\d+)/g, (_, place: string) => `$${first + Number(place)}`);
}

/** What follows the positions in the notification: the batch itself while it fits (64 bytes are the positions' share). */
function enclosed(lines: string): string {
  if (lines.length + 64 > NOTIFICATION_LIMIT_BYTES) return '';
  return Buffer.byteLength(lines) + 64 > NOTIFICATION_LIMIT_BYTES ? '' : `\n${lines}`;
}
