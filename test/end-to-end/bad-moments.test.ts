import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { inDatabase } from '../../apps/enjeu/src/embedded/databases.ts';
import { startPostgres } from '../../apps/enjeu/src/embedded/postgres.ts';
import { type Finished, TestPlatform } from './platform.ts';

const SMALL_REGULATIONS = join(import.meta.dirname, '..', 'fixtures', 'regulations');
const rubbish = mkdtempSync(join(tmpdir(), 'enjeu-bad-'));
const platform = new TestPlatform();

afterAll(async () => {
  await platform.dispose();
  rmSync(rubbish, { recursive: true, force: true });
}, 60_000);

/** Processes that were started with this data folder, whatever they are. */
function leftOn(data: string): string[] {
  return readdirSync('/proc')
    .filter((pid) => /^\d+$/.test(pid))
    .filter((pid) => {
      try {
        const [environment, state] = [readFileSync(`/proc/${pid}/environ`), readFileSync(`/proc/${pid}/stat`)];
        return environment.includes(`ENJEU_DATA=${data}\0`) && !/\) Z /.test(state.toString());
      } catch {
        return false;
      }
    })
    .map((pid) => `${pid} in ${readlinkSync(`/proc/${pid}/cwd`)}`);
}

function expectOneLine({ stderr }: Finished, words: RegExp): void {
  expect(stderr).toMatch(words);
  expect(stderr).toMatch(/^enjeu: [^\n]+\n$/);
  expect(stderr).not.toMatch(/^\s+at /m);
}

async function refusesToStart(words: RegExp, code = 1, ...args: string[]): Promise<void> {
  const finished = await platform.enjeu('start', ...args);
  expectOneLine(finished, words);
  expect(finished.code).toBe(code);
  expect(leftOn(platform.data)).toEqual([]);
}

function folderWith(name: string, files: Record<string, string>): string {
  mkdirSync(join(rubbish, name), { recursive: true });
  for (const [file, text] of Object.entries(files)) writeFileSync(join(rubbish, name, file), text);
  return join(rubbish, name);
}

function regulationsWith(name: string, change: (text: string) => string): string {
  const folder = join(rubbish, name);
  cpSync(SMALL_REGULATIONS, folder, { recursive: true });
  const file = join(folder, 'sudoku@2009-01-26.json');
  writeFileSync(file, change(readFileSync(file, 'utf8')));
  return folder;
}

/** A path with nothing on it but what PostgreSQL is started with as root. */
function pathWithoutJava(): string {
  const folder = folderWith('bin', {});
  for (const program of ['unshare', 'true']) {
    if (existsSync(`/usr/bin/${program}`)) symlinkSync(`/usr/bin/${program}`, join(folder, program));
  }
  return folder;
}

async function listening(port: number): Promise<Server> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return server;
}

describe('a start that cannot work ends with one line that says what to do, and leaves nothing running', () => {
  const folder = folderWith('mine', { 'thesis.txt': 'years of work' });
  const file = join(folder, 'thesis.txt');
  const missing = join(rubbish, 'nothing');

  test.each<[string, Record<string, string>, string[], RegExp, number]>([
    ['a bus that there is not', {}, ['--bus', 'nonsense'], /choose postgres or kafka/, 2],
    ['a port that is no number', { ENJEU_PORT: 'abc' }, [], /ENJEU_PORT is "abc"/, 2],
    ['one port for two', { ENJEU_PORT: '29001', ENJEU_IDENTITY_PORT: '29001' }, [], /choose two ports/, 2],
    ['a data folder without a name', {}, ['--data', ''], /--data names no folder/, 2],
    ['a data folder that is a file', {}, ['--data', file], /is a file\); choose another one with --data/, 1],
    ['a data folder below a file', {}, ['--data', join(file, 'data')], /is a file\); choose another one/, 1],
    ['a folder where none can be made', {}, ['--data', '/proc/enjeu/data'], /cannot be used \(ENOENT\)/, 1],
    ['a folder with other files', {}, ['--data', folder, '--fresh'], /holds other files \(thesis\.txt\)/, 1],
    ['no regulations', { ENJEU_REGULATIONS_DIR: missing }, [], /nothing cannot be read \(ENOENT\); correct/, 1],
    [
      'a regulation that is no JSON',
      { ENJEU_REGULATIONS_DIR: regulationsWith('cut', (text) => text.slice(0, 300)) },
      [],
      /sudoku@2009-01-26\.json: the text ends too early/,
      1,
    ],
    [
      'a prize table that does not add up',
      { ENJEU_REGULATIONS_DIR: regulationsWith('wrong', (text) => text.replace('"count": 7,', '"count": 8,')) },
      [],
      /stakes\[0\]\.printed\.count: 66 prizes are printed, the rows give 67/,
      1,
    ],
    ['brokers that are no addresses', { KAFKA_BROKERS: 'rubbish' }, ['--bus', 'kafka'], /must look like host:port/, 2],
    ['brokers that are not there', { KAFKA_BROKERS: '127.0.0.1:9' }, ['--bus', 'kafka'], /no Kafka broker answers/, 1],
    ['no java', { KAFKA_BROKERS: '', PATH: pathWithoutJava() }, ['--bus', 'kafka'], /install Java 17 or newer/, 1],
  ])('%s', async (_, env, args, words, code) => {
    const unlucky = new TestPlatform({ env });
    try {
      const finished = await unlucky.enjeu('start', ...args);
      expectOneLine(finished, words);
      expect(finished.code).toBe(code);
      expect(leftOn(unlucky.data)).toEqual([]);
    } finally {
      await unlucky.dispose();
    }
    expect(readFileSync(file, 'utf8')).toBe('years of work');
  });

  test.each([
    ['ENJEU_PORT', /which the gateway wants, is taken .* with ENJEU_PORT/],
    ['ENJEU_IDENTITY_PORT', /which the identity provider wants, is taken .* with ENJEU_IDENTITY_PORT/],
  ])('the port of %s taken', async (variable, words) => {
    const taken = await listening(Number((await platform.env())[variable]));
    await refusesToStart(words);
    taken.close();
  });
});

describe('Ctrl-C, twice, at any moment of a first start', () => {
  test.each([700, 1_300, 2_500])(
    'after %d ms ends in order and leaves nothing running',
    async (afterMs) => {
      const hasty = new TestPlatform();
      const start = hasty.start().then(
        () => 'ready',
        () => 'ended',
      );
      await pause(afterMs);
      const code = hasty.stop();
      await hasty.stop();
      expect([await start, await code, leftOn(hasty.data)]).toEqual(['ended', 0, []]);
      await hasty.dispose();
    },
    60_000,
  );
});

describe('a running platform', () => {
  beforeAll(async () => {
    // The launcher is killed while it starts, and what it leaves is taken over.
    const killed = platform.start();
    await pause(2_000);
    await platform.killLauncher();
    await Promise.all([platform.start(), killed]);
  }, 120_000);

  test('is not started a second time on the same data', async () => {
    const finished = await platform.enjeu('start');
    expectOneLine(finished, /is in use by the platform running as process \d+; stop it, or choose another folder/);
    expect(finished.code).toBe(1);
  });

  test.each<[string[], RegExp, number]>([
    [['play', 'sudoku', '1,00', '--player', 'demo-1'], /not an amount in euros: "1,00"; write it like 1\.00/, 2],
    [['play', 'sudoku', '3.00', '--player', 'demo-1'], /The stakes of this game, in cents, are 50, 100, 200/, 1],
    [['play', 'chess', '1.00', '--player', 'demo-1'], /No game has this name/, 1],
    [['play', '__proto__', '1.00', '--player', 'demo-1'], /game: game must be the name of a game/, 1],
    [['play', 'sudoku', '1.00', '--player', 'no\nbody'], /players are demo-1 to demo-20/, 1],
    [['play', 'sudoku', '1.00'], /say who plays with --player/, 2],
    [['token', 'demo-1', '--role', 'king'], /roles are operator, supervisor and auditor/, 1],
    [['sale', 'suspend', 'nogame'], /No regulation on file has this game/, 1],
    [['sale', 'stop', 'sudoku'], /followed by suspend or resume/, 2],
    [['parked', 'nothing'], /ask wallet, issuance or history/, 2],
    [['parked', '__proto__'], /ask wallet, issuance or history/, 2],
    [['parked', 'wallet', '--send-again', 'nobody'], /nothing parked under the key "nobody"/, 1],
    [['log', 'verify', 'constructor'], /ask wallet or issuance/, 2],
    [['token', 'demo-1', '--data', rubbish], /no platform is running on/, 1],
  ])('refuses %j in one line', async (args, words, code) => {
    const finished = await platform.enjeu(...args);
    expectOneLine(finished, words);
    expect(finished.code).toBe(code);
  });

  test('starts a service again that keeps dying, after pauses that grow, and says how it ended', async () => {
    for (let n = 0; n < 3; n += 1) {
      const pid = platform.running().pids['history'] ?? 0;
      platform.kill('history');
      await platform.revived('history', pid);
    }
    const pauses = [...platform.output.matchAll(/history ended \(SIGKILL\): .+; it is started again in ([\d.]+) s/g)];
    expect(pauses.slice(-3).map(([, seconds]) => Number(seconds))).toEqual([0.3, 0.6, 1.2]);
  }, 60_000);

  test('shows a row of its log that was changed behind its back', async () => {
    expect((await platform.enjeu('log', 'verify', 'wallet')).stdout).toMatch(/^the log of wallet is whole: \d+ events/);
    await changeAmount('5000', '9000');
    const finished = await platform.enjeu('log', 'verify', 'wallet');
    await changeAmount('9000', '5000');
    expectOneLine(finished, /is not as it was written: row-changed at position \d+/);
    expect(finished.code).toBe(1);
  });
});

/** In the newest adjustment of the wallet's log, as whoever owns the database could. */
function changeAmount(from: string, to: string): Promise<void> {
  return ask(inDatabase(superuserUrl(), 'wallet'), [
    'alter table events disable trigger all',
    `update events set data = replace(data::text, '"amountCents":${from}', '"amountCents":${to}')::json
     where position = (select max(position) from events where type = 'AccountAdjusted')`,
    'alter table events enable trigger all',
  ]);
}

function superuserUrl(): string {
  const url = new URL(platform.running().logUrls['wallet'] ?? '');
  url.username = 'enjeu';
  url.password = readFileSync(join(platform.data, 'postgres', 'password'), 'utf8').trim();
  return url.href;
}

async function ask(url: string, statements: readonly string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}

/** Statements while no service is connected. */
async function askAtRest(...statements: string[]): Promise<void> {
  const server = await startPostgres({ dataDir: join(platform.data, 'postgres') });
  await ask(server.url, statements).finally(() => server.stop());
}

describe('a platform that was stopped', () => {
  beforeAll(async () => {
    expect(await platform.stop()).toBe(0);
  }, 60_000);

  afterEach(() => expect(leftOn(platform.data)).toEqual([]));

  test.each([
    ['postgres/cluster/PG_VERSION', '', /the database is damaged: .*PG_VERSION is missing\. Restore it/],
    ['postgres/password', 'wrong', /password authentication failed .*; restore .*postgres\/password from a copy/],
    ['keys/enjeu-keys.json', '{"keys": [', /enjeu-keys\.json is not JSON; restore it from a copy/],
    ['keys/enjeu-keys.json', '', /enjeu-keys\.json cannot be read \(ENOENT\); restore it from a copy/],
    ['keys/enjeu-keys.json', '{"keys": []}', /does not have the public key of .*; restore both from a copy/],
    ['keys/log.private.json', '{}', /log\.private\.json is not an Ed25519 private key .*; restore it from a copy/],
    ['secrets/key-encryption-key', '', /key-encryption-key is missing, .*; restore it from a copy/],
    ['secrets/key-encryption-key', 'abc', /key-encryption-key is damaged: it must be 64 hex digits/],
    [
      'secrets/key-encryption-key',
      '7'.repeat(64),
      /issuance does not start: the key-encryption key is not the one that sealed the blocks/,
    ],
  ])(
    'refuses to start with %s made %j, and starts nothing anew in its place',
    async (name, text, words) => {
      const file = join(platform.data, name);
      const whole = readFileSync(file);
      if (text === '') rmSync(file);
      else writeFileSync(file, text);
      await refusesToStart(words);
      if (text !== '') expect(readFileSync(file, 'utf8')).toBe(text);
      writeFileSync(file, whole);
    },
    60_000,
  );

  test('does not serve a log that was restored to an earlier moment, on either bus', async () => {
    await askAtRest('create database earlier template wallet');
    await platform.start('kafka');
    expect((await platform.play(await platform.token('demo-1'), 'sudoku', 50)).status).toBe(201);
    expect(await platform.stop()).toBe(0);
    await askAtRest('alter database wallet rename to newer', 'alter database earlier rename to wallet');

    const refusal = /wallet does not start: log-behind-bus: the log ends at \d+, its head was signed at \d+/;
    await refusesToStart(refusal, 1, '--bus', 'postgres');
    // Without the file of signed heads, what the bus holds tells it too.
    rmSync(join(platform.data, 'heads', 'wallet.jsonl'));
    await refusesToStart(/log-behind-bus: the log ends at \d+, the bus holds position \d+/, 1, '--bus', 'kafka');

    await askAtRest('drop database wallet', 'alter database newer rename to wallet');
    await platform.start('postgres');
    expect(await platform.stop()).toBe(0);
  }, 180_000);
});
