import type { Client, Pool } from 'pg';
import { appendFailure } from './append-failure.ts';
import { appendStatement } from './append-statement.ts';
import { checkAppend } from './check-append.ts';
import { timeText } from './clock.ts';
import type { Append, Appended, EventLog, KeyRef, LogHead, RecordedEvent } from './event-log.ts';
import {
  LOAD,
  PLAN_FOR_GROWTH,
  READ_BATCHES,
  READ_BOUNDS,
  READ_EVENTS,
  READ_HEAD,
  READ_PARKED,
  READ_PARKED_KEYS,
  READ_POSITIONS,
} from './log-statements.ts';
import type { Queryable } from './queryable.ts';
import type { Batch, LogReader } from './verify-log.ts';

export interface PostgresLogOptions {
  /** For head, read, positions and parked. Default: the writer's own connection, between its appends. */
  readonly reader?: Pool | Client;
}

/**
 * The event log of a service over a connection that is used for nothing else; its planner settings are changed for the session.
 * A pool will not do: the writer's lock is held by this very connection. Losing it ends the log.
 */
export async function openPostgresLog(writer: Client, options: PostgresLogOptions = {}): Promise<PostgresLog> {
  await writer.query(PLAN_FOR_GROWTH);
  return new PostgresLog(writer, options.reader);
}

/** Reads a service's log under any role that may select `events`, `batches` and `log_head`. */
export function postgresLogReader(database: Queryable): LogReader {
  return {
    head: async () => headOf(await onlyRow(database, READ_HEAD)),
    read: async (after, limit) => (await rowsOf(database, READ_EVENTS, [after, limit])).map(eventOf),
    batches: async (after, limit) => (await rowsOf(database, READ_BATCHES, [after, limit])).map(batchOf),
    bounds: async () => {
      const { lowest, highest } = await onlyRow(database, READ_BOUNDS);
      return { lowest: integer(lowest), highest: integer(highest) };
    },
  };
}

export class PostgresLog implements EventLog, LogReader {
  readonly #writer: Queryable;
  readonly #reader: Queryable;
  readonly #history: LogReader;

  constructor(writer: Client, reader?: Pool | Client) {
    this.#writer = explained(oneAtATime(writer));
    this.#reader = reader ? explained(reader) : this.#writer;
    this.#history = postgresLogReader(this.#reader);
  }

  async append(append: Append): Promise<Appended> {
    checkAppend(append);
    const { rows } = await this.#writer.query(appendStatement(append));
    const row = rows[0];
    return { first: integer(row.before) + 1, last: integer(row.position), head: headOf(row) };
  }

  async load(states: readonly string[], keys: readonly KeyRef[]): ReturnType<EventLog['load']> {
    const values = [states, keys.map(({ owner }) => owner), keys.map(({ key }) => key)];
    const { rows } = await this.#writer.query({ name: 'enjeu-load', text: LOAD, values });
    return loadedOf(states, rows);
  }

  head(): Promise<LogHead> {
    return this.#history.head();
  }

  read(after: number, limit: number): Promise<RecordedEvent[]> {
    return this.#history.read(after, limit);
  }

  batches(after: number, limit: number): Promise<Batch[]> {
    return this.#history.batches(after, limit);
  }

  bounds(): ReturnType<LogReader['bounds']> {
    return this.#history.bounds();
  }

  async positions(): ReturnType<EventLog['positions']> {
    const rows = await rowsOf(this.#reader, READ_POSITIONS);
    return rows.map((row) => ({ ...row, position: integer(row.position) }));
  }

  async parked(filter: Parameters<EventLog['parked']>[0]): ReturnType<EventLog['parked']> {
    const rows = await rowsOf(this.#reader, READ_PARKED, [filter.key ?? null, filter.source ?? null, filter.limit]);
    return rows.map(({ source, position, key, record, error, parked_ms }) => ({
      source,
      position: integer(position),
      key,
      record: JSON.parse(record),
      error,
      parkedAt: timeText(integer(parked_ms)),
    }));
  }

  parkedKeys(): ReturnType<EventLog['parkedKeys']> {
    return rowsOf(this.#reader, READ_PARKED_KEYS);
  }
}

// biome-ignore lint/suspicious/noExplicitAny: a row is what the statement selects.
type Row = any;

function loadedOf(ids: readonly string[], rows: readonly Row[]): Awaited<ReturnType<EventLog['load']>> {
  const states = new Map(ids.map((id) => [id, { id, version: 0, state: null as unknown }]));
  const keys = [];
  for (const { name, key, version, content, request_hash } of rows) {
    if (key === null) states.set(name, { id: name, version: integer(version), state: JSON.parse(content) });
    else keys.push({ owner: name, key, requestHash: request_hash, decision: JSON.parse(content) });
  }
  return { states: [...states.values()], keys };
}

function headOf(row: Row): LogHead {
  return { logId: row.log_id, epoch: row.epoch, position: integer(row.position), chain: row.chain };
}

function eventOf(row: Row): RecordedEvent {
  return {
    position: integer(row.position),
    batch: integer(row.batch),
    stream: row.stream,
    version: integer(row.version),
    type: row.type,
    schemaVersion: row.schema_version,
    occurredAt: timeText(integer(row.occurred_ms)),
    correlation: row.correlation,
    data: row.data,
  };
}

function batchOf(row: Row): Batch {
  return { first: integer(row.first), last: integer(row.last), digest: row.digest, chain: row.chain };
}

/** PostgreSQL's bigint comes as text; what is not a safe integer must not be rounded. */
function integer(value: unknown): number {
  const number = Number(value);
  if (!Number.isSafeInteger(number)) throw new RangeError(`not a safe integer: ${value}`);
  return number;
}

async function rowsOf(database: Queryable, text: string, values: unknown[] = []): Promise<Row[]> {
  const { rows } = await database.query(text, values);
  return rows;
}

async function onlyRow(database: Queryable, text: string): Promise<Row> {
  const [row] = await rowsOf(database, text);
  if (!row) throw new Error('the log has no head: its tables were never migrated');
  return row;
}

/** Everything that a query of the log throws is an AppendError, but for faults of the program. */
function explained(database: Queryable): Queryable {
  return {
    query: (statement, values) =>
      database.query(statement, values).catch((error: unknown) => {
        throw appendFailure(error);
      }),
  };
}

/** One connection runs one query at a time: those that come meanwhile wait here, not in the client. */
function oneAtATime(client: Client): Queryable {
  let last: Promise<unknown> = Promise.resolve();
  return {
    query(statement, values) {
      const run = last.then(() => (client as Queryable).query(statement, values));
      last = run.catch(() => undefined);
      return run;
    },
  };
}
