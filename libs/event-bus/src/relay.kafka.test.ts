import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freshDatabase, type TestDatabase } from '../../../test/setup/database.ts';
import { type RunningKafka, startKafka } from '../../../test/setup/servers.ts';
import { until } from './bus-contract.ts';
import { recordOfEnvelope } from './cloud-event.ts';
import { connectTo, ensureTopic, type KafkaConfig, topicOf } from './kafka-client.ts';
import { type Relay, type RelayFault, type RelayOptions, startRelay } from './relay.ts';
import { TestLog } from './test-log.ts';
import { readStretch } from './topic-feed.ts';

let database: TestDatabase;
let log: TestLog;
let kafka: KafkaConfig;
const relays: Relay[] = [];
const frozen: (() => void)[] = [];

beforeEach(async () => {
  database = await freshDatabase();
  log = await TestLog.open(database.url);
  const brokers = process.env['ENJEU_TEST_KAFKA_BROKERS'] as string;
  kafka = { brokers: brokers.split(','), prefix: `relay.${randomUUID()}.` };
}, 60_000);

afterEach(async () => {
  for (const release of frozen.splice(0)) release();
  await Promise.all(relays.splice(0).map((relay) => relay.stop()));
  await log.close();
  await database.drop();
}, 60_000);

async function relay(options: Partial<RelayOptions> = {}): Promise<Relay> {
  const { logId, epoch } = await log.head();
  const { readAfter, readCursor, moveCursor } = log;
  const origin = { source: 'wallet', logId, epoch };
  const started = startRelay({ origin, kafka, readAfter, readCursor, moveCursor, ...options });
  relays.push(started);
  return started;
}

/** A fault that never lets go, as if the process had died there, until the test ends or releases it. */
function dieAt(
  where: RelayFault,
  time: number,
): { readonly fault: NonNullable<RelayOptions['fault']>; readonly died: Promise<void>; release(): void } {
  const died = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  frozen.push(released.resolve);
  let times = 0;
  const fault = async (point: RelayFault) => {
    if (point !== where || ++times !== time) return;
    died.resolve();
    await released.promise;
  };
  return { fault, died: died.promise, release: released.resolve };
}

/** Positions as they stand on the topic, from the beginning to its present end. */
async function published(): Promise<number[]> {
  const client = connectTo(kafka, 'test');
  const topic = topicOf(kafka, 'wallet');
  const { high } = await ensureTopic(client, kafka, topic);
  const messages = await readStretch(client, { topic, who: 'test', from: 0, to: high });
  return messages.map(({ value, offset }) => recordOfEnvelope('wallet', value?.toString() ?? null, offset).position);
}

/** What a consumer keeps: each position once, and only when it follows on the one before. */
function kept(positions: readonly number[]): number {
  return positions.reduce((at, position) => (position === at + 1 ? position : at), 0);
}

const allPublished = (count: number) => async () => (await log.readCursor()) === count;

test('what is offered is published once and in order, and the cursor follows', async () => {
  const one = await relay();
  for (const count of [1, 50, 3, 700]) one.offer(await log.append(count));
  await until(allPublished(754), 'the cursor arrives');
  expect(await published()).toEqual(Array.from({ length: 754 }, (_, i) => i + 1));
}, 60_000);

test('what was appended before it started, and what was never offered, is found in the log', async () => {
  await log.append(1_200);
  const one = await relay({ pollMs: 200 });
  await until(allPublished(1_200), 'the backlog is published');
  await log.append(5);
  await until(allPublished(1_205), 'what was not offered is found');
  await log.append(5);
  one.offer(await log.append(5));
  await until(allPublished(1_215), 'the hole in the offers is read from the log');
  expect(await published()).toEqual(Array.from({ length: 1_215 }, (_, i) => i + 1));
}, 60_000);

test('memory holds no more than it may: what is beyond is read from the log', async () => {
  const { fault, died, release } = dieAt('chosen', 1);
  let read = 0;
  const readAfter: RelayOptions['readAfter'] = async (after, limit) => {
    const events = await log.readAfter(after, limit);
    read += events.length;
    return events;
  };
  const one = await relay({ held: { records: 100, size: 1_000_000 }, fault, readAfter });
  one.offer(await log.append(1));
  await died;
  for (let i = 0; i < 50; i++) one.offer(await log.append(30));
  release();
  await until(allPublished(1_501), 'all are published');
  expect(read).toBeGreaterThanOrEqual(1_400);
  expect(await published()).toEqual(Array.from({ length: 1_501 }, (_, i) => i + 1));
}, 60_000);

describe.each<RelayFault>(['chosen', 'sent', 'moved'])('a relay that dies when a batch is %s', (where) => {
  test.each([1, 3])(
    'time %i: the next one leaves nothing out, and the dead one, when it wakes, does no harm',
    async (time) => {
      const { fault, died, release } = dieAt(where, time);
      const first = await relay({ fault, batch: 10 });
      for (let i = 0; i < 8; i++) first.offer(await log.append(9));
      await died;
      const second = await relay({ batch: 7 });
      second.offer(await log.append(9));
      await until(allPublished(81), 'the second takes over');
      release();
      second.offer(await log.append(9));
      await until(allPublished(90), 'the second goes on');
      await Promise.all(relays.splice(0).map((one) => one.stop()));
      expect(kept(await published())).toBe(90);
      expect(await log.readCursor()).toBe(90);
    },
    60_000,
  );
});

test('records are published again from the position that a consumer names', async () => {
  const one = await relay();
  one.offer(await log.append(20));
  await until(allPublished(20), 'all are published');
  expect(await one.moveBack(15)).toBe(true);
  await until(async () => (await published()).length === 25, 'they are published again');
  expect((await published()).slice(20)).toEqual([16, 17, 18, 19, 20]);
  await until(allPublished(20), 'the cursor returns');
  expect(await one.moveBack(20)).toBe(false);
  one.offer(await log.append(1));
  await until(allPublished(21), 'and it goes on');
}, 60_000);

test('a cursor that another process has moved back is noticed', async () => {
  const one = await relay({ pollMs: 100 });
  one.offer(await log.append(10));
  await until(allPublished(10), 'all are published');
  await log.moveCursor(10, 4);
  await until(async () => kept((await published()).slice(10).map((position) => position - 4)) === 6, 'published again');
}, 60_000);

test('a cursor that another process has moved back is noticed while events keep coming', async () => {
  const one = await relay({ pollMs: 60_000 });
  one.offer(await log.append(10));
  await until(allPublished(10), 'all are published');
  await log.moveCursor(10, 4);
  one.offer(await log.append(5));
  await until(allPublished(15), 'the cursor arrives');
  expect((await published()).slice(15)).toEqual([5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]);
}, 60_000);

test('a stop publishes what is left, and then does not wait', async () => {
  const one = await relay({ drainMs: 30_000 });
  for (let i = 0; i < 20; i++) one.offer(await log.append(200));
  const before = performance.now();
  await one.stop();
  expect(performance.now() - before).toBeLessThan(10_000);
  expect(await log.readCursor()).toBe(4_000);
}, 60_000);

test('a stop without a broker ends in time, and the next start publishes what was left', async () => {
  const away = await relay({ kafka: { ...kafka, brokers: ['127.0.0.1:9'] }, drainMs: 200 });
  away.offer(await log.append(10));
  await sleep(100);
  const before = performance.now();
  await away.stop();
  expect(performance.now() - before).toBeLessThan(8_000);
  await relay();
  await until(allPublished(10), 'the next publishes them');
}, 60_000);

describe('a broker of its own', () => {
  let dataDir: string;
  let broker: RunningKafka;
  beforeAll(async () => {
    dataDir = mkdtempSync(join(tmpdir(), 'enjeu-relay-'));
    if (!process.env['KAFKA_BROKERS']) broker = await startKafka({ dataDir });
  }, 120_000);
  afterAll(async () => {
    await broker?.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }, 60_000);

  test('killed in the middle of sends and started again: nothing is left out', async () => {
    if (!broker) return;
    kafka = { ...kafka, brokers: [broker.brokers] };
    const one = await relay();
    let appended = 0;
    const appending = (async () => {
      for (let i = 0; i < 300; i++) {
        const events = await log.append(40);
        appended += events.length;
        one.offer(events);
        await sleep(10);
      }
    })();
    for (let i = 0; i < 2; i++) {
      await sleep(500);
      await broker.kill9();
      await sleep(300);
      await broker.restart();
    }
    await appending;
    await until(async () => (await log.readCursor()) === appended, 'all are published');
    expect(appended).toBe(12_000);
    expect(kept(await published())).toBe(12_000);
  }, 120_000);
});
