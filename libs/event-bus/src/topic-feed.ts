import { randomUUID } from 'node:crypto';
import type { Consumer, EachBatchPayload, Kafka, KafkaMessage } from 'kafkajs';
import { asError } from '#event-sourcing';
import { SHARD } from './kafka-client.ts';
import { pause } from './supervise.ts';

export interface TopicFeedOptions {
  readonly topic: string;
  /** Who reads, for the name of the consumer group. */
  readonly who: string;
  /** Offset of the first record to read; within the topic's bounds. */
  readonly from: number;
  /** Shortest time between two fetches that reach the end, in milliseconds; no delay after a quiet time. */
  readonly gatherMs: number;
  /** Called once reading is sure to go on from `from`. */
  readonly onJoined?: () => void;
  /**
   * Called with one fetch at a time, in order; while it runs, the next fetch is read and no further one. A rejection ends the feed.
   *
   * @param end nothing more was in the topic when it was fetched
   * @param behind records in the topic after these
   */
  readonly onMessages: (messages: readonly KafkaMessage[], end: boolean, behind: number) => Promise<void>;
}

const HEARTBEAT_MS = 2_000;

/**
 * Reads a topic's one partition from an offset until `stopping` is aborted; rejects when the connection or `onMessages` fails.
 *
 * Every feed is the only member of a consumer group of its own, so that it waits for nobody else's session to expire, and no committed
 * offset has a say in where it reads.
 */
export async function readTopic(kafka: Kafka, options: TopicFeedOptions, stopping: AbortSignal): Promise<void> {
  const consumer = kafka.consumer({
    groupId: `enjeu.${options.who}.${options.topic}.${randomUUID()}`,
    sessionTimeout: 30_000,
    heartbeatInterval: HEARTBEAT_MS,
    maxWaitTimeInMs: 100,
    minBytes: 1,
    maxBytesPerPartition: 1_048_576,
    allowAutoTopicCreation: false,
    retry: { initialRetryTime: 100, maxRetryTime: 1_000, retries: 5, restartOnFailure: async () => false },
  });
  await new TopicFeed(consumer, options, stopping).run();
}

const ATTEMPTS = 20;

/**
 * Reads the records from an offset up to another one, which exist. A broker that has just started refuses consumers for a moment; rejects when
 * it does for longer.
 */
export async function readStretch(
  kafka: Kafka,
  stretch: { readonly topic: string; readonly who: string; readonly from: number; readonly to: number },
): Promise<KafkaMessage[]> {
  for (let attempt = 1; ; attempt++) {
    const found: KafkaMessage[] = [];
    const done = new AbortController();
    const onMessages = async (messages: readonly KafkaMessage[]) => {
      found.push(...messages.filter(({ offset }) => Number(offset) < stretch.to));
      if (Number(messages.at(-1)?.offset ?? -1) + 1 >= stretch.to) done.abort();
    };
    try {
      if (stretch.from < stretch.to) await readTopic(kafka, { ...stretch, gatherMs: 0, onMessages }, done.signal);
      return found;
    } catch (error) {
      if (attempt === ATTEMPTS) throw error;
      await pause(250, done.signal);
    }
  }
}

class TopicFeed {
  #next: number;
  #handling: Promise<void> = Promise.resolve();
  #gaveAt = Number.NEGATIVE_INFINITY;
  /** What was read ahead is not handed over after what could not be handled. */
  #refused = false;
  readonly #failed = Promise.withResolvers<never>();

  constructor(
    private readonly consumer: Consumer,
    private readonly options: TopicFeedOptions,
    private readonly stopping: AbortSignal,
  ) {
    this.#next = options.from;
    this.#failed.promise.catch(() => undefined);
  }

  async run(): Promise<void> {
    const { topic } = this.options;
    const { consumer } = this;
    const aborted = new Promise<void>((resolve) => {
      if (this.stopping.aborted) resolve();
      else this.stopping.addEventListener('abort', () => resolve(), { once: true });
    });
    consumer.on(consumer.events.CRASH, ({ payload }) => this.#failed.reject(payload.error));
    // After every join, the first one and one after a lost session alike: only here is a place not overwritten.
    consumer.on(consumer.events.GROUP_JOIN, () => {
      consumer.seek({ topic, partition: SHARD, offset: String(this.#next) });
      this.options.onJoined?.();
    });
    try {
      await Promise.race([this.#start(), this.#failed.promise, aborted]);
      await Promise.race([this.#failed.promise, aborted]);
    } finally {
      await consumer.disconnect().catch(() => undefined);
      await this.#handling;
    }
  }

  async #start(): Promise<void> {
    await this.consumer.connect();
    await this.consumer.subscribe({ topic: this.options.topic });
    await this.consumer.run({
      autoCommit: false,
      eachBatchAutoResolve: false,
      eachBatch: (payload) => this.#eachBatch(payload),
    });
  }

  async #eachBatch({ batch, resolveOffset, heartbeat, isStale, isRunning }: EachBatchPayload): Promise<void> {
    await this.#previous(heartbeat);
    if (this.#refused || isStale() || !isRunning() || this.stopping.aborted) return;
    const last = Number(batch.lastOffset());
    const behind = Math.max(0, Number(batch.highWatermark) - last - 1);
    this.#next = last + 1;
    resolveOffset(batch.lastOffset());
    const busy = performance.now() - this.#gaveAt < 2 * this.options.gatherMs;
    this.#gaveAt = performance.now();
    this.#handling = this.options.onMessages(batch.messages, behind === 0, behind).catch((error) => {
      this.#refused = true;
      this.#failed.reject(asError(error));
    });
    if (busy && behind === 0) await pause(this.options.gatherMs, this.stopping);
  }

  /** Waits until the fetch before has been handled, and tells the broker meanwhile that this member lives. */
  async #previous(heartbeat: () => Promise<void>): Promise<void> {
    for (;;) {
      const timer = Promise.withResolvers<boolean>();
      const handle = setTimeout(() => timer.resolve(false), HEARTBEAT_MS);
      const handled = await Promise.race([this.#handling.then(() => true), timer.promise]);
      clearTimeout(handle);
      if (handled) return;
      await heartbeat();
    }
  }
}
