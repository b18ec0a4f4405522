import { startPostgres, stopPostgresIn } from '../../apps/enjeu/src/embedded/postgres.ts';
import { endings, folderOfThisRun, foldersOfDeadRuns, forget } from './running.ts';

/** Fast rather than durable; a test of durability starts a server of its own. */
const FOR_TESTS = { fsync: 'off', full_page_writes: 'off', max_connections: '300' };

/** Gives the tests of this run a PostgreSQL: `ENJEU_TEST_POSTGRES_URL`, of its superuser. One that is set already is kept. */
export default async function setup(): Promise<void> {
  if (process.env['ENJEU_TEST_POSTGRES_URL']) return;
  await sweep();
  const folder = folderOfThisRun('postgres');
  const postgres = await startPostgres({ dataDir: folder, settings: FOR_TESTS });
  process.env['ENJEU_TEST_POSTGRES_URL'] = postgres.url;
  endings().push(async () => {
    await postgres.stop();
    forget(folder);
    delete process.env['ENJEU_TEST_POSTGRES_URL'];
  });
}

async function sweep(): Promise<void> {
  for (const folder of foldersOfDeadRuns('postgres')) {
    await stopPostgresIn(folder).catch(() => false);
    forget(folder);
  }
}
