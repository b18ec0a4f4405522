import { setTimeout as pause } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import pg from 'pg';
import type { DataSource, EntitySchema } from 'typeorm';
import { isEventType, type SendAgainResponse, schemaVersionOf } from '#contracts';
import { type Bus, type Relay, startRelay } from '#event-bus';
import {
  assertNotBehind,
  type EventLog,
  HeadFile,
  HeadSigner,
  type Lane,
  LOG_MIGRATIONS,
  type LogHead,
  moveRelayCursor,
  newestInHeadFile,
  openLane,
  openPostgresLog,
  type PostgresLog,
  projectInto,
  type RecordedEvent,
  type RecordHandler,
  type RecordLane,
  raiseIncident,
  readRelayCursor,
  type SourceRecord,
  sendAgain,
  takeWriterLock,
} from '#event-sourcing';
import type { KeySet, SigningKey } from '#fairness';
import { type BusVariables, busReports, kafkaOf, openServiceBus } from './bus.ts';
import { connectDatabase, type EntityClass, type MigrationClass, openTables, sqlMigration } from './database.ts';
import { reportIncident } from './incidents.ts';
import type { InternalClient } from './internal-client.ts';
import { loadJwks, loadSigningKeyFor } from './keys.ts';
import { counter, gauge } from './metrics.ts';
import type { ParkedRecords, Publisher } from './parked-records.ts';
import { endProcess, oneLine } from './run.ts';
import { uuidV7 } from './uuid.ts';

export interface EventSourcedOptions {
  /** The service, which is also its log's name as a source: `wallet`, `issuance`. */
  readonly name: string;
  readonly databaseUrl: string;
  /** TypeORM's migrations of the service's own tables; those of the log come from libs/event-sourcing. */
  readonly migrations: readonly MigrationClass[];
  readonly entities: readonly (EntityClass | EntitySchema)[];
  /** The result of `readConfig` with `busOf(…)`. */
  readonly bus: BusVariables;
  /** `ENJEU_HEADS_FILE`, `ENJEU_LOG_KEY_FILE` and `ENJEU_KEYS_FILE`, which the fragment `logSigning` reads. */
  readonly headsFile: string;
  readonly logKeyFile: string;
  readonly keysFile: string;
  /** Called once, when log and lane work and nothing is followed yet. */
  readonly handlers: (opened: Opened) => readonly RecordHandler[] | Promise<readonly RecordHandler[]>;
  /** The services whose logs are followed, by source, to ask for records that the bus has lost. */
  readonly sources: Readonly<Record<string, InternalClient>>;
  /** The log can no longer be written by this process. Default: the process ends with this line and exit code 1. */
  readonly onLost?: (error: Error) => void;
  /** How often a standby tries to take over. Default 500. */
  readonly standby_ms?: number;
}

/** How often the relay's cursor is looked at: a few times for each block that is to be sold. */
const ACKNOWLEDGED_POLL_MS = 100;

/** What a service's own code works with once its log is open. */
export interface Opened {
  readonly log: EventLog;
  readonly lane: Lane;
  readonly dataSource: DataSource;
}

/**
 * A service's event log with all that belongs to it, as one thing to open and to close. Make it in main.ts, give
 * `open` to `startService` as `ready` and `close` as its last stop hook, and import `EventSourcedModule.for(…)`.
 * Its members may be injected at once but used only after `open`, and in `handlers`.
 */
export class EventSourced implements Opened, ParkedRecords, Publisher {
  readonly #logger: Logger;
  readonly #key: SigningKey;
  readonly #keys: KeySet;
  /** What `close` does, last opened first closed. */
  readonly #closers: (() => Promise<unknown>)[] = [];
  #closing = false;
  #log: PostgresLog | null = null;
  #lane: RecordLane | null = null;
  #dataSource: DataSource | null = null;
  #relay: Relay | null = null;
  #reader: pg.Pool | null = null;
  #handlers: readonly RecordHandler[] = [];

  /** Reads the key files. @throws ConfigError for one that cannot be used, and for a key whose heads would not verify */
  constructor(readonly options: EventSourcedOptions) {
    this.#logger = new Logger(options.name);
    this.#key = loadSigningKeyFor('log', options.logKeyFile, options.keysFile);
    this.#keys = loadJwks(options.keysFile);
  }

  get log(): EventLog {
    return whenOpen(this.#log);
  }

  get lane(): Lane {
    return whenOpen(this.#lane);
  }

  get dataSource(): DataSource {
    return whenOpen(this.#dataSource);
  }

  /**
   * Becomes the service's one writer, or waits as a standby until it can; then migrates, checks that nobody has seen more
   * of the log than it holds, and follows its sources. Rejects when that is impossible, and when `stopping` is aborted.
   */
  async open(stopping: AbortSignal): Promise<void> {
    const writer = await this.#becomeWriter(stopping);
    const dataSource = await this.#openTables();
    const reader = this.#openReader();
    this.#reader = reader;
    const log = await openPostgresLog(writer, { reader });
    const bus = this.#openBus();
    await this.#refuseToServeIfBehind(log, bus, stopping);
    if (this.options.bus.ENJEU_BUS === 'kafka') this.#startRelay(log, reader, await log.head());
    this.#log = log;
    this.#dataSource = dataSource;
    this.#lane = await this.#openLane(log);
    this.#handlers = await this.options.handlers(this);
    for (const handler of this.#handlers) await this.#follow(bus, this.#lane, handler);
  }

  /** Follows nothing more, signs the last head, stores what was taken, publishes what is left, and lets the database go. */
  async close(): Promise<void> {
    this.#closing = true;
    const failures: unknown[] = [];
    for (let close = this.#closers.pop(); close; close = this.#closers.pop()) {
      await close().catch((error) => failures.push(error));
    }
    if (failures.length > 0) throw failures[0];
  }

  parked(filter: { readonly key?: string; readonly limit: number }): ReturnType<EventLog['parked']> {
    return this.log.parked(filter);
  }

  sendAgain(key: string): Promise<SendAgainResponse> {
    return sendAgain(this.log, whenOpen(this.#lane), this.#handlers, key);
  }

  async publishAgain(position: number): Promise<boolean> {
    return (await this.#relay?.moveBack(position)) ?? false;
  }

  /**
   * Resolves when the bus has taken everything that is appended now: at once on PostgreSQL, where the log itself is the
   * feed. Rejects when `stopping` is aborted before, and when the database cannot be asked.
   */
  async acknowledged(stopping: AbortSignal): Promise<void> {
    if (this.#relay === null) return;
    const { position } = await this.log.head();
    while ((await readRelayCursor(whenOpen(this.#reader))) < position) {
      await pause(ACKNOWLEDGED_POLL_MS, undefined, { signal: stopping });
    }
  }

  async #becomeWriter(stopping: AbortSignal): Promise<pg.Client> {
    const { name, databaseUrl, standby_ms } = this.options;
    const writer = await connectDatabase(databaseUrl, `enjeu-${name}-writer`, stopping);
    this.#closers.push(() => writer.end());
    await takeWriterLock(writer, `enjeu-${name}`, {
      onLost: (error) => this.#lost(new Error(`the connection that makes it the writer is lost (${oneLine(error)})`)),
      onStandby: () => this.#logger.log('another process is the writer; this one stands by'),
      signal: stopping,
      ...(standby_ms === undefined ? {} : { everyMs: standby_ms }),
    });
    return writer;
  }

  async #openTables(): Promise<DataSource> {
    const { name, databaseUrl, entities, migrations } = this.options;
    const ofTheLog = LOG_MIGRATIONS.map((migration) => sqlMigration(migration.name, migration.statements));
    const dataSource = await openTables(databaseUrl, `enjeu-${name}`, {
      entities,
      migrations: [...ofTheLog, ...migrations],
    });
    this.#closers.push(() => dataSource.destroy());
    return dataSource;
  }

  #openReader(): pg.Pool {
    const { name, databaseUrl } = this.options;
    const pool = new pg.Pool({
      connectionString: databaseUrl,
      application_name: `enjeu-${name}-reader`,
      max: 3,
      idleTimeoutMillis: 60_000,
    });
    pool.on('error', (error) => this.#logger.warn(`a connection was lost (${oneLine(error)})`));
    this.#closers.push(() => pool.end());
    return pool;
  }

  #openBus(): Bus {
    const bus = openServiceBus(this.options.bus, this.options.name, {
      onLogBehind: (source, detail) => this.#raise('log-behind-bus', source, detail),
    });
    this.#closers.push(() => bus.close());
    return bus;
  }

  /** While the bus cannot be asked nothing is served: its answer may be that positions would be used twice. */
  async #refuseToServeIfBehind(log: PostgresLog, bus: Bus, stopping: AbortSignal): Promise<void> {
    const signedHead = await newestInHeadFile(this.options.headsFile);
    const busRecord = await this.#newestOnBus(bus, stopping);
    await assertNotBehind(log, { signedHead, keys: this.#keys, busRecord });
  }

  async #newestOnBus(bus: Bus, stopping: AbortSignal): Promise<SourceRecord | null> {
    for (;;) {
      stopping.throwIfAborted();
      try {
        return await bus.newest(this.options.name);
      } catch (error) {
        this.#logger.warn(`the bus cannot be asked for its newest record (${oneLine(error)}); trying again`);
      }
      await pause(1_000, undefined, { signal: stopping }).catch(() => {});
    }
  }

  #startRelay(log: PostgresLog, database: pg.Pool, { logId, epoch }: LogHead): void {
    const relay = startRelay({
      origin: { source: this.options.name, logId, epoch },
      kafka: kafkaOf(this.options.bus),
      readAfter: (after, limit) => log.read(after, limit),
      readCursor: () => readRelayCursor(database),
      moveCursor: (from, to) => moveRelayCursor(database, from, to),
      reports: busReports(),
    });
    this.#relay = relay;
    this.#closers.push(() => relay.stop());
  }

  async #openLane(log: PostgresLog): Promise<RecordLane> {
    const watch = this.#watchLane();
    let signer: HeadSigner | null = null;
    const lane = await openLane(log, {
      newId: uuidV7,
      schemaVersionOf: (type) => (isEventType(type) ? schemaVersionOf(type) : 1),
      onAppended: (events, head) => {
        this.#relay?.offer(events);
        signer?.appended(events);
        watch.appended(events, head);
      },
      onIncident: (incident) => reportIncident(this.options.name, incident),
      onParked: ({ source, position, key, error }) => {
        this.#logger.error(`parked: ${source} ${position} of ${key}: ${error}`);
      },
      onRetry: (error) => this.#logger.warn(`the log could not be written (${oneLine(error)}); trying again`),
      onBroken: (error) => this.#lost(error),
    });
    this.#closers.push(() => lane.stop());
    signer = await this.#startSigner(log, lane);
    return lane;
  }

  async #startSigner(log: PostgresLog, lane: Lane): Promise<HeadSigner> {
    const file = await HeadFile.open(this.options.headsFile);
    const signer = new HeadSigner(log, lane, {
      key: this.#key,
      file,
      onError: (error) => this.#logger.error(`the head could not be signed (${oneLine(error)}); trying again`),
    });
    this.#closers.push(async () => {
      await signer.stop();
      await file.close();
    });
    await signer.start();
    return signer;
  }

  #watchLane() {
    const { name } = this.options;
    const events = counter('enjeu_log_events_total', 'Events appended by this process.', ['log']);
    const appends = counter('enjeu_log_appends_total', 'Appends by this process.', ['log']);
    const position = gauge('enjeu_log_position', 'Position of the newest event.', ['log']);
    return {
      appended(appended: readonly RecordedEvent[], head: LogHead) {
        appends.inc({ log: name });
        events.inc({ log: name }, appended.length);
        position.set({ log: name }, head.position);
      },
    };
  }

  async #follow(bus: Bus, lane: RecordLane, handler: RecordHandler): Promise<void> {
    const { source } = handler;
    const projector = projectInto(lane, handler, {
      name: this.options.name,
      newId: uuidV7,
      onGap: async (_source, position) => {
        this.#logger.warn(`bus-gap: nothing of ${source} fits after position ${position}; asking for it again`);
        await this.options.sources[source]?.post('/publish-again', { position });
      },
      onEpochAhead: (error) => this.#raise(error.word, source, error.message),
      onRetry: (error) => this.#logger.warn(`records of ${source} wait (${oneLine(error)}); trying again`),
    });
    const subscription = await bus.follow(source, projector);
    this.#closers.push(async () => {
      projector.stop();
      await subscription.stop();
    });
  }

  #raise(kind: string, subject: string, detail: string): void {
    const incident = raiseIncident({ incidentId: uuidV7(), kind, subject, detail });
    // A lane that has stopped takes nothing more; the line in the log stays.
    this.#lane?.run([incident]).catch((error) => this.#logger.warn(`${kind} was not recorded (${oneLine(error)})`));
  }

  #lost(error: Error): void {
    if (this.#closing) return;
    if (this.options.onLost) this.options.onLost(error);
    else endProcess(this.options.name, error);
  }
}

function whenOpen<Member>(member: Member | null): Member {
  if (member === null) throw new Error('the event log is not open yet');
  return member;
}
