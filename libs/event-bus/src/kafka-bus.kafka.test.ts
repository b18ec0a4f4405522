import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { firstChain, type RecordedEvent } from '#event-sourcing';
import { freshDatabase, type TestDatabase } from '../../../test/setup/database.ts';
import { type RunningKafka, startKafka } from '../../../test/setup/servers.ts';
import type { Bus } from './bus.ts';
import { type BusRig, busContract, Ledger, TestFollower, until } from './bus-contract.ts';
import { envelopeOf } from './cloud-event.ts';
import { KafkaBus } from './kafka-bus.ts';
import { connectTo, type KafkaConfig, SHARD, topicOf } from './kafka-client.ts';
import { PostgresBus } from './postgres-bus.ts';
import { type Relay, startRelay } from './relay.ts';
import type { BusReports } from './reports.ts';
import { TestLog } from './test-log.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'enjeu-kafka-bus-'));
/** A broker of its own, which can be killed; none where KAFKA_BROKERS names one that cannot. */
let broker: RunningKafka | null = null;
let brokers: string;

beforeAll(async () => {
  if (!process.env['KAFKA_BROKERS']) broker = await startKafka({ dataDir });
  brokers = broker?.brokers ?? (process.env['KAFKA_BROKERS'] as string);
}, 120_000);
afterAll(async () => {
  await broker?.stop();
  rmSync(dataDir, { recursive: true, force: true });
}, 60_000);

class KafkaRig implements BusRig {
  readonly #buses: Bus[] = [];
  readonly kafka: KafkaConfig = { brokers: brokers.split(','), prefix: `test.${randomUUID()}.` };
  #relay: Relay | null = null;

  static async open(): Promise<KafkaRig> {
    const database = await freshDatabase();
    const rig = new KafkaRig(database, await TestLog.open(database.url));
    await rig.startRelay();
    return rig;
  }

  private constructor(
    private readonly database: TestDatabase,
    readonly source: TestLog,
  ) {}

  async startRelay(): Promise<Relay> {
    const { logId, epoch } = await this.source.head();
    const { readAfter, readCursor, moveCursor } = this.source;
    const origin = { source: 'wallet', logId, epoch };
    this.#relay = startRelay({ origin, kafka: this.kafka, readAfter, readCursor, moveCursor });
    return this.#relay;
  }

  async stopRelay(): Promise<void> {
    await this.#relay?.stop();
    this.#relay = null;
  }

  bus(options: { readonly batch?: number; readonly gatherMs?: number; readonly reports?: BusReports } = {}): KafkaBus {
    const bus = new KafkaBus({ kafka: this.kafka, who: 'test', ...options });
    this.#buses.push(bus);
    return bus;
  }

  async append(count: number, filler?: string) {
    const events = await this.source.append(count, filler);
    this.#relay?.offer(events);
    return events;
  }

  async settled(): Promise<void> {
    const { position } = await this.source.head();
    await until(async () => (await this.source.readCursor()) === position, 'all are published');
  }

  read: BusRig['read'] = (after, limit) => this.source.readAfter(after, limit);
  firstChain = async () => firstChain((await this.source.head()).logId);
  chain = async () => (await this.source.head()).chain;

  /** The cursor passes over them: they are in the log and never were on the topic. */
  async lose(count: number): Promise<void> {
    await this.stopRelay();
    const from = await this.source.readCursor();
    await this.source.append(count);
    await this.source.moveCursor(from, from + count);
    await this.startRelay();
  }

  async publishAgain(position: number): Promise<void> {
    await this.#relay?.moveBack(position);
  }

  crash = broker
    ? async () => {
        await broker?.kill9();
        return async () => broker?.restart();
      }
    : null;

  /** Puts something on the topic that is no record of the log. */
  async spoil(value: string | null): Promise<void> {
    const producer = connectTo(this.kafka, 'spoiler').producer();
    await producer.connect();
    await producer.send({ topic: topicOf(this.kafka, 'wallet'), messages: [{ value, partition: SHARD }] });
    await producer.disconnect();
  }

  async close(): Promise<void> {
    await Promise.all([...this.#buses.map((bus) => bus.close()), this.stopRelay()]);
    await this.source.close();
    await this.database.drop();
  }
}

describe('the bus on Kafka', () => busContract(KafkaRig.open));

describe('a topic', () => {
  let rig: KafkaRig;
  beforeEach(async () => {
    rig = await KafkaRig.open();
  }, 60_000);
  afterEach(() => rig.close(), 60_000);

  const follower = (ledger = new Ledger()) => new TestFollower(ledger, (position) => rig.publishAgain(position));
  const upTo = (last: number) => Array.from({ length: last }, (_, i) => i + 1);
  const positions = (ledger: Ledger) => ledger.applied.map(({ position }) => position);

  test('a record whose envelope cannot be read is said, passed over, and stops nobody', async () => {
    const one = follower();
    const unreadable: string[] = [];
    const reports: BusReports = {
      unreadable: (_source, _who, offset, error) => unreadable.push(`${offset} ${error.message}`),
    };
    await rig.append(3);
    await rig.bus({ reports }).follow('wallet', one);
    await until(() => one.ledger.position === 3, 'the first arrive');
    for (const value of ['{', null, '[1]', '{"specversion":"1.0","source":"/enjeu/issuance"}']) await rig.spoil(value);
    await rig.append(3);
    await until(() => one.ledger.position === 6, 'the others arrive');
    expect(unreadable).toEqual(['3 not JSON', '4 not JSON', '5 not an object', '6 from another source than wallet']);
  }, 60_000);

  test('a follower goes on with the other bus where it was, there and back', async () => {
    const ledger = new Ledger();
    const postgres = () => new PostgresBus({ logs: { wallet: rig.source.url } });
    await rig.stopRelay();
    let at = 0;
    for (const kind of ['postgres', 'kafka', 'postgres', 'kafka'] as const) {
      const bus = kind === 'kafka' ? rig.bus() : postgres();
      if (kind === 'kafka') await rig.startRelay();
      await bus.follow('wallet', follower(ledger));
      for (let i = 0; i < 3; i++) await rig.append(7);
      at += 21;
      await until(() => ledger.position === at, `all arrive over ${kind}`);
      await bus.close();
      if (kind === 'kafka') await rig.stopRelay();
    }
    expect(positions(ledger)).toEqual(upTo(84));
  }, 60_000);

  test('a topic that was lost and made anew, with the stored offset beyond its end, is read from where it matters', async () => {
    const ledger = new Ledger();
    await rig.append(10);
    const bus = rig.bus();
    const first = await bus.follow('wallet', follower(ledger));
    await until(() => ledger.position === 10, 'the first arrive');
    await first.stop();
    await rig.stopRelay();
    const admin = connectTo(rig.kafka, 'test').admin();
    await admin.connect();
    await admin.deleteTopics({ topics: [topicOf(rig.kafka, 'wallet')] });
    await admin.disconnect();
    await rig.startRelay();
    await rig.append(4);
    await rig.settled();
    await bus.follow('wallet', follower(ledger));
    await until(() => ledger.position === 14, 'the others arrive');
    expect(positions(ledger)).toEqual(upTo(14));
  }, 60_000);

  test('the newest record is the one with the highest position, also after some were published again', async () => {
    const bus = rig.bus();
    expect(await bus.newest('wallet')).toBeNull();
    await rig.append(30);
    await rig.settled();
    expect((await bus.newest('wallet'))?.position).toBe(30);
    const [third] = await rig.read(2, 1);
    const { logId, epoch } = await rig.source.head();
    await rig.spoil(envelopeOf({ source: 'wallet', logId, epoch }, third as RecordedEvent).value);
    await rig.spoil('{');
    expect((await bus.newest('wallet'))?.position).toBe(30);
  }, 60_000);

  test('it is made with one partition that keeps everything', async () => {
    await rig.append(1);
    await rig.settled();
    const admin = connectTo(rig.kafka, 'test').admin();
    await admin.connect();
    const topic = topicOf(rig.kafka, 'wallet');
    const described = await admin.describeConfigs({ includeSynonyms: false, resources: [{ type: 2, name: topic }] });
    const { topics } = await admin.fetchTopicMetadata({ topics: [topic] });
    await admin.disconnect();
    const settings = new Map(
      described.resources[0]?.configEntries.map((entry) => [entry.configName, entry.configValue]),
    );
    expect([topics[0]?.partitions.length, settings.get('retention.ms'), settings.get('cleanup.policy')]).toEqual([
      1,
      '-1',
      'delete',
    ]);
  }, 60_000);
});
