import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import {
  eventOfLine,
  LOG_CHANNEL,
  type LogHead,
  type LogReader,
  postgresLogReader,
  type Queryable,
  recordOf,
  type SourceRecord,
} from '#event-sourcing';
import { pause } from './supervise.ts';

export interface FeedOptions {
  readonly source: string;
  /** Most records of one batch, and most that are held from notifications. */
  readonly batch: number;
  /** How often the log is read though nothing was notified. */
  readonly pollMs: number;
  /** Shortest time between two batches that are not full: fewer, larger ones under load, no delay after a quiet time. */
  readonly gatherMs: number;
}

export interface FeedBatch {
  readonly records: readonly SourceRecord[];
  /** Nothing more was there when it was read. */
  readonly end: boolean;
}

/**
 * Each statement is planned once. A plan made while the table was nearly empty would read it whole for ever after; so
 * only its index is left to choose from.
 */
const PLAN_BY_INDEX = `
  set plan_cache_mode = force_generic_plan;
  set enable_seqscan = off;
  set enable_bitmapscan = off;
  set enable_sort = off`;

const LISTEN = `listen ${LOG_CHANNEL}`;

const ANSWER_TIMEOUT_MS = 30_000;

/**
 * A source's log as a feed of batches: read by position, woken by notifications, which bring small batches with them. What notifications bring beyond one batch is left in the log, to be read when its turn comes.
 */
export class LogFeed {
  #held: SourceRecord[] = [];
  /** Position up to which records were given out or are held; before the start, nothing comes after it. */
  #last = Number.MAX_SAFE_INTEGER;
  /** Highest position that the log is known to have. */
  #seen = 0;
  #unread = false;
  #reading = false;
  #gaveAt = Number.NEGATIVE_INFINITY;
  #failure: Error | null = null;
  #wake: () => void = () => undefined;

  constructor(
    private readonly reader: Pick<LogReader, 'read'>,
    private readonly options: FeedOptions,
    readonly head: LogHead,
    private readonly stopping: AbortSignal,
  ) {
    stopping.addEventListener('abort', this.#stop);
  }

  /** Gives out what comes after this position. Call it once, before the first `next`. */
  startAfter(position: number): void {
    this.#last = position;
    this.#seen = Math.max(this.#seen, this.head.position);
    this.#unread = this.#seen > position;
  }

  /** Records behind those given out, as far as is known. */
  get lag(): number {
    return Math.max(0, this.#seen - this.#last + this.#held.length);
  }

  /** The next records, at least one; null once `stopping` is aborted. Rejects when the connection is lost. Not to be called twice at once. */
  async next(): Promise<FeedBatch | null> {
    for (;;) {
      if (this.stopping.aborted) return null;
      if (this.#failure) throw this.#failure;
      if (this.#held.length > 0 || this.#unread) {
        await this.#gather();
        const records = this.#held.length > 0 ? this.#held.splice(0) : await this.#read();
        if (records.length > 0) return this.#give(records);
      } else if (!(await this.#woken())) this.#unread = true;
    }
  }

  /** Forgets `stopping`; the feed is not used any more. */
  close(): void {
    this.stopping.removeEventListener('abort', this.#stop);
  }

  /** Tells it a notification: `<epoch> <first> <last>`, then perhaps a newline and the lines of first to last. */
  notified(payload: string): void {
    const parts = /^(\d+) (\d+) (\d+)(?:\n|$)/.exec(payload);
    if (!parts) return;
    const [epoch, first, last] = [Number(parts[1]), Number(parts[2]), Number(parts[3])];
    if (epoch !== this.head.epoch) {
      this.fail(new Error(`the log is at epoch ${epoch}, was ${this.head.epoch}`));
      return;
    }
    this.#seen = Math.max(this.#seen, last);
    if (last <= this.#last) return;
    const lines = payload.slice(parts[0].length);
    const room = this.options.batch - this.#held.length;
    const follows = !this.#unread && !this.#reading && first <= this.#last + 1;
    if (follows && lines !== '' && last - this.#last <= room) this.#hold(first, lines);
    else this.#unread = true;
    this.#wake();
  }

  /** Tells it that the connection is lost; `next` rejects with this. */
  fail(error: Error): void {
    this.#failure ??= error;
    this.#wake();
  }

  readonly #stop = (): void => this.#wake();

  /** One batch in `gatherMs` at most, unless it is full. The first after a quiet time goes at once. */
  async #gather(): Promise<void> {
    const leftMs = this.#gaveAt + this.options.gatherMs - performance.now();
    if (leftMs > 0 && this.lag < this.options.batch) await pause(leftMs, this.stopping);
  }

  #give(records: SourceRecord[]): FeedBatch {
    this.#gaveAt = performance.now();
    return { records, end: !this.#unread && this.#held.length === 0 };
  }

  async #read(): Promise<SourceRecord[]> {
    const { source, batch } = this.options;
    this.#reading = true;
    this.#unread = false;
    const events = await this.reader.read(this.#last, batch).finally(() => {
      this.#reading = false;
    });
    this.#last = events.at(-1)?.position ?? this.#last;
    this.#seen = Math.max(this.#seen, this.#last);
    // What was notified during the read may have come after it, or be part of it.
    if (events.length === batch) this.#unread = true;
    else if (this.#seen <= this.#last) this.#unread = false;
    return events.map((event) => recordOf(source, this.head.epoch, event));
  }

  /** True when woken, false when the time to look for oneself has come. */
  async #woken(): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined;
    const woken = await new Promise<boolean>((resolve) => {
      this.#wake = () => resolve(true);
      timer = setTimeout(() => resolve(false), this.options.pollMs);
      if (this.#failure || this.stopping.aborted) resolve(true);
    });
    this.#wake = () => undefined;
    clearTimeout(timer);
    return woken;
  }

  #hold(first: number, lines: string): void {
    const { source } = this.options;
    let position = first;
    for (const line of lines.split('\n')) {
      if (line !== '' && position > this.#last) {
        const event = { ...eventOfLine(line), position, batch: first };
        this.#held.push(recordOf(source, this.head.epoch, event));
        this.#last = position;
      }
      position++;
    }
  }
}

/**
 * A feed over a connection of its own, of a role that may select the source's `events` and `log_head`: connects, listens, then reads the head, so that nothing appended after it can be missed.
 *
 * @returns the feed, and what closes both
 */
export async function openLogFeed(
  options: FeedOptions & { readonly url: string; readonly who: string },
  stopping: AbortSignal,
): Promise<{ readonly feed: LogFeed; close(): Promise<void> }> {
  const client = new pg.Client({
    connectionString: options.url,
    application_name: `enjeu-bus ${options.who}`,
    connectionTimeoutMillis: 5_000,
    query_timeout: ANSWER_TIMEOUT_MS,
    keepAlive: true,
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query(PLAN_BY_INDEX);
    await client.query(LISTEN);
    const reader = postgresLogReader(prepared(client));
    const feed = new LogFeed(reader, options, await reader.head(), stopping);
    client.on('notification', ({ payload }) => feed.notified(payload ?? ''));
    client.on('error', (error) => feed.fail(error));
    client.on('end', () => feed.fail(new Error('the connection to the log has ended')));
    return {
      feed,
      close: async () => {
        feed.close();
        client.removeAllListeners('notification');
        await endQuickly(client);
      },
    };
  } catch (error) {
    await endQuickly(client);
    throw error;
  }
}

/** Says goodbye, and does not wait for a server that is no longer there. */
async function endQuickly(client: pg.Client): Promise<void> {
  await Promise.race([client.end().catch(() => undefined), sleep(1_000, undefined, { ref: false })]);
}

/** The connection parses and plans each text once. */
function prepared(client: pg.Client): Queryable {
  const names = new Map<string, string>();
  return {
    query: (statement, values = []) => {
      if (typeof statement !== 'string') return client.query(statement);
      const name = names.get(statement) ?? `enjeu-feed-${names.size}`;
      names.set(statement, name);
      return client.query({ name, text: statement, values });
    },
  };
}
