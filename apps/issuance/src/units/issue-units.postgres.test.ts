import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { LOG_MIGRATIONS, openPostgresLog } from '#event-sourcing';
import { openTables, sqlMigration } from '#service';
import { freshDatabase } from '../../../../test/setup/database.ts';
import { CreateSealedBlocks } from '../blocks/sealed-block.migration.ts';
import { SealedBlock, SealedBlocks, SealingCheck } from '../blocks/sealed-block.ts';
import { issuingSuite } from './issuing.suite.ts';
import { IndexOutcomes } from './outcomes.migration.ts';

const logTables = LOG_MIGRATIONS.map(({ name, statements }) => sqlMigration(name, statements));

issuingSuite(async () => {
  const database = await freshDatabase();
  const dataSource = await openTables(database.url, 'issuance', {
    entities: [SealedBlock, SealingCheck],
    migrations: [...logTables, CreateSealedBlocks, IndexOutcomes],
  });
  const writer = new pg.Client({ connectionString: database.url });
  await writer.connect();
  const log = await openPostgresLog(writer);
  return {
    log,
    sealed: new SealedBlocks({ dataSource }, randomBytes(32), randomBytes),
    async close() {
      await writer.end();
      await dataSource.destroy();
      await database.drop();
    },
  };
});
