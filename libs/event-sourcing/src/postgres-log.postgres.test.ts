import { logContract } from './log-contract.ts';
import { logDatabase } from './postgres-log.harness.ts';
import type { PostgresLog } from './postgres-log.ts';

logContract('PostgreSQL', async () => {
  const database = await logDatabase();
  const log: PostgresLog = await database.open();
  return { log, close: () => database.drop() };
});
