import { randomUUID } from 'node:crypto';
import pg from 'pg';
import {
  LOG_MIGRATIONS,
  type LogHead,
  moveRelayCursor,
  type NewEvent,
  openPostgresLog,
  type PostgresLog,
  type RecordedEvent,
  readRelayCursor,
} from '#event-sourcing';

const NOTHING_ELSE = { states: [], keys: [], positions: [], parked: [], unparked: [] };

/** A real log in a database of its own, for the tests of this folder. */
export class TestLog {
  #made = 0;

  static async open(url: string): Promise<TestLog> {
    const writer = await connect(url);
    const made = await writer.query("select to_regclass('events') is not null as there");
    if (!made.rows[0].there) {
      for (const { statements } of LOG_MIGRATIONS) for (const statement of statements) await writer.query(statement);
    }
    const other = new pg.Pool({ connectionString: url, max: 4 });
    other.on('error', () => undefined);
    return new TestLog(url, writer, other, await openPostgresLog(writer, { reader: other }));
  }

  private constructor(
    readonly url: string,
    private readonly writer: pg.Client,
    private readonly other: pg.Pool,
    readonly log: PostgresLog,
  ) {}

  head(): Promise<LogHead> {
    return this.log.head();
  }

  /** Appends this many events in one append; returns them as they are recorded. */
  async append(count: number, filler = 'é'): Promise<RecordedEvent[]> {
    const events = Array.from({ length: count }, () => this.#event(filler));
    const { first } = await this.log.append({ ...NOTHING_ELSE, events });
    return events.map((event, i) => ({ ...event, position: first + i, batch: first }));
  }

  readonly readAfter = (after: number, limit: number): Promise<RecordedEvent[]> => this.log.read(after, limit);
  readonly readCursor = (): Promise<number> => readRelayCursor(this.other);
  readonly moveCursor = (from: number, to: number): Promise<boolean> => moveRelayCursor(this.other, from, to);

  async query<Row extends pg.QueryResultRow>(sql: string): Promise<Row[]> {
    return (await this.other.query<Row>(sql)).rows;
  }

  async close(): Promise<void> {
    await Promise.all([this.writer.end(), this.other.end()]);
  }

  #event(filler: string): NewEvent {
    const n = ++this.#made;
    const play = randomUUID();
    const odd = n % 2 === 1;
    return {
      stream: odd ? `account-${play}` : `block-${play}`,
      version: n,
      type: odd ? 'StakeDebited' : 'UnitIssued',
      schemaVersion: 1,
      occurredAt: new Date(Date.UTC(2009, 1, 5, 12) + n).toISOString(),
      correlation: odd ? play : null,
      data: odd
        ? `{"10":1,"9":[1,{"b":null}],"n":${n},"playId":"${play}","playerId":"${play}","text":"${filler}"}`
        : `{"n":${n},"text":"\\"\\\\${filler}"}`,
    };
  }
}

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  return client;
}
