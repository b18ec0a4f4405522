import { Logger } from '@nestjs/common';
import type { Client } from 'pg';
import type { DataSource } from 'typeorm';
import type { PublishAgainRequest } from '#contracts';
import type { Bus, Subscription } from '#event-bus';
import { type Clock, systemClock, takeWriterLock } from '#event-sourcing';
import { connectDatabase, counter, gauge, openTables } from '#service';
import { ParkedRow } from './parked/parked.ts';
import { PlayStore } from './plays/play-store.ts';
import { HISTORY_MIGRATIONS } from './plays/plays.migration.ts';
import { type Incident, ProjectPlays, type Stored } from './plays/project-plays.ts';
import { SeenMark } from './plays/seen.ts';

/** The logs that the history is made of. */
export const SOURCES = ['wallet', 'issuance'] as const;
export type Source = (typeof SOURCES)[number];

export interface HistoryOptions {
  readonly databaseUrl: string;
  /** Opens the bus; `onLogBehind` is told of a source whose log ends before what was applied of it. */
  readonly openBus: (onLogBehind: (source: string, detail: string) => void) => Bus;
  /** How each source is asked to publish again. */
  readonly sources: Readonly<Record<Source, { post(path: string, body: PublishAgainRequest): Promise<unknown> }>>;
  /** Called once when this process cannot be the writer any more: it has to end. */
  readonly onLost: (error: Error) => void;
  readonly clock?: Clock;
}

/** One writer a database, whoever else is started. */
const LOCK = 'enjeu-history';

/** What the writer's connection plans for: tables that have grown, whatever they were when a statement was first planned. */
const PLAN_FOR_GROWTH = `
  set enable_seqscan = off;
  set jit = off`;

const logger = new Logger('history');

/**
 * The history with all that belongs to it, as one thing to open and to close. Its members may be injected at once, but
 * used only after `open`.
 */
export class History {
  readonly #options: HistoryOptions;
  readonly #clock: Clock;
  readonly #subscriptions: Subscription[] = [];
  #client: Client | null = null;
  #bus: Bus | null = null;
  #dataSource: DataSource | null = null;
  #projection: ProjectPlays | null = null;
  #closing = false;

  constructor(options: HistoryOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
  }

  get dataSource(): DataSource {
    return opened(this.#dataSource);
  }

  get projection(): ProjectPlays {
    return opened(this.#projection);
  }

  /** Resolves when this process is the writer, its tables are up to date and both logs are followed. */
  async open(stopping: AbortSignal): Promise<void> {
    const client = await this.#lock(stopping);
    this.#dataSource = await openTables(this.#options.databaseUrl, 'enjeu-history', {
      entities: [SeenMark, ParkedRow],
      migrations: HISTORY_MIGRATIONS,
      connections: 8,
    });
    this.#projection = new ProjectPlays(new PlayStore(client), {
      clock: this.#clock,
      onIncident: report,
      publishAgain: async (source, position) => {
        await this.#options.sources[source as Source].post('/publish-again', { position });
      },
      onRetry: (error) => logger.warn({ err: error }, 'storing plays failed and is tried again'),
      onBroken: (error) => this.#lost(error),
      onStored: measure,
    });
    await this.#projection.open();
    this.#bus = this.#options.openBus((source, detail) => report({ kind: 'log-behind-bus', subject: source, detail }));
    for (const source of SOURCES) {
      this.#subscriptions.push(await this.#bus.follow(source, this.#projection.follower(source)));
    }
  }

  /** Takes no more records, stores what it has, and lets the next writer in. */
  async close(): Promise<void> {
    this.#closing = true;
    await Promise.all(this.#subscriptions.map((subscription) => subscription.stop()));
    await this.#projection?.stop();
    await this.#bus?.close();
    await this.#dataSource?.destroy();
    await this.#client?.end();
  }

  async #lock(stopping: AbortSignal): Promise<Client> {
    const client = await connectDatabase(this.#options.databaseUrl, 'enjeu-history-writer', stopping);
    this.#client = client;
    await takeWriterLock(client, LOCK, {
      signal: stopping,
      clock: this.#clock,
      onStandby: () => logger.log('another process writes the history; this one stands by'),
      onLost: (error) => this.#lost(error),
    });
    await client.query(PLAN_FOR_GROWTH);
    return client;
  }

  #lost(error: Error): void {
    if (this.#closing) return;
    this.#closing = true;
    this.#options.onLost(error);
  }
}

function opened<Member>(member: Member | null): Member {
  if (member === null) throw new Error('the history is not open yet');
  return member;
}

/** The history has no log to raise an incident in: a line and a counter stand for it. */
function report({ kind, subject, detail }: Incident): void {
  counter('enjeu_history_incidents_total', 'Things that must not happen, by kind.', ['kind']).inc({ kind });
  logger.error({ incident: kind, subject, detail }, `incident ${kind}: ${detail}`);
}

function measure({ records, source, position }: Stored): void {
  gauge('enjeu_history_applied_position', 'Position applied of each log.', ['source']).set({ source }, position);
  counter('enjeu_history_records_total', 'Records stored, of each log.', ['source']).inc({ source }, records);
}
