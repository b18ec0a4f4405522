import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { LOG_CHANNEL } from './append-statement.ts';
import { canonicalLines } from './chain.ts';
import { logContract, NOTHING, someEvent, someParked } from './log-contract.ts';
import { type LogDatabase, logDatabase } from './postgres-log.harness.ts';
import { openPostgresLog, postgresLogReader } from './postgres-log.ts';
import { moveRelayCursor, readRelayCursor } from './relay-cursor.ts';

logContract('PostgreSQL', async () => {
  const database = await logDatabase();
  return { log: await database.open(), close: () => database.drop() };
});

describe('the log in PostgreSQL', () => {
  let database: LogDatabase;

  beforeEach(async () => {
    database = await logDatabase();
  });
  afterEach(() => database.drop());

  test('an append notifies with its positions, and with the lines as they are hashed while they fit', async () => {
    const listener = await database.connect();
    const payloads: (string | undefined)[] = [];
    listener.on('notification', ({ payload }) => payloads.push(payload));
    await listener.query(`listen ${LOG_CHANNEL}`);
    const log = await database.open();
    const small = [someEvent({ data: '{"text":"Arrêt"}' }), someEvent({ version: 2 })];
    const fitting = (bytes: number) =>
      someEvent({ stream: `fit-${bytes}`, data: JSON.stringify('é'.repeat(bytes / 2)) });
    await log.append({ ...NOTHING, events: small });
    await log.append({ ...NOTHING, states: [{ id: 'a', from: 0, to: 1, state: 1 }] });
    await log.append({ ...NOTHING, events: [fitting(7_700)] });
    await log.append({ ...NOTHING, events: [fitting(7_900)] });
    await listener.query('select 1');
    expect(payloads).toEqual([
      `1 1 2\n${canonicalLines(small)}`,
      `1 3 3\n${canonicalLines([fitting(7_700)])}`,
      '1 4 4',
    ]);
    for (const payload of payloads) expect(Buffer.byteLength(payload!)).toBeLessThan(7_900);
  });

  test('the plans of the writer probe indexes, although they were made on empty tables', async () => {
    const client = await database.connect();
    const log = await openPostgresLog(client);
    const parked = someParked(1, 'p', 'wallet');
    const at = { source: 'wallet', epoch: 1, offset: null };
    await log.load(['a'], [{ owner: 'p', key: 'k' }]);
    await log.append({
      ...NOTHING,
      states: [{ id: 'a', from: 0, to: 1, state: {} }],
      positions: [{ ...at, from: 0, position: 1 }],
      parked: [parked],
    });
    await log.append({
      events: [someEvent()],
      states: [{ id: 'a', from: 1, to: 2, state: {} }],
      keys: [{ owner: 'p', key: 'k', requestHash: '0'.repeat(64), decision: {} }],
      positions: [{ ...at, from: 1, position: 2 }],
      parked: [],
      unparked: [parked],
    });
    const prepared = await client.query<{ name: string; parameters: number }>(
      `select name, cardinality(parameter_types) as parameters from pg_prepared_statements where name like 'enjeu-%'`,
    );
    const plans = new Map<string, string>();
    for (const { name, parameters } of prepared.rows) {
      const nulls = Array.from({ length: parameters }, () => 'null').join(', ');
      const { rows } = await client.query(`explain execute "${name}" (${nulls})`);
      plans.set(name, rows.map((row) => row['QUERY PLAN']).join('\n'));
    }
    expect([...plans.keys()].sort()).toEqual([
      'enjeu-append-created-placed-parking',
      'enjeu-append-events-changed-spent-moved-unparked',
      'enjeu-load',
    ]);
    const whole = [...plans.values()].join('\n');
    expect(whole).not.toMatch(/Seq Scan on (states|keys|positions|parked|events)/);
    for (const index of ['states_pkey', 'keys_pkey', 'positions_pkey', 'parked_pkey']) {
      expect(whole).toMatch(new RegExp(`Index (Only )?Scan using ${index}`));
    }
  });

  test('appends go on while somebody else reads, and reads of the lane’s own connection wait their turn', async () => {
    const log = await database.open();
    const events = Array.from({ length: 10 }, (_, i) => someEvent({ stream: `s-${i}` }));
    const results = await Promise.all(
      events.flatMap((event) => [log.append({ ...NOTHING, events: [event] }), log.head(), log.read(0, 100)]),
    );
    expect(results).toHaveLength(30);
    expect((await log.head()).position).toBe(10);
  });

  test('a session that the database ended makes the log unavailable, not the values guilty', async () => {
    const client = await database.connect();
    const log = await openPostgresLog(client);
    const { rows } = await client.query('select pg_backend_pid() as pid');
    await (await database.connect()).query('select pg_terminate_backend($1)', [rows[0].pid]);
    for (let i = 0; i < 3; i++) {
      const append = log.append({ ...NOTHING, events: [someEvent()] });
      await expect(append).rejects.toMatchObject({ name: 'AppendError', failure: 'unavailable' });
    }
    await expect(log.load(['a'], [])).rejects.toMatchObject({ failure: 'unavailable' });
  });

  test.each([
    ['a statement that takes too long', `set statement_timeout = '50ms'`],
    ['a database that takes no writes', 'set default_transaction_read_only = on'],
  ])('%s makes the log unavailable', async (_, setting) => {
    const client = await database.connect();
    const log = await openPostgresLog(client);
    await client.query(setting);
    const holder = await database.connect();
    await holder.query('begin');
    await holder.query('select from log_head for update');
    await expect(log.append(NOTHING)).rejects.toMatchObject({ failure: 'unavailable' });
    await holder.query('rollback');
  });

  test('the relay’s cursor moves by compare-and-set, also back', async () => {
    const client = await database.connect();
    expect(await readRelayCursor(client)).toBe(0);
    expect(await moveRelayCursor(client, 0, 500)).toBe(true);
    expect(await moveRelayCursor(client, 0, 700)).toBe(false);
    expect(await moveRelayCursor(client, 500, 20)).toBe(true);
    expect(await readRelayCursor(client)).toBe(20);
  });
});

/** Roles belong to the whole server: this one may have been made by another test. */
const MAKE_READER = `
  do $$
  begin
    create role enjeu_reader;
  exception
    when duplicate_object or unique_violation then null;
  end
  $$`;

test('a reader of the log reads it, and nothing else of its database', async () => {
  const earlier = await logDatabase();
  await (await earlier.connect()).query(MAKE_READER);
  await earlier.drop();

  const database = await logDatabase();
  const correlation = randomUUID();
  await (await database.open()).append({ ...NOTHING, events: [someEvent({ correlation })] });
  const client: pg.Client = await database.connect();
  await client.query('set role enjeu_reader');
  const reader = postgresLogReader(client);
  expect((await reader.head()).position).toBe(1);
  expect(await reader.read(0, 10)).toEqual([{ ...someEvent({ correlation }), position: 1, batch: 1 }]);
  expect(await reader.batches(0, 10)).toHaveLength(1);
  expect(await reader.bounds()).toEqual({ lowest: 1, highest: 1 });
  for (const table of ['states', 'keys', 'parked', 'positions', 'relay']) {
    await expect(client.query(`select from ${table}`)).rejects.toMatchObject({ code: '42501' });
  }
  await expect(client.query('delete from events')).rejects.toMatchObject({ code: '42501' });
  await database.drop();
});
