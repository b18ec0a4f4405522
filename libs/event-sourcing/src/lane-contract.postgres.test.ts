import { laneContract } from './lane-contract.ts';
import { logDatabase } from './postgres-log.harness.ts';

laneContract(
  'PostgreSQL',
  async () => {
    const database = await logDatabase();
    return { log: await database.open(), close: () => database.drop() };
  },
  12,
);
