import type { Kafka, KafkaMessage } from 'kafkajs';
import { asError, type SourcePosition, type SourceRecord } from '#event-sourcing';
import type { Bus, Follower, Subscription } from './bus.ts';
import { recordOfEnvelope } from './cloud-event.ts';
import { type Bounds, connectTo, ensureTopic, type KafkaConfig, topicOf } from './kafka-client.ts';
import type { BusReports } from './reports.ts';
import { Subscriptions } from './subscriptions.ts';
import type { Pauses } from './supervise.ts';
import { readStretch, readTopic } from './topic-feed.ts';

export interface KafkaBusConfig {
  readonly kafka: KafkaConfig;
  /** For the client's name: the service. */
  readonly who: string;
  /** Most records of one batch. Default 1,000. */
  readonly batch?: number;
  /** Shortest time between two batches for a follower, full ones apart: for one that is better served with few. Default 0. */
  readonly gatherMs?: number;
  readonly pauses?: Pauses;
  readonly reports?: BusReports;
}

/** A tail that was away longer than this many records goes on at the end, and says so. */
const MOST_TO_CATCH_UP = 10_000;

/** How far back a position is looked for near the place where it should be. */
const NEARBY = 1_000;

/** The bus over Kafka: a topic for each source, fed by the relay of its log. */
export class KafkaBus implements Bus {
  readonly #kafka: Kafka;
  readonly #subscriptions: Subscriptions;

  constructor(private readonly config: KafkaBusConfig) {
    this.#kafka = connectTo(config.kafka, config.who);
    this.#subscriptions = new Subscriptions(config.reports, config.pauses);
  }

  async follow(source: string, follower: Follower): Promise<Subscription> {
    const topic = topicOf(this.config.kafka, source);
    const { batch = 1_000, gatherMs = 0, reports } = this.config;
    return this.#subscriptions.start(source, follower.name, async (stopping, healthy) => {
      const bounds = await ensureTopic(this.#kafka, this.config.kafka, topic);
      const from = offsetAfter(await follower.position(), bounds);
      const onMessages = async (messages: readonly KafkaMessage[], end: boolean, behind: number) => {
        const records = this.#recordsOf(source, follower.name, messages);
        for (let i = 0; i < records.length && !stopping.aborted; i += batch) {
          const last = i + batch >= records.length;
          reports?.lag?.(source, follower.name, behind + records.length - i);
          await follower.handle(records.slice(i, i + batch), end && last);
          healthy();
        }
        if (end) reports?.lag?.(source, follower.name, 0);
      };
      await readTopic(this.#kafka, { topic, who: follower.name, from, gatherMs, onMessages }, stopping);
    });
  }

  async tail(
    source: string,
    onRecords: (records: readonly SourceRecord[]) => void,
    interrupted: () => void,
  ): Promise<Subscription> {
    const topic = topicOf(this.config.kafka, source);
    const who = `${this.config.who}.tail`;
    const { promise: ready, resolve } = Promise.withResolvers<void>();
    let next: number | null = null;
    const subscription = this.#subscriptions.start(source, 'tail', async (stopping, healthy) => {
      const { high } = await ensureTopic(this.#kafka, this.config.kafka, topic);
      const missed: boolean = next !== null && (next > high || high - next > MOST_TO_CATCH_UP);
      if (missed) interrupted();
      const from: number = missed ? high : (next ?? high);
      next = from;
      const onJoined = () => {
        healthy();
        resolve();
      };
      const onMessages = async (messages: readonly KafkaMessage[]) => {
        next = offsetBehind(messages);
        const records = this.#recordsOf(source, 'tail', messages);
        if (records.length > 0) onRecords(records);
      };
      await readTopic(this.#kafka, { topic, who, from, gatherMs: 0, onJoined, onMessages }, stopping);
    });
    await subscription.until(ready);
    return subscription;
  }

  /** Rejects when no broker answers within some seconds. */
  async newest(source: string): Promise<SourceRecord | null> {
    const topic = topicOf(this.config.kafka, source);
    const { low, high } = await ensureTopic(this.#kafka, this.config.kafka, topic);
    const stretch = { topic, who: `${this.config.who}.newest`, from: Math.max(low, high - NEARBY), to: high };
    const records = this.#recordsOf(source, 'newest', await readStretch(this.#kafka, stretch));
    return records.reduce<SourceRecord | null>((newest, one) => (newest && !isNewer(one, newest) ? newest : one), null);
  }

  async close(): Promise<void> {
    await this.#subscriptions.stopAll();
  }

  #recordsOf(source: string, who: string, messages: readonly KafkaMessage[]): SourceRecord[] {
    const records: SourceRecord[] = [];
    for (const { value, offset } of messages) {
      try {
        records.push(recordOfEnvelope(source, value?.toString() ?? null, String(Number(offset) + 1)));
      } catch (error) {
        this.config.reports?.unreadable?.(source, who, offset, asError(error));
      }
    }
    return records;
  }
}

/**
 * Where to read on: at the record applied last, which shows that the topic is still the same. Without an offset (the position comes
 * from another bus) or with one that the topic does not have (it was made anew), the position is the guess: a topic holds
 * position n at offset n - 1 or later when records were published again, somewhat earlier when some were lost. What
 * is read too early is dropped by its position, and what is read too late is noticed as a gap.
 */
function offsetAfter(at: SourcePosition | null, { low, high }: Bounds): number {
  if (at === null) return low;
  const offset = at.offset === null ? Number.NaN : Number(at.offset);
  if (offset > low && offset <= high) return offset - 1;
  return at.position > high ? low : Math.max(low, at.position - NEARBY);
}

function offsetBehind(messages: readonly KafkaMessage[]): number {
  return Number(messages.at(-1)?.offset ?? -1) + 1;
}

function isNewer(a: SourceRecord, b: SourceRecord): boolean {
  return a.epoch === b.epoch ? a.position > b.position : a.epoch > b.epoch;
}
