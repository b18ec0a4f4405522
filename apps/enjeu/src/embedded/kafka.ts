import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Failure } from '../failure.ts';
import { defaultJarsDir, kafkaClassPath } from './kafka-jars.ts';
import { accepts, choosePort } from './ports.ts';
import { isAlive, run, signal, waitUntilGone } from './processes.ts';

const READY_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 30_000;
/** A small heap, the simplest collector and no optimising compiler: ready in half the time, enough for one machine. */
const JAVA_OPTIONS = ['-Xmx512m', '-Xms256m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1'];

export interface KafkaOptions {
  /** Folder for the broker's data, ports and log; made when it is missing. */
  readonly dataDir: string;
  /** TCP port on the loopback interface; by default the one of the last time, at first a free one. */
  readonly port?: number;
  /** Where the jars are kept between runs; by default in node_modules. */
  readonly jarsDir?: string;
  /** Told, in a few words, what takes time. */
  readonly onProgress?: (step: string) => void;
}

export interface RunningKafka {
  /** For `KAFKA_BROKERS`: `127.0.0.1:PORT`. */
  readonly brokers: string;
  /** Process number of the broker; another one after `restart`. */
  readonly pid: number;
  /** True when a broker that an earlier launcher had left behind was taken over. */
  readonly takenOver: boolean;
  /** Whether the broker still lives. */
  running(): boolean;
  /** Stops it in order; nothing when it is gone already. */
  stop(): Promise<void>;
  /** Kills it as a crash would. */
  kill9(): Promise<void>;
  /** Starts it again on the same port and data, after `stop`, `kill9` or a crash; a running one is stopped first. */
  restart(): Promise<void>;
}

/** What is known of a broker from one start to the next. */
interface Kept {
  readonly port: number;
  readonly controllerPort: number;
  readonly pid: number;
}

interface Place {
  readonly home: string;
  readonly properties: string;
  readonly kept: string;
  readonly log: string;
}

/**
 * Starts one Kafka broker in KRaft mode on this folder, or takes over the one that already runs on it. What a person can
 * put right (no Java, a taken port, a folder that cannot be written) is refused with a Failure of one line. The broker
 * lives in a process group of its own and outlives the process that started it. Topics are never made by themselves.
 */
export async function startKafka(options: KafkaOptions): Promise<RunningKafka> {
  const onProgress = options.onProgress ?? (() => undefined);
  const classPath = await kafkaClassPath(options.jarsDir ?? defaultJarsDir(), onProgress);
  const place = openPlace(options.dataDir);
  const left = readKept(place);
  if (left && isBroker(left.pid, place)) {
    onProgress('taking over the Kafka that is still running');
    await untilReady(left.pid, left.port, place);
    return running(place, classPath, left, true);
  }
  const port = await choosePort('Kafka', options.port, left?.port ?? null);
  const controllerPort = await choosePort('Kafka', undefined, left?.controllerPort ?? null);
  configure(place, port, controllerPort);
  await format(place, classPath, onProgress);
  return running(place, classPath, await launch(place, classPath, port, controllerPort), false);
}

/** Stops the broker that an earlier launcher left behind in this folder; false where none runs. */
export async function stopKafkaIn(dataDir: string): Promise<boolean> {
  const place = placeIn(dataDir);
  const left = readKept(place);
  if (!left || !isBroker(left.pid, place)) return false;
  await end(left.pid, place);
  return true;
}

/**
 * The broker that `KAFKA_BROKERS` names (never stopped, killed or restarted from here) or else one of our own.
 */
export async function findKafka(options: KafkaOptions): Promise<Pick<RunningKafka, 'brokers' | 'running' | 'stop'>> {
  const brokers = process.env['KAFKA_BROKERS'];
  if (!brokers) return startKafka(options);
  return { brokers, running: () => true, stop: async () => undefined };
}

function openPlace(dataDir: string): Place {
  const wanted = resolve(dataDir);
  try {
    mkdirSync(join(wanted, 'data'), { recursive: true });
    writeFileSync(join(wanted, 'broker.log'), '', { flag: 'a' });
  } catch (error) {
    throw new Failure(`Kafka cannot use its data folder ${wanted}: ${(error as Error).message}.`);
  }
  return placeIn(wanted);
}

function placeIn(dataDir: string): Place {
  const home = existsSync(dataDir) ? realpathSync(dataDir) : resolve(dataDir);
  return {
    home,
    properties: join(home, 'server.properties'),
    kept: join(home, 'broker.json'),
    log: join(home, 'broker.log'),
  };
}

function readKept({ kept }: Place): Kept | null {
  return existsSync(kept) ? (JSON.parse(readFileSync(kept, 'utf8')) as Kept) : null;
}

function configure({ home, properties }: Place, port: number, controllerPort: number): void {
  const settings = {
    'process.roles': 'broker,controller',
    'node.id': '1',
    'controller.quorum.voters': `1@127.0.0.1:${controllerPort}`,
    listeners: `PLAINTEXT://127.0.0.1:${port},CONTROLLER://127.0.0.1:${controllerPort}`,
    'advertised.listeners': `PLAINTEXT://127.0.0.1:${port}`,
    'listener.security.protocol.map': 'PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT',
    'controller.listener.names': 'CONTROLLER',
    'inter.broker.listener.name': 'PLAINTEXT',
    'log.dirs': join(home, 'data'),
    'auto.create.topics.enable': 'false',
    'offsets.topic.replication.factor': '1',
    'offsets.topic.num.partitions': '4',
    'transaction.state.log.replication.factor': '1',
    'transaction.state.log.min.isr': '1',
    'transaction.state.log.num.partitions': '1',
    'share.coordinator.state.topic.replication.factor': '1',
    'share.coordinator.state.topic.min.isr': '1',
    'share.coordinator.state.topic.num.partitions': '1',
    'group.initial.rebalance.delay.ms': '0',
    'broker.session.timeout.ms': '1500',
    'broker.heartbeat.interval.ms': '300',
    'log.cleaner.dedupe.buffer.size': '8388608',
    'num.io.threads': '4',
    'num.network.threads': '2',
  };
  writeFileSync(
    properties,
    Object.entries(settings)
      .map(([name, value]) => `${name}=${value}\n`)
      .join(''),
  );
}

async function format(
  { home, properties }: Place,
  classPath: string,
  onProgress: (step: string) => void,
): Promise<void> {
  if (existsSync(join(home, 'data', 'meta.properties'))) return;
  onProgress('formatting the Kafka log');
  const id = `E${randomBytes(16).toString('base64url').slice(1, 21)}A`;
  const tool = ['-cp', classPath, 'kafka.tools.StorageTool', 'format', '-t', id, '-c', properties];
  const formatted = await run('java', tool);
  if (formatted.code !== 0) throw new Failure(`Kafka cannot format ${home}: ${lastWords(formatted.output)}`);
}

async function launch(place: Place, classPath: string, port: number, controllerPort: number): Promise<Kept> {
  const log = openSync(place.log, 'w');
  const broker = spawn('java', [...JAVA_OPTIONS, '-cp', classPath, 'kafka.Kafka', place.properties], {
    cwd: place.home,
    detached: true,
    stdio: ['ignore', log, log],
  });
  closeSync(log);
  const pid = broker.pid;
  broker.on('error', () => undefined);
  if (pid === undefined) throw new Failure('java could not be started.');
  broker.unref();
  const kept = { port, controllerPort, pid };
  writeFileSync(place.kept, JSON.stringify(kept));
  try {
    await untilReady(pid, port, place);
  } catch (error) {
    await end(pid, place);
    throw error;
  }
  return kept;
}

/** Numbers of processes are used again: a broker names its properties on its command line. */
function isBroker(pid: number, { properties }: Place): boolean {
  if (!isAlive(pid)) return false;
  if (process.platform !== 'linux') return true;
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').includes(properties);
  } catch {
    return false;
  }
}

async function untilReady(pid: number, port: number, place: Place): Promise<void> {
  const until = Date.now() + READY_TIMEOUT_MS;
  while (!((await accepts(port)) && (await listsItself(port)))) {
    if (!isAlive(pid)) {
      throw new Failure(`Kafka does not start in ${place.home}: ${lastWords(readFileSync(place.log, 'utf8'))}`);
    }
    if (Date.now() > until)
      throw new Failure(`Kafka is not ready after ${READY_TIMEOUT_MS / 1000} s: see ${place.log}`);
    await sleep(100);
  }
}

async function listsItself(port: number): Promise<boolean> {
  // Loaded here alone: a launcher without a broker of its own needs none of it.
  const { default: kafkajs } = await import('kafkajs');
  const client = new kafkajs.Kafka({
    brokers: [`127.0.0.1:${port}`],
    logLevel: kafkajs.logLevel.NOTHING,
    connectionTimeout: 2_000,
    requestTimeout: 3_000,
    retry: { retries: 0 },
  });
  const admin = client.admin();
  try {
    await admin.connect();
    return (await admin.describeCluster()).brokers.length === 1;
  } catch {
    return false;
  } finally {
    await admin.disconnect().catch(() => undefined);
  }
}

/** The reason in what the broker printed, in one line. */
function lastWords(output: string): string {
  const lines = output.split('\n').filter((line) => /ERROR|FATAL|Exception|Error:/.test(line) && !/^\s+at /.test(line));
  return (lines.slice(-2).join(' ') || output.trim().slice(-300) || 'it said nothing').slice(0, 600);
}

async function end(pid: number, place: Place): Promise<void> {
  if (!isBroker(pid, place)) return;
  signal(pid, 'SIGTERM');
  if (await waitUntilGone(pid, STOP_TIMEOUT_MS)) return;
  await kill(pid, place);
}

async function kill(pid: number, place: Place): Promise<void> {
  if (!isBroker(pid, place)) return;
  signal(pid, 'SIGKILL');
  await waitUntilGone(pid, 5_000);
}

function running(place: Place, classPath: string, first: Kept, takenOver: boolean): RunningKafka {
  let now = first;
  return {
    brokers: `127.0.0.1:${first.port}`,
    get pid() {
      return now.pid;
    },
    takenOver,
    running: () => isBroker(now.pid, place),
    stop: () => end(now.pid, place),
    kill9: () => kill(now.pid, place),
    restart: async () => {
      await end(now.pid, place);
      now = await launch(place, classPath, first.port, first.controllerPort);
    },
  };
}
