import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { ensureDatabase } from '../../apps/enjeu/src/embedded/databases.ts';

export interface TestDatabase {
  /** Of the superuser, in a database of its own. */
  readonly url: string;
  readonly name: string;
  /** Ends every session in it and drops it. */
  drop(): Promise<void>;
}

/** The url of the tests' PostgreSQL, for the superuser; only in `*.postgres.test.ts` and `*.kafka.test.ts`. */
export function postgresUrl(): string {
  const url = process.env['ENJEU_TEST_POSTGRES_URL'];
  if (!url) throw new Error('no PostgreSQL for this test: its file must end in .postgres.test.ts or .kafka.test.ts');
  return url;
}

/** An empty database that only this test knows. */
export async function freshDatabase(): Promise<TestDatabase> {
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  const url = await ensureDatabase(postgresUrl(), name);
  return {
    url,
    name,
    drop: async () => {
      const client = new pg.Client({ connectionString: postgresUrl() });
      await client.connect();
      await client.query(`drop database if exists ${pg.escapeIdentifier(name)} with (force)`);
      await client.end();
    },
  };
}
