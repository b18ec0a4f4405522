import { randomBytes } from 'node:crypto';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { Failure } from '../failure.ts';
import { accepts, choosePort } from './ports.ts';
import { type PostgresPrograms, postgresPrograms } from './postgres-programs.ts';
import { isAlive, signal, waitUntilGone } from './processes.ts';

const SUPERUSER = 'enjeu';
const START_TIMEOUT_SECONDS = 120;
const STOP_TIMEOUT_MS = 60_000;
const LOG_SIZE_TO_ROTATE = 4_000_000;

export interface PostgresOptions {
  /** Folder for the cluster, its password, port and log; made when it is missing. */
  readonly dataDir: string;
  /** TCP port on the loopback interface; by default the one of the last time, at first a free one. */
  readonly port?: number;
  /** Server settings beside the defaults, as in postgresql.conf: `{ fsync: 'off' }`. A running server keeps its own. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Told, in a few words, what takes time. */
  readonly onProgress?: (step: string) => void;
  /** False where user namespaces must not be tried; matters to root only. */
  readonly namespaces?: boolean;
}

export interface RunningPostgres {
  /** `postgres://enjeu:…@127.0.0.1:PORT/postgres`, of the superuser. */
  readonly url: string;
  readonly port: number;
  /** Process number of the server. */
  readonly pid: number;
  /** True when a server that an earlier launcher had left behind was taken over. */
  readonly takenOver: boolean;
  /** Whether the server still lives. */
  running(): boolean;
  /** Ends sessions and stops the server in order (fast shutdown); nothing when it is gone already. */
  stop(): Promise<void>;
  /** Kills the server as a crash would, for tests; the next start recovers. */
  kill9(): Promise<void>;
}

interface Place {
  readonly home: string;
  readonly cluster: string;
  readonly log: string;
  readonly password: string;
  readonly programs: PostgresPrograms;
}

/**
 * Starts PostgreSQL on this folder, or takes over the server that already runs on it. Everything that a person can put
 * right (a taken port, a folder that cannot be reached or is damaged) is refused with a Failure of one line.
 * Durable by default. The server lives in a process group of its own and outlives the process that started it.
 */
export async function startPostgres(options: PostgresOptions): Promise<RunningPostgres> {
  const place = await openPlace(options);
  const left = await findServer(place);
  if (left) {
    options.onProgress?.('taking over the PostgreSQL that is still running');
    return running(place, left, true);
  }
  const port = await choosePort('PostgreSQL', options.port, keptPort(place));
  await initialise(place, options);
  configure(place, port, options.settings ?? {});
  await start(place, port);
  return running(place, await whatWasStarted(place), false);
}

/** A server that was started and cannot be used is not left running. */
async function whatWasStarted(place: Place): Promise<Server> {
  try {
    const server = await findServer(place);
    if (server) return server;
  } catch (error) {
    await place.programs.run('pg_ctl', ['stop', '-D', place.cluster, '-m', 'fast', '-w']);
    throw error;
  }
  throw new Failure(`PostgreSQL started on ${place.cluster} and was gone at once: see ${place.log}.`);
}

/** Stops the server that an earlier launcher left behind on this folder; false where none runs. */
export async function stopPostgresIn(dataDir: string): Promise<boolean> {
  if (!existsSync(join(dataDir, 'cluster', 'postmaster.pid'))) return false;
  const place = await openPlace({ dataDir });
  const left = await findServer(place);
  if (!left) return false;
  await end(left.pid, place);
  return true;
}

async function openPlace(options: PostgresOptions): Promise<Place> {
  const wanted = resolve(options.dataDir);
  try {
    mkdirSync(wanted, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new Failure(`the data folder ${wanted} cannot be made: ${(error as Error).message}.`);
  }
  const home = realpathSync(wanted);
  const cluster = join(home, 'cluster');
  const programs = await postgresPrograms(home, cluster, {
    ...(options.namespaces !== undefined && { namespaces: options.namespaces }),
  });
  if (!(await programs.canUse(home))) {
    throw new Failure(
      `PostgreSQL cannot reach its data folder ${home}: it runs as ${programs.user}, ` +
        'who needs the folder itself and entry (x) to every folder above it, and to its programs in node_modules.',
    );
  }
  refuseDamage(home, cluster);
  return { home, cluster, log: join(home, 'server.log'), password: passwordOf(home, programs), programs };
}

/** What PostgreSQL itself would tell without saying what to do, or only after it was started. */
function refuseDamage(home: string, cluster: string): void {
  if (!existsSync(cluster)) return;
  const missing = [join(cluster, 'PG_VERSION'), join(home, 'password')].find((file) => !existsSync(file));
  if (missing === undefined) return;
  throw new Failure(`the database is damaged: ${missing} is missing. Restore it from a copy, or start with --fresh.`);
}

/** Made once, before the cluster, so that a first start that was interrupted goes on with the same. */
function passwordOf(home: string, programs: PostgresPrograms): string {
  const file = join(home, 'password');
  if (!existsSync(file)) writeFileSync(file, randomBytes(24).toString('hex'), { mode: 0o600 });
  programs.handOver(file);
  return readFileSync(file, 'utf8').trim();
}

/** Makes the cluster beside its place and moves it there when whole: an interrupted initdb leaves no half cluster. */
async function initialise({ home, cluster, programs }: Place, options: PostgresOptions): Promise<void> {
  if (existsSync(cluster)) return;
  options.onProgress?.('making a database cluster');
  const fresh = join(home, 'cluster.new');
  rmSync(fresh, { recursive: true, force: true });
  const made = await programs.run('initdb', [
    ...['-D', fresh, '-U', SUPERUSER, '-A', 'scram-sha-256', '--pwfile', join(home, 'password')],
    ...['-E', 'UTF8', '--locale=C', '--no-instructions'],
  ]);
  if (made.code !== 0) throw new Failure(`initdb failed in ${home}: ${lastWords(made.output)}`);
  appendFileSync(join(fresh, 'postgresql.conf'), "\ninclude_if_exists 'enjeu.conf'\n");
  renameSync(fresh, cluster);
}

function configure({ cluster, programs }: Place, port: number, settings: Readonly<Record<string, string>>): void {
  const all = {
    listen_addresses: '127.0.0.1',
    port: String(port),
    unix_socket_directories: '',
    max_connections: '200',
    timezone: 'UTC',
    log_timezone: 'UTC',
    jit: 'off',
    max_wal_senders: '0',
    ...settings,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name} = '${value.replaceAll("'", "''")}'\n`);
  const file = join(cluster, 'enjeu.conf');
  try {
    writeFileSync(file, lines.join(''), { mode: 0o600 });
    programs.handOver(file);
  } catch (error) {
    throw new Failure(`the cluster in ${cluster} cannot be written to: ${(error as Error).message}.`);
  }
}

function keptPort({ cluster }: Place): number | null {
  const file = join(cluster, 'enjeu.conf');
  const kept = existsSync(file) ? /^port = '(\d+)'$/m.exec(readFileSync(file, 'utf8')) : null;
  return kept ? Number(kept[1]) : null;
}

async function start(place: Place, port: number): Promise<void> {
  rotateLog(place.log);
  const until = Date.now() + 15_000;
  for (;;) {
    const from = existsSync(place.log) ? statSync(place.log).size : 0;
    const started = await place.programs.run('pg_ctl', [
      ...['start', '-D', place.cluster, '-l', place.log, '-w', '-t', String(START_TIMEOUT_SECONDS)],
    ]);
    if (started.code === 0) return;
    const said = existsSync(place.log) ? readFileSync(place.log).subarray(from).toString() : '';
    if (/could not bind/.test(said)) {
      throw new Failure(
        `port ${port}, which PostgreSQL wants, is taken by another program: free it or choose another.`,
      );
    }
    // The sessions of a server that was killed need a moment to notice it.
    const dying = /pre-existing shared memory block|lock file "postmaster.pid" already exists/.test(said);
    if (!dying || Date.now() > until) {
      throw new Failure(
        `PostgreSQL does not start on ${place.cluster}: ${lastWords(said || started.output)} (${place.log})`,
      );
    }
    await sleep(200);
  }
}

function rotateLog(log: string): void {
  if (existsSync(log) && statSync(log).size > LOG_SIZE_TO_ROTATE) renameSync(log, `${log}.old`);
}

/** The reason in what a program printed: its errors with their details, in one line. */
function lastWords(output: string): string {
  const lines = output
    .split('\n')
    .map((line) => line.replace(/^.*?(FATAL|PANIC|ERROR|DETAIL|HINT):\s*/, '$1: ').trim());
  const errors = lines.filter((line) => /^(FATAL|PANIC|ERROR|DETAIL|HINT|initdb|pg_ctl|postgres): /.test(line));
  const words = (errors.length > 0 ? errors : lines.filter(Boolean)).slice(-3);
  return words.join(' ').slice(0, 600) || 'it said nothing';
}

interface Server {
  readonly pid: number;
  readonly port: number;
}

/** The server that runs on this cluster, whoever started it; a stale postmaster.pid is removed. */
async function findServer(place: Place): Promise<Server | null> {
  const file = join(place.cluster, 'postmaster.pid');
  if (!existsSync(file)) return null;
  const status = await place.programs.run('pg_ctl', ['status', '-D', place.cluster]);
  if (status.code !== 0) return null;
  const lines = readFileSync(file, 'utf8').split('\n');
  const server = { pid: Number(lines[0]), port: Number(lines[3]) };
  if (!servesFrom(server.pid, place.cluster)) {
    rmSync(file, { force: true });
    return null;
  }
  await untilItAnswers(place, server);
  return server;
}

/** Numbers of processes are used again: a server works in its cluster's folder, which tells it from any other process. */
function servesFrom(pid: number, cluster: string): boolean {
  if (process.platform !== 'linux') return isAlive(pid);
  try {
    return readlinkSync(`/proc/${pid}/cwd`) === cluster;
  } catch {
    return false;
  }
}

async function untilItAnswers(place: Place, server: Server): Promise<void> {
  const until = Date.now() + 30_000;
  for (;;) {
    const client = new pg.Client({ connectionString: urlOf(place, server), connectionTimeoutMillis: 5_000 });
    client.on('error', () => undefined);
    try {
      await client.connect();
      await client.query('select 1');
      return;
    } catch (error) {
      const wrongPassword = (error as { code?: string }).code === '28P01';
      if (wrongPassword || Date.now() > until || !isAlive(server.pid)) {
        const advice = wrongPassword ? `; restore ${join(place.home, 'password')} from a copy` : '';
        throw new Failure(
          `PostgreSQL runs on ${place.cluster} as process ${server.pid} and cannot be used on port ${server.port}: ${(error as Error).message}${advice}`,
        );
      }
      await sleep((await accepts(server.port)) ? 100 : 300);
    } finally {
      await client.end().catch(() => undefined);
    }
  }
}

function urlOf({ password }: Place, { port }: Server): string {
  return `postgres://${SUPERUSER}:${password}@127.0.0.1:${port}/postgres`;
}

async function end(pid: number, { cluster }: Place): Promise<void> {
  if (!servesFrom(pid, cluster)) return;
  signal(pid, 'SIGINT');
  if (await waitUntilGone(pid, STOP_TIMEOUT_MS)) return;
  signal(pid, 'SIGQUIT');
  await waitUntilGone(pid, 5_000);
}

function running(place: Place, server: Server, takenOver: boolean): RunningPostgres {
  return {
    ...server,
    takenOver,
    url: urlOf(place, server),
    running: () => isAlive(server.pid),
    stop: () => end(server.pid, place),
    kill9: async () => {
      if (!servesFrom(server.pid, place.cluster)) return;
      signal(server.pid, 'SIGKILL');
      await waitUntilGone(server.pid, 5_000);
    },
  };
}
