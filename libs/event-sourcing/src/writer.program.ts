import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { openLane } from './group-commit.ts';
import { add } from './lane.harness.ts';
import { openPostgresLog } from './postgres-log.ts';

/**
 * A writer of its own process, for the tests: `writer.program.ts URL NAME WORKS` adds 1 to the counter that all writers
 * share and to one of its own, WORKS times, and prints how many were acknowledged.
 */
const [url, name, works] = process.argv.slice(2);
const client = new pg.Client({ connectionString: url });
await client.connect();
const lane = await openLane(await openPostgresLog(client), { newId: randomUUID, maxBatch: 7 });
const answers = await lane.run(
  Array.from({ length: Number(works) }, (_, i) => add(i % 2 === 0 ? 'shared' : `of-${name}`, 1, { key: randomUUID() })),
);
await lane.stop();
await client.end();
console.log(answers.filter(({ kind }) => kind === 'decided').length);
