import pg from 'pg';
import { freshDatabase, postgresUrl } from '../../../../test/setup/database.ts';
import { asRole, ensureDatabase, ensureRole, inDatabase } from './databases.ts';

test('a role is made once, at once from several sides, and then has the newest password', async () => {
  await Promise.all(['a', 'b', 'c'].map((password) => ensureRole(postgresUrl(), 'made_once', password)));
  const url = await ensureRole(postgresUrl(), 'made_once', "it's new");
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  expect((await client.query('select current_user as me')).rows).toEqual([{ me: 'made_once' }]);
  await client.end();
  const old = new pg.Client({ connectionString: asRole(postgresUrl(), 'made_once', 'a') });
  await expect(old.connect()).rejects.toThrow(/password authentication failed/);
});

test('a database is made once, at once from several sides, and belongs to its owner', async () => {
  await ensureRole(postgresUrl(), 'its_owner', 'x');
  const made = await Promise.all([1, 2, 3].map(() => ensureDatabase(postgresUrl(), 'made once', 'its_owner')));
  expect(new Set(made)).toEqual(new Set([inDatabase(postgresUrl(), 'made once')]));
  const client = new pg.Client({ connectionString: asRole(made[0] as string, 'its_owner', 'x') });
  await client.connect();
  await client.query('create schema mine');
  await client.end();
});

test('a fresh database is empty and goes even while somebody is connected', async () => {
  const database = await freshDatabase();
  const client = new pg.Client({ connectionString: database.url });
  client.on('error', () => undefined);
  await client.connect();
  await database.drop();
  const again = new pg.Client({ connectionString: database.url });
  await expect(again.connect()).rejects.toThrow(/does not exist/);
});
