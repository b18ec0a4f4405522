import pg from 'pg';
import { freshDatabase } from '../../../test/setup/database.ts';
import { LOG_MIGRATIONS } from './log-migrations.ts';
import { openPostgresLog, type PostgresLog } from './postgres-log.ts';

/** The second wall of a wallet, as its own migration makes it. */
const OUTCOME_INDEX = `
  create unique index events_outcome_of_play
      on events (correlation)
   where type in ('PrizeCredited', 'StakeRefunded')`;

/** A database with the log's tables, for the tests of this library. */
export interface LogDatabase {
  readonly url: string;
  /** A connection that may be lost without ending the test. */
  connect(): Promise<pg.Client>;
  /** A log over a connection of its own. */
  open(): Promise<PostgresLog>;
  drop(): Promise<void>;
}

export async function logDatabase(): Promise<LogDatabase> {
  const { url, drop } = await freshDatabase();
  const clients: pg.Client[] = [];
  const connect = async (): Promise<pg.Client> => {
    const client = new pg.Client({ connectionString: url });
    client.on('error', () => undefined);
    clients.push(client);
    await client.connect();
    return client;
  };
  await migrate(await connect());
  return {
    url,
    connect,
    open: async () => openPostgresLog(await connect()),
    drop: async () => {
      for (const client of clients) await client.end().catch(() => undefined);
      await drop();
    },
  };
}

async function migrate(client: pg.Client): Promise<void> {
  for (const { statements } of LOG_MIGRATIONS) {
    for (const statement of statements) await client.query(statement);
  }
  await client.query(OUTCOME_INDEX);
}
