import type { Kafka, Message, Producer } from 'kafkajs';
import kafkajs from 'kafkajs';
import type { RecordedEvent } from '#event-sourcing';
import { CONTENT_TYPE, envelopeOf, type Origin } from './cloud-event.ts';
import { HeldEvents, type HeldLimits } from './held-events.ts';
import { connectTo, ensureTopic, type KafkaConfig, SHARD, topicOf } from './kafka-client.ts';
import { type CursorStore, RelayCursor } from './relay-cursor.ts';
import type { BusReports } from './reports.ts';
import { PAUSES, type Pauses, pause, type Supervised, supervise, unlessAborted } from './supervise.ts';

/** Where a test may let the process die: before a send, between acknowledgement and cursor, and after the cursor. */
export type RelayFault = 'chosen' | 'sent' | 'moved';

/** The functions that read and move are called at the same time as each other: give them a pool, or a connection each. */
export interface RelayOptions extends CursorStore {
  readonly origin: Origin;
  readonly kafka: KafkaConfig;
  /** The log's events above a position, in order, at most `limit`. */
  readAfter(after: number, limit: number): Promise<RecordedEvent[]>;
  /** Most events of one send. Default 500. */
  readonly batch?: number;
  /** What is held of the newest events, beyond which the log is read again. Default 20,000 events and 32 million characters. */
  readonly held?: HeldLimits;
  /** How often the log and the cursor are looked at though nothing was offered. Default 1 s. */
  readonly pollMs?: number;
  /** How long more events are waited for under load. Default 2 ms. */
  readonly lingerMs?: number;
  /** How long `stop` goes on publishing what is left. Default 5 s. */
  readonly drainMs?: number;
  readonly pauses?: Pauses;
  readonly fault?: (point: RelayFault) => void | Promise<void>;
  readonly reports?: BusReports;
}

export interface Relay {
  /** Takes what a commit has appended, in order. It may be left out or come late: what is missing is read from the log. */
  offer(events: readonly RecordedEvent[]): void;
  /** Publishes again whatever comes after this position; false when that is still to be published anyway. */
  moveBack(position: number): Promise<boolean>;
  /** Publishes what is left, for `drainMs` at most, and disconnects. What is left then is published at the next start. */
  stop(): Promise<void>;
}

/** Of one send, in bytes; brokers take 1 MB by default. */
const MOST_BYTES = 700_000;

/**
 * Publishes a log on its topic, from the stored cursor on, in order, without end: one send at a time, and after a failure a new
 * producer that begins at the cursor again. So every event is published at least once, and none before those ahead of it.
 * It does not wait for the broker, which may come later.
 */
export function startRelay(options: RelayOptions): Relay {
  return new TopicRelay(options);
}

class TopicRelay implements Relay {
  readonly #kafka: Kafka;
  readonly #topic: string;
  readonly #held: HeldEvents;
  readonly #supervised: Supervised;
  readonly #batch: number;
  /** The log may hold events that were not offered. */
  #unread = true;
  #draining = false;
  #cursor: RelayCursor | null = null;
  #movedBack = false;
  #woken = false;
  #onWake: () => void = () => undefined;

  constructor(private readonly options: RelayOptions) {
    this.#kafka = connectTo(options.kafka, `${options.origin.source}-relay`);
    this.#topic = topicOf(options.kafka, options.origin.source);
    this.#held = new HeldEvents(options.held ?? { records: 20_000, size: 32_000_000 });
    this.#batch = options.batch ?? 500;
    const failed = (error: Error) => options.reports?.failed?.(options.origin.source, 'relay', error);
    const session = (stopping: AbortSignal, healthy: () => void) => this.#session(stopping, healthy);
    this.#supervised = supervise(session, failed, options.pauses ?? PAUSES);
  }

  offer(events: readonly RecordedEvent[]): void {
    this.#held.offer(events);
    if (this.#held.length === 0) this.#unread = true;
    this.#wake();
  }

  async moveBack(position: number): Promise<boolean> {
    await this.#cursor?.settled();
    for (;;) {
      const at = await this.options.readCursor();
      if (at <= position) return false;
      if (await this.options.moveCursor(at, position)) break;
    }
    this.#movedBack = true;
    this.#wake();
    return true;
  }

  async stop(): Promise<void> {
    this.#draining = true;
    this.#wake();
    const enough = new AbortController();
    await Promise.race([this.#supervised.ended, pause(this.options.drainMs ?? 5_000, enough.signal)]);
    enough.abort();
    await this.#supervised.stop();
  }

  async #session(stopping: AbortSignal, healthy: () => void): Promise<void> {
    await ensureTopic(this.#kafka, this.options.kafka, this.#topic);
    const producer = this.#kafka.producer({
      idempotent: true,
      maxInFlightRequests: 1,
      allowAutoTopicCreation: false,
      createPartitioner: kafkajs.Partitioners.DefaultPartitioner,
      retry: { initialRetryTime: 100, maxRetryTime: 1_000, retries: 30 },
    });
    try {
      await producer.connect();
      await this.#publishAll(producer, stopping, healthy);
    } finally {
      await this.#cursor?.settled();
      await Promise.race([producer.disconnect().catch(() => undefined), pause(2_000, new AbortController().signal)]);
    }
  }

  async #publishAll(producer: Producer, stopping: AbortSignal, healthy: () => void): Promise<void> {
    let cursor = await this.#readCursor();
    let sent = cursor.stored;
    while (!stopping.aborted) {
      if (cursor.displaced || this.#movedBack) {
        await cursor.settled();
        cursor = await this.#readCursor();
        sent = cursor.stored;
      }
      const events = await this.#next(sent);
      this.options.reports?.lag?.(this.options.origin.source, 'relay', Math.max(events.length, this.#held.length));
      if (events.length === 0) {
        if (this.#draining) return;
        if (!(await this.#waitForWork(stopping))) await this.#look(cursor);
        continue;
      }
      sent = await this.#send(producer, events, stopping);
      if (stopping.aborted) return;
      healthy();
      cursor.advance(sent);
      const more = this.#held.length - events.length;
      if (more > 0 && more < this.#batch && !this.#draining) await pause(this.options.lingerMs ?? 2, stopping);
    }
  }

  async #readCursor(): Promise<RelayCursor> {
    this.#movedBack = false;
    this.#unread = true;
    const moved = async () => {
      await this.options.fault?.('moved');
      this.#wake();
    };
    this.#cursor = new RelayCursor(this.options, await this.options.readCursor(), moved);
    return this.#cursor;
  }

  async #next(sent: number): Promise<RecordedEvent[]> {
    const held = this.#held.after(sent, this.#batch);
    if (held) return held;
    if (!this.#unread && this.#held.length === 0) return [];
    this.#unread = false;
    const events = await this.options.readAfter(sent, this.#batch);
    if (events.length === this.#batch) this.#unread = true;
    return events;
  }

  /** Sends as many of these as one send takes and returns the position of the last of them. */
  async #send(producer: Producer, events: readonly RecordedEvent[], stopping: AbortSignal): Promise<number> {
    const messages: Message[] = [];
    let bytes = 0;
    for (const event of events) {
      const { key, value } = envelopeOf(this.options.origin, event);
      const message = { key, value: Buffer.from(value), partition: SHARD, headers: { 'content-type': CONTENT_TYPE } };
      bytes += message.value.length + 150;
      if (bytes > MOST_BYTES && messages.length > 0) break;
      messages.push(message);
    }
    await this.options.fault?.('chosen');
    await unlessAborted(producer.send({ topic: this.#topic, acks: -1, messages }), stopping);
    await this.options.fault?.('sent');
    return events[messages.length - 1]?.position as number;
  }

  /** Nothing was offered for a while: the cursor may have been moved, and the log have grown, by somebody else. */
  async #look(cursor: RelayCursor): Promise<void> {
    this.#unread = true;
    await cursor.settled();
    if ((await this.options.readCursor()) !== cursor.stored) this.#movedBack = true;
  }

  #wake(): void {
    this.#woken = true;
    this.#onWake();
  }

  /** True when woken since the last time, false when the time to look for oneself has come. */
  async #waitForWork(stopping: AbortSignal): Promise<boolean> {
    if (!this.#woken) {
      const waiting = new AbortController();
      this.#onWake = () => waiting.abort();
      await pause(this.options.pollMs ?? 1_000, AbortSignal.any([waiting.signal, stopping]));
      this.#onWake = () => undefined;
    }
    const woken = this.#woken;
    this.#woken = false;
    return woken;
  }
}
