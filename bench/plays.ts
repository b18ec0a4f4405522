import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { fetchToken } from '../apps/enjeu/src/commands/token.ts';
import type { RunningPlatform } from '../apps/enjeu/src/running-platform.ts';
import { startBaseline } from './baseline/start.ts';
import { figure, median, percentile, table } from './figures.ts';
import { HttpConnection } from './http-connection.ts';
import { BenchPlatform } from './platform.ts';
import { machineCpuSeconds, type Usage, usageOf } from './processes.ts';

export const PLAYERS = 1_000;
const TOKENS_AT_ONCE = 20;
const CONCURRENCIES = [1, 32, 256] as const;
const OFFERS = [
  ['sudoku', 50],
  ['pharaon', 50],
] as const;
const HISTORY_POLL_MS = 3;
/** Plays whose way into the history is watched: few, since whoever asks often measures his own questions. */
const SAMPLE_EVERY_MS = 150;

export interface Load {
  /** Before anything is measured: a fresh process runs slow code for its first thousands of plays. */
  readonly heatUpMs: number;
  readonly warmUpMs: number;
  readonly measureMs: number;
  readonly rounds: number;
}

export const WHOLE: Load = { heatUpMs: 8_000, warmUpMs: 1_500, measureMs: 5_000, rounds: 3 };
export const QUICK: Load = { heatUpMs: 2_500, warmUpMs: 300, measureMs: 1_500, rounds: 1 };

/** What one round at one concurrency gave. Times in milliseconds. */
export interface Round {
  readonly playsPerSecond: number;
  readonly answers: readonly number[];
  readonly visible: readonly number[];
  readonly pending: number;
  readonly refused: number;
  readonly usage: Record<string, Usage>;
  readonly plays: number;
  readonly foreignCpu: number;
  readonly bytes: Readonly<Record<string, number>>;
}

/** A thing that takes plays over HTTP: the platform, or the baseline behind the same door. */
export interface Target {
  readonly url: string;
  readonly tokens: readonly string[];
  pids(): Record<string, number>;
  /** Resolves when the play stands settled in the history; null where there is no history of its own. */
  readonly untilVisible: ((playId: string) => Promise<void>) | null;
  /** Sizes in bytes that grow with plays. */
  sizes(): Promise<Record<string, number>>;
}

/** Complete plays, from the HTTP request until they stand in the history, at fixed numbers in flight, beside a baseline. */
export async function benchPlays(args: readonly string[]): Promise<void> {
  const load = args.includes('--quick') ? QUICK : WHOLE;
  const buses = (['postgres', 'kafka'] as const).filter((bus) => !args.includes('--bus') || args.includes(bus));
  const rates: Record<string, number> = {};
  for (const bus of buses) {
    const platform = new BenchPlatform(PLAYERS);
    try {
      await platform.start(bus);
      const target = await platformTarget(platform);
      const results = await measure(`${bus} bus`, target, load);
      rates[bus] = results.get(256) ?? Number.NaN;
      if (bus === buses[0]) {
        const baseline = await startBaseline(platform.running(), platform.superuserUrl());
        const control = {
          ...target,
          url: baseline.url,
          pids: () => ({ baseline: baseline.pid, postgres: platform.running().pids['postgres'] ?? 0 }),
          untilVisible: null,
        };
        rates['baseline'] =
          (await measure('baseline: one transaction a play, pool of 32', control, load)).get(256) ?? Number.NaN;
        await baseline.stop();
      }
    } finally {
      await platform.dispose();
    }
  }
  for (const [bus, goal] of [
    ['postgres', 3],
    ['kafka', 2],
  ] as const) {
    const ratio = (rates[bus] ?? Number.NaN) / (rates['baseline'] ?? Number.NaN);
    if (!Number.isNaN(ratio))
      console.log(`${bus} against the baseline at 256 in flight: ${figure(ratio)} times (goal ${goal})`);
  }
}

export async function platformTarget(platform: BenchPlatform): Promise<Target> {
  const running = platform.running();
  const tokens: string[] = [];
  for (let n = 1; n <= PLAYERS; n += TOKENS_AT_ONCE) {
    const names = Array.from({ length: TOKENS_AT_ONCE }, (_, index) => `demo-${n + index}`);
    tokens.push(...(await Promise.all(names.map((name) => fetchToken(running, name)))));
  }
  return {
    url: running.gatewayUrl,
    tokens,
    pids: () => platform.pids(),
    untilVisible: (playId) => untilVisible(running, playId),
    sizes: async () => ({ ...(await databaseSizes(running)), ...topicSizes(platform.data) }),
  };
}

/** Rounds at each concurrency; prints a table, and gives the median plays per second by concurrency. */
async function measure(name: string, target: Target, load: Load): Promise<Map<number, number>> {
  const medians = new Map<number, number>();
  const rows: string[][] = [];
  const firsts = new Map<number, Round>();
  await round(target, 64, { ...load, warmUpMs: 0, measureMs: load.heatUpMs });
  for (const inFlight of CONCURRENCIES) {
    const rounds: Round[] = [];
    for (let n = 0; n < load.rounds; n += 1) rounds.push(await round(target, inFlight, load));
    const of = (pick: (round: Round) => number) => median(rounds.map(pick));
    medians.set(
      inFlight,
      of((one) => one.playsPerSecond),
    );
    if (rounds[0]) firsts.set(inFlight, rounds[0]);
    rows.push([
      String(inFlight),
      figure(of((one) => one.playsPerSecond)),
      figure(of((one) => percentile(one.answers, 0.5))),
      figure(of((one) => percentile(one.answers, 0.99))),
      figure(of((one) => percentile(one.visible, 0.5))),
      figure(of((one) => percentile(one.visible, 0.99))),
      figure(of((one) => cpuMsAPlay(one))),
      figure(of((one) => one.foreignCpu)),
      String(rounds.reduce((sum, one) => sum + one.pending, 0)),
      String(rounds.reduce((sum, one) => sum + one.refused, 0)),
    ]);
  }
  console.log(`\n${name}\n`);
  console.log(
    table(
      [
        'in flight',
        'plays/s',
        'answer p50, ms',
        'p99',
        'in the history p50, ms',
        'p99',
        'CPU a play, ms',
        'foreign cores',
        'pending',
        'refused',
      ],
      rows,
    ),
  );
  printProcesses(firsts);
  return medians;
}

function printProcesses(rounds: ReadonlyMap<number, Round>): void {
  const all = [...rounds.values()];
  const cpu = (name: string) => all.map(({ usage, plays }) => figure(((usage[name]?.cpuSeconds ?? 0) * 1000) / plays));
  const rows = Object.entries(all.at(-1)?.usage ?? {}).map(([name, { memoryMib }]) => [
    name,
    ...cpu(name),
    figure(memoryMib),
  ]);
  const headings = [...rounds.keys()].map((inFlight) => `CPU a play at ${inFlight}, ms`);
  console.log(`\n${table(['process', ...headings, 'memory, MiB'], rows)}`);
  const last = all.at(-1);
  if (!last) return;
  const bytes = Object.entries(last.bytes).map(([name, size]) => [name, figure(size / last.plays)]);
  console.log(`\n${table(['storage', 'bytes a play'], bytes)}`);
}

export function cpuMsAPlay({ usage, plays }: Round): number {
  return (Object.values(usage).reduce((sum, { cpuSeconds }) => sum + cpuSeconds, 0) * 1000) / plays;
}

export async function round(target: Target, inFlight: number, load: Load): Promise<Round> {
  const connections = await Promise.all(Array.from({ length: inFlight }, () => HttpConnection.open(target.url)));
  const [answers, visible]: [number[], number[]] = [[], []];
  let [pending, refused, going, measuring] = [0, 0, true, false];
  const sampled: Promise<void>[] = [];
  let sampleAt = 0;
  const drive = async (connection: HttpConnection, worker: number) => {
    for (let n = worker; going; n += inFlight) {
      const [game, stakeCents] = OFFERS[n % OFFERS.length] ?? OFFERS[0];
      const token = target.tokens[n % target.tokens.length] ?? '';
      const startedAt = performance.now();
      const headers = `authorization: Bearer ${token}\r\nidempotency-key: ${randomUUID()}\r\n`;
      const { status, body } = await connection.post(
        '/api/v1/plays',
        headers,
        `{"game":"${game}","stakeCents":${stakeCents}}`,
      );
      if (!measuring) continue;
      if (status !== 201 && status !== 202) {
        refused += 1;
        continue;
      }
      answers.push(performance.now() - startedAt);
      if (status === 202) pending += 1;
      if (target.untilVisible && performance.now() >= sampleAt) {
        sampleAt = performance.now() + SAMPLE_EVERY_MS;
        const playId = (JSON.parse(body) as { playId: string }).playId;
        sampled.push(target.untilVisible(playId).then(() => void visible.push(performance.now() - startedAt)));
      }
    }
  };
  const workers = connections.map(drive);
  await pause(load.warmUpMs);
  const [usageBefore, machineBefore, ownBefore, sizesBefore] = [
    usageOf(target.pids()),
    machineCpuSeconds(),
    process.cpuUsage(),
    await target.sizes(),
  ];
  measuring = true;
  const startedAt = performance.now();
  await pause(load.measureMs);
  measuring = false;
  const seconds = (performance.now() - startedAt) / 1000;
  const plays = answers.length;
  const usage = difference(usageOf(target.pids()), usageBefore);
  const own = process.cpuUsage(ownBefore);
  const sizesAfter = await target.sizes();
  const ours =
    Object.values(usage).reduce((sum, { cpuSeconds }) => sum + cpuSeconds, 0) + (own.user + own.system) / 1e6;
  const foreignCpu = Math.max(0, machineCpuSeconds() - machineBefore - ours) / seconds;
  going = false;
  await Promise.all(workers);
  await Promise.all(sampled);
  for (const connection of connections) connection.close();
  const bytes = Object.fromEntries(
    Object.entries(sizesAfter).map(([name, size]) => [name, size - (sizesBefore[name] ?? 0)]),
  );
  return { playsPerSecond: plays / seconds, answers, visible, pending, refused, usage, plays, foreignCpu, bytes };
}

function difference(after: Record<string, Usage>, before: Record<string, Usage>): Record<string, Usage> {
  return Object.fromEntries(
    Object.entries(after).map(([name, usage]) => [
      name,
      { cpuSeconds: usage.cpuSeconds - (before[name]?.cpuSeconds ?? 0), memoryMib: usage.memoryMib },
    ]),
  );
}

/** Asks history itself, not the gateway, which may know the outcome earlier. */
async function untilVisible(running: RunningPlatform, playId: string): Promise<void> {
  for (;;) {
    const response = await fetch(`${running.serviceUrls['history']}/internal/v1/plays/find`, {
      method: 'POST',
      headers: { authorization: `Bearer ${running.serviceToken}`, 'content-type': 'application/json' },
      body: JSON.stringify({ playIds: [playId] }),
    });
    const { items } = (await response.json()) as { items: { status: string }[] };
    if (items[0] && items[0].status !== 'pending') return;
    await pause(HISTORY_POLL_MS);
  }
}

/** What the broker's topics hold, where one runs on this data. */
function topicSizes(data: string): Record<string, number> {
  const folder = join(data, 'kafka', 'data');
  if (!existsSync(folder)) return {};
  const segments = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) =>
    /^enjeu\..*\.log$/.test(path),
  );
  return { topics: segments.reduce((sum, path) => sum + statSync(join(folder, path)).size, 0) };
}

/** Sizes of the databases, and of what the write-ahead log has been given. */
async function databaseSizes(running: RunningPlatform): Promise<Record<string, number>> {
  const client = new pg.Client({ connectionString: running.logUrls['wallet'] });
  await client.connect();
  try {
    const { rows } = await client.query<{ name: string; size: string }>(`
      select datname as name, pg_database_size(oid) as size from pg_database where datname in ('wallet', 'issuance', 'history')
      union all
      select 'write-ahead log', pg_current_wal_insert_lsn() - '0/0'
    `);
    return Object.fromEntries(rows.map(({ name, size }) => [name, Number(size)]));
  } finally {
    await client.end();
  }
}
