import { spawn } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import {
  loadBeaconCheck,
  parseStrict,
  playDigest,
  prepareBlock,
  publicKeyEntry,
  regulationDigest,
  signCommitment,
  signDisclosure,
  signingKey,
  signOpening,
  verifyReceipt,
} from '#fairness';
import { rulesOf } from '#mechanics';
import { cents } from '#money';
import { type GameRegulation, isGame } from '#regulation';
import { loadJwks, loadRegulations } from '#service';
import { figure, percentile, table } from './figures.ts';
import { HttpConnection } from './http-connection.ts';
import { BenchPlatform } from './platform.ts';
import { PLAYERS, platformTarget, type Target } from './plays.ts';

const ENJEU = fileURLToPath(new URL('../apps/enjeu/src/main.js', import.meta.url));
const SMALL_GAME = fileURLToPath(new URL('../../test/fixtures/games/fruits@2020-01-15.json', import.meta.url));
const PYTHON_VERIFIER = fileURLToPath(new URL('../../test/independent/verify.py', import.meta.url));

const STAKE_CENTS = 50;
/** Those who play the small game; each spends his stakes on it. */
const SMALL_GAME_PLAYERS = 900;
const RECEIPTS_A_SECOND = 100;
const PLAYS_A_SECOND = 200;
const AT_ONCE = 32;
const STATUS_POLL_MS = 50;
const WHOLE_BLOCK_STAKE_CENTS = 100;

interface Extent {
  /** Blocks that are sold out before anything is measured; more than issuance keeps the public part of. */
  readonly oldBlocks: number;
  readonly seconds: number;
}

const WHOLE: Extent = { oldBlocks: 600, seconds: 20 };
const QUICK: Extent = { oldBlocks: 40, seconds: 5 };

interface SettledPlay {
  readonly playId: string;
  readonly token: string;
}

/** What proofs cost: receipts beside running plays, bytes stored of a block, and verifying, with the same from scratch. */
export async function benchFairness(args: readonly string[]): Promise<void> {
  const extent = args.includes('--quick') ? QUICK : WHOLE;
  const folder = mkdtempSync(join(tmpdir(), 'enjeu-fairness-'));
  const platform = new BenchPlatform(PLAYERS);
  try {
    await platform.start('postgres');
    const old = await sellOldBlocks(platform, extent.oldBlocks);
    // What the services and the database remember of the blocks that are sold out is gone after this.
    await platform.stop();
    await platform.start('postgres');
    const receipts = await receiptsBesidePlays(await platformTarget(platform), old, extent.seconds);
    await printStorage(platform);
    await verifyReceipts(receipts, platform.running().keysFile, folder);
    await verifyWholeBlock(folder);
  } finally {
    await platform.dispose();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Sells out whole blocks of a small game; answers one settled play of each. */
async function sellOldBlocks(platform: BenchPlatform, blocks: number): Promise<SettledPlay[]> {
  const { blockSize, game, id } = JSON.parse(readFileSync(SMALL_GAME, 'utf8')) as GameRegulation;
  await enjeu(platform, 'regulation', 'add', SMALL_GAME);
  await enjeu(platform, 'emission', 'approve', id, '0.50', '--blocks', String(blocks), '--by', 'ada', '--by', 'bob');
  const target = await platformTarget(platform);
  const tokens = target.tokens.slice(0, SMALL_GAME_PLAYERS);
  await inTurn(target, tokens.length, async (connection, n) => {
    const headers = `authorization: Bearer ${tokens[n]}\r\nidempotency-key: ${randomUUID()}\r\n`;
    await connection.post('/api/v1/acceptances', headers, JSON.stringify({ regulation: id }));
  });
  const plays: SettledPlay[] = [];
  const startedAt = performance.now();
  await inTurn(target, blocks * blockSize, async (connection, n) => {
    const token = tokens[n % tokens.length] ?? '';
    const playId = await place(connection, token, game);
    if (playId !== null && n % blockSize === 0) plays.push({ playId, token });
  });
  const seconds = (performance.now() - startedAt) / 1000;
  console.log(`${blocks} blocks of ${blockSize} units sold out in ${figure(seconds)} s; one play of each is kept\n`);
  return plays;
}

/** Calls `work` for 0 to count - 1, some at once, each on a connection of its own. */
async function inTurn(
  { url }: Target,
  count: number,
  work: (connection: HttpConnection, n: number) => Promise<void>,
): Promise<void> {
  let next = 0;
  const worker = async () => {
    const connection = await HttpConnection.open(url);
    for (let n = next++; n < count; n = next++) await work(connection, n);
    connection.close();
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

/** The id of a play that is settled, null for one that is not yet, or was refused. */
async function place(connection: HttpConnection, token: string, game: string): Promise<string | null> {
  const headers = `authorization: Bearer ${token}\r\nidempotency-key: ${randomUUID()}\r\n`;
  const body = JSON.stringify({ game, stakeCents: STAKE_CENTS });
  const answer = await connection.post('/api/v1/plays', headers, body);
  return answer.status === 201 ? (JSON.parse(answer.body) as { playId: string }).playId : null;
}

/** Receipts at a fixed rate, of old blocks and of plays just made in turn, beside plays at a fixed rate. */
async function receiptsBesidePlays(target: Target, old: readonly SettledPlay[], seconds: number): Promise<string[]> {
  const fresh: SettledPlay[] = [];
  const plays = new Rate(target.url, PLAYS_A_SECOND, async (connection, n) => {
    const token = target.tokens[n % target.tokens.length] ?? '';
    const playId = await place(connection, token, n % 2 === 0 ? 'sudoku' : 'pharaon');
    if (playId !== null) fresh.push({ playId, token });
  });
  const playing = plays.run(seconds + 4);
  await pause(4_000);
  const texts: string[] = [];
  const times = { old: [] as number[], fresh: [] as number[] };
  const failures: string[] = [];
  const receipts = new Rate(target.url, RECEIPTS_A_SECOND, async (connection, n, dueAt) => {
    const isOld = n % 2 === 0;
    const from = isOld ? old : fresh;
    const { playId, token } = from[Math.floor((n / 2) % from.length)] as SettledPlay;
    const { status, body } = await connection.get(
      `/api/v1/plays/${playId}/receipt`,
      `authorization: Bearer ${token}\r\n`,
    );
    if (status !== 200) failures.push(`${status} ${body}`);
    else {
      times[isOld ? 'old' : 'fresh'].push(performance.now() - dueAt);
      texts.push(body);
    }
  });
  await receipts.run(seconds);
  await playing;
  const rows = (['fresh', 'old'] as const).map((age) => [
    age === 'old' ? 'of a block sold out before the restart' : 'of an open block',
    times[age].length,
    figure(percentile(times[age], 0.5)),
    figure(percentile(times[age], 0.99)),
    figure(Math.max(...times[age])),
  ]);
  console.log(
    `${RECEIPTS_A_SECOND} receipts/s beside ${figure(fresh.length / (seconds + 4))} plays/s; ${failures.length} failed\n`,
  );
  if (failures[0] !== undefined) console.log(`the first failure: ${failures[0]}\n`);
  console.log(table(['receipt', 'number', 'p50, ms', 'p99, ms (goal 10)', 'slowest, ms'], rows));
  return texts;
}

/** Calls at fixed times, however long the ones before take: what waits is part of what is measured. */
class Rate {
  readonly #idle: HttpConnection[] = [];

  constructor(
    private readonly url: string,
    private readonly aSecond: number,
    private readonly call: (connection: HttpConnection, n: number, dueAt: number) => Promise<void>,
  ) {}

  async run(seconds: number): Promise<void> {
    const startedAt = performance.now();
    const under: Promise<void>[] = [];
    for (let n = 0; n < seconds * this.aSecond; n += 1) {
      const dueAt = startedAt + (n * 1000) / this.aSecond;
      const early = dueAt - performance.now();
      if (early > 0) await pause(early);
      under.push(this.#one(n, dueAt));
    }
    await Promise.all(under);
    for (const connection of this.#idle) connection.close();
  }

  async #one(n: number, dueAt: number): Promise<void> {
    const connection = this.#idle.pop() ?? (await HttpConnection.open(this.url));
    await this.call(connection, n, dueAt);
    this.#idle.push(connection);
  }
}

async function printStorage(platform: BenchPlatform): Promise<void> {
  const url = new URL(platform.superuserUrl());
  url.pathname = '/issuance';
  const client = new pg.Client({ connectionString: url.href });
  await client.connect();
  try {
    const { rows } = await client.query<{ regulation: string; size: string; bytes: string }>(`
      select regulation, size, max(pg_column_size(coarse_level) + pg_column_size(sealed_deck) + pg_column_size(sealed_secret)) as bytes
        from sealed_blocks
       group by regulation, size
       order by regulation`);
    const cells = rows.map(({ regulation, size, bytes }) => [regulation, size, figure(Number(bytes) / 1e6)]);
    console.log(`\n${table(['a block of', 'units', 'stored, MB (goal 1.5)'], cells)}`);
  } finally {
    await client.end();
  }
}

/** The same receipts by our verifier and by the independent one, each on one core. */
async function verifyReceipts(texts: readonly string[], keysFile: string, folder: string): Promise<void> {
  const games = [...loadRegulations().regulations, JSON.parse(readFileSync(SMALL_GAME, 'utf8')) as GameRegulation];
  const verification = {
    keys: loadJwks(keysFile),
    rulesOf: rulesOf((id) => games.filter(isGame).find((one) => one.id === id) ?? null),
    isRoundSignature: await loadBeaconCheck(),
  };
  const startedAt = performance.now();
  const refused = texts.filter((text) => verifyReceipt(parseStrict(text), verification).failure !== null).length;
  const rate = (texts.length * 1000) / (performance.now() - startedAt);
  console.log(`\n${texts.length} receipts verified at ${figure(rate)} a second, ${refused} refused`);
  if (refused > 0) throw new Error('a receipt of the platform was refused');
  if (!existsSync(PYTHON_VERIFIER)) return;
  const files = texts.slice(0, 200).map((text, i) => {
    const file = join(folder, `${i}.json`);
    writeFileSync(file, text);
    return file;
  });
  const python = await measured('python3', [PYTHON_VERIFIER, '--keys', keysFile, '--regulation', SMALL_GAME, ...files]);
  console.log(`the independent verifier took ${figure(python.seconds)} s for ${files.length} of them`);
}

/** A block of 1,280,000 units, sold out and disclosed, as its file is verified from the command line. */
async function verifyWholeBlock(folder: string): Promise<void> {
  const regulation = loadRegulations().regulations.find(({ game }) => game === 'sudoku') as GameRegulation;
  const [blockId, secret, key] = [randomUUID(), randomBytes(32), signingKey(randomBytes(32))];
  const prepared = prepareBlock(regulation, WHOLE_BLOCK_STAKE_CENTS, blockId, secret);
  const at = (second: number) => `2026-01-01T00:00:0${second}.000Z`;
  const commitment = signCommitment(
    {
      blockId,
      regulation: regulation.id,
      regulationDigest: regulationDigest(regulation),
      stakeCents: cents(WHOLE_BLOCK_STAKE_CENTS),
      size: prepared.size,
      tableDigest: prepared.tableDigest,
      mechanic: regulation.mechanic,
      root: prepared.root,
      contribution: { source: 'local', round: 0 },
      committedAt: at(1),
    },
    null,
    key,
  );
  const opening = signOpening(commitment, randomBytes(32).toString('hex'), at(2), key);
  const issued = Array.from({ length: prepared.size }, () => playDigest(randomUUID())).join('');
  const disclosure = signDisclosure(
    { blockId, secret: secret.toString('hex'), issued, refusals: [], closed: null, disclosedAt: at(3) },
    key,
  );
  const [file, keys] = [join(folder, 'block.json'), join(folder, 'keys.json')];
  writeFileSync(file, JSON.stringify({ commitment, opening, disclosure }));
  writeFileSync(keys, JSON.stringify({ keys: [publicKeyEntry(key, 'blocks', at(0))] }));
  const { seconds, memoryMib } = await measured(process.execPath, [ENJEU, 'verify-block', file, '--keys', keys]);
  console.log(
    `\na disclosed block of ${figure(prepared.size)} units: verified in ${figure(seconds)} s (goal 8) with ${figure(memoryMib)} MiB at most`,
  );
}

/** Runs a program to its end, which must be good; wall seconds and the most memory that it held. */
async function measured(
  program: string,
  args: readonly string[],
): Promise<{ readonly seconds: number; readonly memoryMib: number }> {
  const startedAt = performance.now();
  const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  let told = '';
  child.stderr.on('data', (chunk) => {
    told += chunk;
  });
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  let memoryMib = 0;
  const watch = setInterval(() => {
    memoryMib = Math.max(memoryMib, mostMemoryOf(child.pid));
  }, STATUS_POLL_MS);
  const code = await ended;
  clearInterval(watch);
  if (code !== 0) throw new Error(`${args[0]} ended with ${code}: ${told}`);
  return { seconds: (performance.now() - startedAt) / 1000, memoryMib };
}

function mostMemoryOf(pid: number | undefined): number {
  try {
    return Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}

function enjeu(platform: BenchPlatform, ...args: string[]): Promise<unknown> {
  return measured(process.execPath, [ENJEU, ...args, '--data', platform.data]);
}
