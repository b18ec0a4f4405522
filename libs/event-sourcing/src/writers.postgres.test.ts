import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type pg from 'pg';
import { add, handler, lane, record, runOne, totalOf } from './lane.harness.ts';
import { type LogDatabase, logDatabase } from './postgres-log.harness.ts';
import { openPostgresLog } from './postgres-log.ts';
import { projectInto } from './projector.ts';
import { takeWriterLock } from './writer-lock.ts';

const program = fileURLToPath(new URL('./writer.program.ts', import.meta.url));
const node = ['--conditions=enjeu-source', '--experimental-transform-types', '--disable-warning=ExperimentalWarning'];

let database: LogDatabase;

beforeEach(async () => {
  database = await logDatabase();
});
afterEach(() => database.drop());

async function expectNoGaps(): Promise<number> {
  const events = await (await database.open()).read(0, 100_000);
  const versions = new Map<string, number>();
  for (const [i, { position, stream, version }] of events.entries()) {
    expect(position).toBe(i + 1);
    expect(version).toBe((versions.get(stream) ?? 0) + 1);
    versions.set(stream, version);
  }
  return events.length;
}

async function terminate(client: pg.Client): Promise<void> {
  const { rows } = await client.query('select pg_backend_pid() as pid');
  const other = await database.connect();
  await other.query('select pg_terminate_backend($1)', [rows[0].pid]);
}

/** A standby may hear of its lock before the loser hears of the end of its connection: two sockets have no order. */
async function until(happened: () => boolean): Promise<void> {
  for (let waited_ms = 0; !happened() && waited_ms < 5_000; waited_ms += 10)
    await new Promise((resolve) => setTimeout(resolve, 10));
}

test('appends of several processes at once leave no gap and lose none', async () => {
  const writers = ['one', 'two', 'three', 'four'];
  const outputs = await Promise.all(
    writers.map((name) => promisify(execFile)(process.execPath, [...node, program, database.url, name, '120'])),
  );
  expect(outputs.map(({ stdout }) => stdout.trim())).toEqual(writers.map(() => '120'));
  expect(await expectNoGaps()).toBe(480);
  const log = await database.open();
  expect(await totalOf(log, 'shared')).toBe(240);
  for (const name of writers) expect(await totalOf(log, `of-${name}`)).toBe(60);
});

test('two writers that both believe to be active do no harm', async () => {
  const lanes = [await lane(await database.open()), await lane(await database.open())];
  const projectors = lanes.map((open) =>
    projectInto(open, handler(), { name: 'wallet', newId: randomUUID, onGap: () => undefined }),
  );
  const keys = Array.from({ length: 30 }, () => randomUUID());
  await Promise.all(
    lanes.map(async (open, i) => {
      for (let n = 0; n < 30; n += 3) {
        const records = [n + 1, n + 2, n + 3].map((position) => record(position, { to: 'b', add: 2 }));
        await projectors[i]!.handle(records, true);
        const answers = await open.run(keys.slice(n, n + 3).map((key) => add('a', 1, { key })));
        expect(answers.map(({ kind }) => kind).filter((kind) => kind !== 'decided' && kind !== 'repeated')).toEqual([]);
      }
      await open.stop();
    }),
  );
  const log = await database.open();
  expect([await totalOf(log, 'a'), await totalOf(log, 'b')]).toEqual([30, 60]);
  expect((await log.positions())[0]?.position).toBe(30);
  expect(await expectNoGaps()).toBe(60);
});

test('one process at a time holds the writer’s lock; a standby waits and takes over in seconds', async () => {
  const events: string[] = [];
  const [first, second] = [await database.connect(), await database.connect()];
  await takeWriterLock(first, 'wallet', { onLost: () => events.push('first lost it') });
  const waiting = takeWriterLock(second, 'wallet', {
    onLost: () => events.push('second lost it'),
    onStandby: () => events.push('second stands by'),
    everyMs: 20,
  }).then(() => events.push('second has it'));
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(events).toEqual(['second stands by']);
  const another = await database.connect();
  await takeWriterLock(another, 'issuance', { onLost: () => undefined });
  await first.end();
  await waiting;
  await until(() => events.length === 3);
  expect(events[0]).toBe('second stands by');
  expect(events.slice(1).sort()).toEqual(['first lost it', 'second has it']);
});

test('a standby that is told to stop waits no longer', async () => {
  const [first, second] = [await database.connect(), await database.connect()];
  await takeWriterLock(first, 'wallet', { onLost: () => undefined });
  const stop = new AbortController();
  const waiting = takeWriterLock(second, 'wallet', { onLost: () => undefined, everyMs: 20, signal: stop.signal });
  stop.abort(new Error('stopping'));
  await expect(waiting).rejects.toThrow('stopping');
});

test('a writer whose session the database ends in the middle of its work has lost the lock, and nothing is done twice', async () => {
  const [client, next] = [await database.connect(), await database.connect()];
  const lost: string[] = [];
  await takeWriterLock(client, 'wallet', { onLost: ({ message }) => lost.push(message) });
  const standby = takeWriterLock(next, 'wallet', { onLost: () => undefined, everyMs: 20 });
  let ended = false;
  const first = await lane(await openPostgresLog(client), {
    maxBatch: 5,
    onBroken: () => undefined,
    onRetry(error) {
      if (ended) throw error;
    },
  });
  const keys = Array.from({ length: 200 }, () => randomUUID());
  let acknowledged = 0;
  for (const key of keys) {
    const answer = runOne(first, add('a', 1, { key }));
    void answer.then(() => acknowledged++).catch(() => undefined);
  }
  await terminate(client);
  await standby;
  await until(() => lost.length > 0);
  expect(lost).toHaveLength(1);

  const second = await lane(await openPostgresLog(next));
  const answers = await second.run(keys.map((key) => add('a', 1, { key })));
  await second.stop();
  const kinds = answers.map(({ kind }) => kind);
  expect(new Set(kinds)).toEqual(acknowledged > 0 ? new Set(['repeated', 'decided']) : new Set(kinds));
  expect(kinds.filter((kind) => kind === 'repeated').length).toBeGreaterThanOrEqual(acknowledged);
  expect(await totalOf(await database.open(), 'a')).toBe(200);
  expect(await expectNoGaps()).toBe(200);
  ended = true;
});
