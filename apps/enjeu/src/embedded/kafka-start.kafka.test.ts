import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import kafkajs from 'kafkajs';
import { findKafka, type RunningKafka, startKafka, stopKafkaIn } from './kafka.ts';

const { PATH, KAFKA_BROKERS } = process.env;
const folders: string[] = [];
const started: RunningKafka[] = [];

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'enjeu-kafka-'));
  folders.push(made);
  return made;
}

async function topics(brokers: string): Promise<string[]> {
  const kafka = new kafkajs.Kafka({ brokers: [brokers], logLevel: kafkajs.logLevel.NOTHING });
  const admin = kafka.admin();
  await admin.connect();
  try {
    return (await admin.listTopics()).filter((name) => !name.startsWith('__'));
  } finally {
    await admin.disconnect();
  }
}

async function make(brokers: string, topic: string): Promise<void> {
  const admin = new kafkajs.Kafka({ brokers: [brokers], logLevel: kafkajs.logLevel.NOTHING }).admin();
  await admin.connect();
  await admin.createTopics({ topics: [{ topic, numPartitions: 1 }], waitForLeaders: true });
  await admin.disconnect();
}

afterEach(async () => {
  process.env['PATH'] = PATH;
  if (KAFKA_BROKERS === undefined) delete process.env['KAFKA_BROKERS'];
  else process.env['KAFKA_BROKERS'] = KAFKA_BROKERS;
  for (const broker of started.splice(0)) await broker.kill9();
  for (const made of folders.splice(0)) rmSync(made, { recursive: true, force: true });
});

test('topics and port outlast kill -9 and a restart, and a broker that was left behind is taken over and stopped', async () => {
  const dataDir = folder();
  const broker = await startKafka({ dataDir });
  started.push(broker);
  await make(broker.brokers, 'kept');
  await broker.kill9();
  expect(broker.running()).toBe(false);
  await broker.restart();
  expect(await topics(broker.brokers)).toEqual(['kept']);

  const taken = await startKafka({ dataDir });
  expect([taken.takenOver, taken.brokers]).toEqual([true, broker.brokers]);
  expect(await stopKafkaIn(dataDir)).toBe(true);
  expect([taken.running(), await stopKafkaIn(dataDir)]).toEqual([false, false]);
}, 90_000);

test('a port that another program has is refused by name', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => other.once('listening', resolve));
  const { port } = other.address() as { port: number };
  await expect(startKafka({ dataDir: folder(), port })).rejects.toThrow(
    `port ${port}, which Kafka wants, is taken by another program: free it or choose another.`,
  );
  other.close();
});

test('a folder that cannot be used is refused by name', async () => {
  const file = join(folder(), 'a-file');
  writeFileSync(file, '');
  await expect(startKafka({ dataDir: file })).rejects.toThrow(/^Kafka cannot use its data folder .*a-file: /);
});

test('a machine without Java is told what to install', async () => {
  process.env['PATH'] = '/nowhere';
  await expect(startKafka({ dataDir: folder() })).rejects.toThrow(
    /^Kafka needs Java, which is not there: install Java 17 or newer and Maven .* or set KAFKA_BROKERS/,
  );
});

test('KAFKA_BROKERS wins, and stopping leaves that broker alone', async () => {
  process.env['PATH'] = '/nowhere';
  process.env['KAFKA_BROKERS'] = 'broker-1:9092,broker-2:9092';
  const found = await findKafka({ dataDir: folder() });
  await found.stop();
  expect([found.brokers, found.running()]).toEqual(['broker-1:9092,broker-2:9092', true]);
});
