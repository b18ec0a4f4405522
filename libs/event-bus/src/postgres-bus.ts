import type { SourceRecord } from '#event-sourcing';
import type { Bus, Follower, Subscription } from './bus.ts';
import { type LogFeed, openLogFeed } from './log-feed.ts';
import type { BusReports } from './reports.ts';
import { type Opened, Subscriptions } from './subscriptions.ts';
import type { Pauses, Session } from './supervise.ts';

export interface PostgresBusConfig {
  /** Address of each source's database, for a role that may read its log: `{ wallet: 'postgres://…' }`. */
  readonly logs: Readonly<Record<string, string>>;
  /** Most records of one batch. Default 1,000. */
  readonly batch?: number;
  /** How often a log is read though nothing was notified. Default 1 s. */
  readonly pollMs?: number;
  /** Shortest time between two batches for a follower, full ones apart: for one that is better served with few. Default 0. */
  readonly gatherMs?: number;
  readonly pauses?: Pauses;
  readonly reports?: BusReports;
}

/** A tail that was away longer than this many records goes on at the head, and says so. */
const MOST_TO_CATCH_UP = 10_000;

/** The bus without a copy: consumers read the source's log itself. */
export class PostgresBus implements Bus {
  readonly #subscriptions: Subscriptions;

  constructor(private readonly config: PostgresBusConfig) {
    this.#subscriptions = new Subscriptions(config.reports, config.pauses);
  }

  async follow(source: string, follower: Follower): Promise<Subscription> {
    const who = follower.name;
    return this.#start(source, who, async (stopping, healthy) => {
      const { feed, close } = await this.#open(source, who, stopping);
      try {
        const applied = (await follower.position())?.position ?? 0;
        if (applied > feed.head.position) {
          this.config.reports?.logBehind?.(source, who, applied, feed.head.position);
          return;
        }
        feed.startAfter(applied);
        await this.#feed(source, feed, follower, stopping, healthy);
      } finally {
        await close();
      }
    });
  }

  async #feed(
    source: string,
    feed: LogFeed,
    follower: Follower,
    stopping: AbortSignal,
    healthy: () => void,
  ): Promise<void> {
    let batch = await feed.next();
    while (batch && !stopping.aborted) {
      this.config.reports?.lag?.(source, follower.name, feed.lag);
      // One batch ahead, and only when it is known to be there: else the next is whatever has come by then.
      const ahead = batch.end ? null : feed.next();
      ahead?.catch(() => undefined);
      await follower.handle(batch.records, batch.end);
      healthy();
      batch = await (ahead ?? feed.next());
    }
  }

  async tail(
    source: string,
    onRecords: (records: readonly SourceRecord[]) => void,
    interrupted: () => void,
  ): Promise<Subscription> {
    let last: number | null = null;
    const { promise: ready, resolve } = Promise.withResolvers<void>();
    const subscription = this.#start(source, 'tail', async (stopping, healthy) => {
      const { feed, close } = await this.#open(source, 'tail', stopping);
      try {
        const head = feed.head.position;
        const missed: boolean = last !== null && (last > head || head - last > MOST_TO_CATCH_UP);
        if (missed) interrupted();
        last = missed ? head : (last ?? head);
        feed.startAfter(last);
        resolve();
        healthy();
        for (let batch = await feed.next(); batch && !stopping.aborted; batch = await feed.next()) {
          last = batch.records.at(-1)?.position ?? last;
          onRecords(batch.records);
        }
      } finally {
        await close();
      }
    });
    await subscription.until(ready);
    return subscription;
  }

  async newest(): Promise<null> {
    return null;
  }

  async close(): Promise<void> {
    await this.#subscriptions.stopAll();
  }

  #open(source: string, who: string, stopping: AbortSignal): ReturnType<typeof openLogFeed> {
    const { logs, batch = 1_000, pollMs = 1_000, gatherMs = 0 } = this.config;
    const url = logs[source] as string;
    return openLogFeed({ url, source, who, batch, pollMs, gatherMs: who === 'tail' ? 0 : gatherMs }, stopping);
  }

  #start(source: string, who: string, session: Session): Opened {
    if (this.config.logs[source] === undefined) throw new Error(`the address of ${source}'s log is not known`);
    return this.#subscriptions.start(source, who, session);
  }
}
