import type { Client } from 'pg';
import { type KeySet, publicKeyEntry, type SignedHead, signHead, signingKey } from '#fairness';
import { add, lane } from './lane.harness.ts';
import { assertNotBehind } from './log-behind.ts';
import { type LogDatabase, logDatabase } from './postgres-log.harness.ts';
import type { PostgresLog } from './postgres-log.ts';
import { verifyLog } from './verify-log.ts';

const key = signingKey(new Uint8Array(32).fill(7));
const keys: KeySet = { keys: [publicKeyEntry(key, 'log', '2009-01-01T00:00:00.000Z')] };

let database: LogDatabase;
let log: PostgresLog;
let vandal: Client;
let head: SignedHead;

/** Five batches of two events; the head is signed at the end. */
beforeEach(async () => {
  database = await logDatabase();
  log = await database.open();
  vandal = await database.connect();
  const open = await lane(log);
  for (let i = 1; i <= 5; i++) await open.run([add('a', i), add('b', i)]);
  head = signHead({ ...(await log.head()), signedAt: '2009-02-05T12:00:00.000Z' }, key);
});
afterEach(() => database.drop());

async function faultOf(): Promise<unknown> {
  const { fault } = await verifyLog(log, { signedHeads: [head], keys, page: 3 });
  return fault && [fault.kind, fault.position];
}

async function sql(...statements: string[]): Promise<void> {
  for (const statement of statements) await vandal.query(statement);
}

const INSERT = `insert into events select $, 9, 99, occurred_at, schema_version, correlation, stream, type, data from events where position = 4`;

test('a log that nobody touched is found whole', async () => {
  expect(await faultOf()).toBeNull();
});

test.each([
  ['data', `'{"amount":9}'`],
  ['data', `'{ "amount":2}'`],
  ['occurred_at', `occurred_at + interval '1 millisecond'`],
  ['stream', `'counter-z'`],
  ['version', '7'],
  ['type', `'Subtracted'`],
  ['schema_version', '2'],
  ['correlation', 'gen_random_uuid()'],
  ['batch', '1'],
])('a changed %s is found', async (column, value) => {
  await sql(`update events set ${column} = ${value} where position = 4`);
  const [kind, position] = (await faultOf()) as [string, number];
  expect(kind).toBe('row-changed');
  expect([3, 4]).toContain(position);
});

test('a removed row is found, in the middle and at the end', async () => {
  await sql('delete from events where position = 10');
  expect(await faultOf()).toEqual(['row-removed', 10]);
  await sql('delete from events where position = 6');
  expect(await faultOf()).toEqual(['row-removed', 6]);
});

test('a removed batch is found, with its events or without', async () => {
  await sql('delete from batches where first = 5');
  expect(await faultOf()).toEqual(['row-removed', 5]);
  await sql('delete from events where position in (5, 6)');
  expect(await faultOf()).toEqual(['row-removed', 5]);
});

test('an inserted row is found, before the first, above the head, and between the others', async () => {
  await sql(INSERT.replace('$', '0'));
  expect(await faultOf()).toEqual(['row-inserted', 0]);
  await sql('delete from events where position = 0', INSERT.replace('$', '12'));
  expect(await faultOf()).toEqual(['row-inserted', 12]);
  await sql('delete from events where position = 12');
  await sql('update events set position = -position where position > 4', INSERT.replace('$', '5'));
  await sql('update events set position = 1 - position where position < 0');
  expect(await faultOf()).toEqual(['row-inserted', 11]);
});

test('a tail that was cut with its batches and its head is found by the signed head, and such a log does not serve', async () => {
  await sql(
    'delete from events where position > 6',
    'delete from batches where first > 6',
    'update log_head set position = 6, chain = (select chain from batches where last = 6)',
  );
  expect(await faultOf()).toEqual(['tail-cut', 6]);
  await expect(assertNotBehind(log, { signedHead: head, keys, busRecord: null })).rejects.toThrow('log-behind-bus');
});

test('a head that was moved is found', async () => {
  await sql(`update log_head set chain = sha256('x')`);
  expect(await faultOf()).toEqual(['chain-broken', 10]);
  await sql('update log_head set position = 11');
  expect(await faultOf()).toEqual(['row-removed', 11]);
});

test('a log in which a row stands above the head appends nothing more, and blames no one', async () => {
  await sql(INSERT.replace('$', '11'));
  const retries: string[] = [];
  const open = await lane(await database.open(), { onRetry: ({ message }) => retries.push(message) });
  const waiting = open.run([add('a', 1)]);
  while (retries.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  expect(retries[0]).toContain('events_pkey');
  await sql('delete from events where position = 11');
  expect((await waiting).map(({ kind }) => kind)).toEqual(['decided']);
  expect(await faultOf()).toBeNull();
});
