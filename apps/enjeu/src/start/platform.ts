import { rmSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { ensureDatabase, ensureRole, inDatabase } from '../embedded/databases.ts';
import { type RunningKafka, startKafka, stopKafkaIn } from '../embedded/kafka.ts';
import { claimPort, freePort } from '../embedded/ports.ts';
import { type RunningPostgres, startPostgres } from '../embedded/postgres.ts';
import { Failure } from '../failure.ts';
import { platformFile, type RunningPlatform } from '../running-platform.ts';
import { KeptProcess } from './child-process.ts';
import { type DataFolder, writeWhole } from './data-folder.ts';
import { type ServiceName, serviceSpecs, urlOf } from './services.ts';

const READY_PATIENCE_MS = 120_000;
const POLL_MS = 100;
const WATCH_MS = 500;
/** A service that ends this often before it was ever ready will not get better by itself. */
const DEATHS_AT_START = 3;

export interface PlatformOptions {
  readonly folder: DataFolder;
  readonly bus: 'postgres' | 'kafka';
  /** What `KAFKA_BROKERS` names, on kafka; null for a broker of our own. */
  readonly brokers: string | null;
  readonly ports: { readonly gateway: number; readonly identity: number };
  readonly demoPlayers: number;
  /** The folders of the regulations that are offered, joined by `:`. */
  readonly regulations: string;
  readonly say: (line: string) => void;
  /** Ends a start that is under way; it then rejects. */
  readonly stop: AbortSignal;
}

/** PostgreSQL, the broker where one is used, and every service as a process of its own, kept running until `stop`. */
export class Platform {
  readonly #processes: Record<ServiceName, KeptProcess>;
  #watch: NodeJS.Timeout | null = null;
  #stopping = false;
  #published = '';
  #unpublished = false;

  private constructor(
    private readonly options: PlatformOptions,
    private readonly ports: Readonly<Record<ServiceName, number>>,
    private postgres: RunningPostgres,
    private kafka: RunningKafka | null,
    private readonly logUrls: Readonly<Record<'wallet' | 'issuance', string>>,
    specs: ReturnType<typeof serviceSpecs>,
  ) {
    const keep = (name: ServiceName) => new KeptProcess(specs[name], options.say, () => this.#publish());
    this.#processes = {
      identity: keep('identity'),
      wallet: keep('wallet'),
      issuance: keep('issuance'),
      history: keep('history'),
      gateway: keep('gateway'),
    };
  }

  /** Starts everything and resolves when all services are ready. On a Failure whatever was started is stopped again. */
  static async start(options: PlatformOptions): Promise<Platform> {
    const { folder, say, ports, stop } = options;
    await claimPort(ports.gateway, 'the gateway', ' with ENJEU_PORT');
    await claimPort(ports.identity, 'the identity provider', ' with ENJEU_IDENTITY_PORT');
    const postgres = await startPostgres({ dataDir: folder.postgres, onProgress: say });
    let kafka: RunningKafka | null = null;
    try {
      stop.throwIfAborted();
      if (options.bus === 'kafka' && options.brokers === null) {
        kafka = await startKafka({ dataDir: folder.kafka, onProgress: say });
      } else if (await stopKafkaIn(folder.kafka)) {
        say('stopped a Kafka broker that an earlier run had left');
      }
      stop.throwIfAborted();
      const platform = await Platform.#assemble(options, postgres, kafka);
      await platform.#startServices().catch(async (error) => {
        await platform.stop();
        throw error;
      });
      return platform;
    } catch (error) {
      await kafka?.stop();
      await postgres.stop();
      throw error;
    }
  }

  static async #assemble(options: PlatformOptions, postgres: RunningPostgres, kafka: RunningKafka | null) {
    const { folder } = options;
    const reader = await ensureRole(postgres.url, 'enjeu_reader', folder.readerPassword);
    const [wallet, issuance, history] = [
      await ensureDatabase(postgres.url, 'wallet'),
      await ensureDatabase(postgres.url, 'issuance'),
      await ensureDatabase(postgres.url, 'history'),
    ];
    const ports = {
      ...options.ports,
      wallet: await freePort(),
      issuance: await freePort(),
      history: await freePort(),
    };
    const logUrls = { wallet: inDatabase(reader, 'wallet'), issuance: inDatabase(reader, 'issuance') };
    const specs = serviceSpecs(folder, {
      ports,
      bus: options.bus,
      brokers: kafka?.brokers ?? options.brokers,
      databaseUrls: { wallet, issuance, history },
      logUrls,
      demoPlayers: options.demoPlayers,
      regulations: options.regulations,
    });
    return new Platform(options, ports, postgres, kafka, logUrls, specs);
  }

  get gatewayUrl(): string {
    return urlOf(this.ports.gateway);
  }

  get identityUrl(): string {
    return urlOf(this.ports.identity);
  }

  serviceUrl(name: ServiceName): string {
    return urlOf(this.ports[name]);
  }

  async #startServices(): Promise<void> {
    const processes = Object.values(this.#processes);
    for (const process of processes) process.start();
    const deadline = performance.now() + READY_PATIENCE_MS;
    let waitingFor = processes;
    while (waitingFor.length > 0) {
      for (const process of waitingFor) {
        if (process.deaths >= DEATHS_AT_START || performance.now() > deadline) {
          throw new Failure(
            `${process.name} does not start: ${process.lastWords()} (its log: ${process.spec.logFile})`,
          );
        }
      }
      await pause(POLL_MS, undefined, { signal: this.options.stop });
      const ready = await Promise.all(waitingFor.map((process) => process.isReady()));
      waitingFor = waitingFor.filter((_, index) => !ready[index]);
    }
    this.#watch = setInterval(() => void this.#reviveServers(), WATCH_MS);
    this.#publish();
  }

  #reviving = false;

  /** PostgreSQL and the broker are no children of ours: whether they live is looked at twice a second. */
  async #reviveServers(): Promise<void> {
    if (this.#reviving || this.#stopping) return;
    this.#reviving = true;
    const { folder, say } = this.options;
    try {
      if (!this.postgres.running()) {
        say('PostgreSQL ended; it is started again');
        this.postgres = await startPostgres({ dataDir: folder.postgres, port: this.postgres.port, onProgress: say });
      }
      if (this.kafka && !this.kafka.running()) {
        say('the Kafka broker ended; it is started again');
        await this.kafka.restart();
      }
      this.#publish();
    } catch (error) {
      say(`${(error as Error).message}; trying again`);
    } finally {
      this.#reviving = false;
    }
  }

  /** Tells the other commands where everything is, once all of it is ready. */
  #publish(): void {
    if (this.#stopping || !this.#watch) return;
    const { folder, bus } = this.options;
    const pids: Record<string, number> = { postgres: this.postgres.pid };
    if (this.kafka) pids['kafka'] = this.kafka.pid;
    for (const process of Object.values(this.#processes)) if (process.pid !== null) pids[process.name] = process.pid;
    const running: RunningPlatform = {
      bus,
      gatewayUrl: this.gatewayUrl,
      identityUrl: this.identityUrl,
      serviceUrls: {
        wallet: this.serviceUrl('wallet'),
        issuance: this.serviceUrl('issuance'),
        history: this.serviceUrl('history'),
      },
      logUrls: this.logUrls,
      serviceToken: folder.serviceToken,
      cliSecret: folder.cliSecret,
      keysFile: folder.keysFile,
      regulationsFolder: folder.regulations,
      headsFiles: { wallet: folder.headsFile('wallet'), issuance: folder.headsFile('issuance') },
      pids,
    };
    const text = JSON.stringify(running, null, 2);
    if (text === this.#published) return;
    try {
      writeWhole(platformFile(folder.path), text, 0o600);
      this.#published = text;
      this.#unpublished = false;
    } catch (error) {
      // On a full disk the platform goes on; the watch tries again twice a second.
      if (!this.#unpublished)
        this.options.say(`platform.json cannot be written (${(error as Error).message}); trying again`);
      this.#unpublished = true;
    }
  }

  /** In order: the door first, so that nothing new comes in, then the services, then what they stand on. */
  async stop(): Promise<void> {
    this.#stopping = true;
    if (this.#watch) clearInterval(this.#watch);
    rmSync(platformFile(this.options.folder.path), { force: true });
    const { gateway, wallet, issuance, history, identity } = this.#processes;
    await gateway.stop();
    await Promise.all([wallet.stop(), issuance.stop(), history.stop(), identity.stop()]);
    await this.kafka?.stop();
    await this.postgres.stop();
  }
}
