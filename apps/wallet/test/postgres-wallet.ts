import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { DataSource } from 'typeorm';
import { LOG_MIGRATIONS, openLane, openPostgresLog, projectInto, type SourceRecord, type Work } from '#event-sourcing';
import { freshDatabase } from '../../../test/setup/database.ts';
import { CreateHolders1704067201000 } from '../src/account/holders.migration.ts';
import { Holder } from '../src/account/holders.ts';
import { IndexPlays1704067202000 } from '../src/account/plays.migration.ts';
import { SettlePlays } from '../src/account/settle-plays.ts';
import { Statement } from '../src/account/statement.ts';
import { IssuanceRecords } from './issuance-records.ts';

/** The wallet's tables, log and lane in a PostgreSQL database of its own, without HTTP and without a bus. */
export async function postgresWallet() {
  const database = await freshDatabase();
  const dataSource = await migrated(database.url);
  const writer = new pg.Client({ connectionString: database.url });
  await writer.connect();
  const log = await openPostgresLog(writer);
  const incidents: string[] = [];
  const lane = await openLane(log, { newId: randomUUID, onIncident: ({ kind }) => incidents.push(kind) });
  const statement = new Statement({ dataSource });
  const settle = new SettlePlays((playIds) => statement.debitsOfPlays(playIds));
  const projector = projectInto(lane, settle, { name: 'wallet', newId: randomUUID, onGap: () => {} });
  return {
    dataSource,
    log,
    lane,
    statement,
    settle,
    incidents,
    issuance: new IssuanceRecords(),
    run: (...works: Work<unknown>[]) => lane.run(works),
    /** Hands records over as the bus does, and waits until their effects are stored. */
    async receive(...records: SourceRecord[]): Promise<void> {
      await projector.handle(records, true);
      await lane.run([NOTHING]);
    },
    async close(): Promise<void> {
      projector.stop();
      await lane.stop();
      await writer.end();
      await dataSource.destroy();
      await database.drop();
    },
  };
}

const NOTHING: Work<null> = { states: [], decide: () => ({ answer: null }) };

async function migrated(url: string): Promise<DataSource> {
  const dataSource = await new DataSource({
    type: 'postgres',
    url,
    entities: [Holder],
    migrations: [CreateHolders1704067201000, IndexPlays1704067202000],
  }).initialize();
  for (const { statements } of LOG_MIGRATIONS) for (const statement of statements) await dataSource.query(statement);
  await dataSource.runMigrations();
  return dataSource;
}
