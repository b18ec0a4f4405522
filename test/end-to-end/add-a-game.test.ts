import { randomUUID } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { regulationDigest } from '#fairness';
import type { GameRegulation } from '#regulation';
import { audit } from './audit.ts';
import { TestPlatform } from './platform.ts';

const ID = 'fruits@2020-01-15';
const NEWER = 'fruits@2021-01-15';
const FILE = join(import.meta.dirname, '..', 'fixtures', 'games', `${ID}.json`);
const fruits: GameRegulation = JSON.parse(readFileSync(FILE, 'utf8'));
const PRIZES = fruits.stakes
  .find(({ stakeCents }) => stakeCents === 100)!
  .rows.flatMap(({ count, prizeCents }) => Array<number>(count).fill(prizeCents));
const PLAYERS = ['demo-1', 'demo-2', 'demo-3'];

const platform = new TestPlatform();
const folder = mkdtempSync(join(tmpdir(), 'enjeu-games-'));
const tokens: string[] = [];

beforeAll(async () => {
  await platform.start();
  for (const player of PLAYERS) tokens.push(await platform.token(player));
}, 240_000);

afterAll(async () => {
  await platform.dispose();
  rmSync(folder, { recursive: true });
}, 60_000);

function fileOf(changes: Partial<GameRegulation>, name = 'game.json'): string {
  const file = join(folder, name);
  writeFileSync(file, JSON.stringify({ ...fruits, ...changes }));
  return file;
}

const at = (id: string, signedOn: string, opensOn: string) => ({ id, game: id.split('@')[0]!, signedOn, opensOn });
const get = async (path: string, token?: string) => platform.call('GET', path, token ? { token } : {});
const gameOf = async (name: string) => (await get(`/api/v1/games/${name}`)).body;
const balanceOf = async (token: string) => (await get('/api/v1/wallet', token)).body.availableCents as number;
const known = async () => (await get('/api/v1/games')).body.items.map((one: { regulation: string }) => one.regulation);

async function succeeds(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await platform.enjeu(...args);
  expect({ args, code, stderr }).toEqual({ args, code: 0, stderr: '' });
  return stdout;
}

/** Every line on stderr is for a person, and nothing else is said. */
async function fails(words: RegExp, code: number, ...args: string[]): Promise<string> {
  const finished = await platform.enjeu(...args);
  expect({ args, code: finished.code, stdout: finished.stdout }).toEqual({ args, code, stdout: '' });
  expect(finished.stderr).toMatch(/^(enjeu: [^\n]+\n)+$/);
  expect(finished.stderr).toMatch(words);
  return finished.stderr;
}

/** Plays by turns until nothing is left of the version that is on sale. */
async function playOut(regulation: string, most: number) {
  const plays = [];
  for (let n = 0; n <= most; n += 1) {
    const { status, body } = await platform.play(tokens[n % tokens.length]!, 'fruits', 100);
    if (status !== 201) return { plays, refused: body };
    expect(body.regulation).toBe(regulation);
    plays.push(body);
  }
  throw new Error(`more than ${most} units were sold`);
}

describe('a made-up game on a running platform', () => {
  test('is added by one file, and every service knows it, with nothing on sale yet', async () => {
    const added = await succeeds('regulation', 'add', FILE);
    expect(added).toMatch(/^fruits@2020-01-15 was added$/m);
    expect(added).toMatch(/npx enjeu emission approve fruits@2020-01-15 0\.50 --blocks N --by NAME --by NAME$/m);
    expect(added).toMatch(/npx enjeu emission approve fruits@2020-01-15 1\.00 --blocks N --by NAME --by NAME$/m);
    expect(added).toMatch(/npx enjeu accept fruits@2020-01-15 --player PLAYER$/m);
    expect(regulationDigest((await get(`/api/v1/regulations/${ID}`)).body)).toBe(regulationDigest(fruits));
    const game = await gameOf('fruits');
    expect(game).toMatchObject({ game: 'fruits', regulation: ID, opensOn: '2020-02-01', modes: [], blockSize: 60 });
    expect(game.stakes.map((one: { status: string }) => one.status)).toEqual(['not-open', 'not-open']);
    expect(readdirSync(join(platform.data, 'regulations'))).toEqual([`${ID}.json`]);
    const refused = await platform.play(tokens[0]!, 'fruits', 100);
    expect([refused.status, refused.body.type]).toEqual([409, 'urn:enjeu:problem:sale-not-open']);
  }, 60_000);

  test('REG-2.1: is on sale when two different persons have approved an emission of whole blocks', async () => {
    const approve = (...by: string[]) => ['emission', 'approve', ID, '1.00', ...by.flatMap((name) => ['--by', name])];
    await fails(/two persons approve.*--by NAME --by NAME/, 2, ...approve('ada'), '--blocks', '1');
    await fails(/two persons approve/, 2, ...approve('ada', 'bob', 'eve'), '--blocks', '1');
    await fails(/two different persons.*not ada twice/, 2, ...approve('ada', ' Ada '), '--blocks', '1');
    await fails(/how many blocks with --blocks N/, 2, ...approve('ada', 'bob'));
    await fails(/how many blocks with --blocks N/, 2, ...approve('ada', 'bob'), '--blocks', '0');
    const persons = ['--blocks', '1', '--by', 'ada', '--by', 'bob'];
    await fails(/followed by approve, not "sell"/, 2, 'emission', 'sell', ID, '1.00', ...persons);
    await fails(/sells no units at this stake/, 1, 'emission', 'approve', ID, '3.00', ...persons);
    await fails(/no regulation with this id/, 1, 'emission', 'approve', 'fruits@1999-01-01', '1.00', ...persons);
    const approved = await succeeds('emission', 'approve', ID, '1.00', ...persons);
    expect(approved).toMatch(/^1 block of fruits@2020-01-15 at 1\.00 EUR approved$/m);
    expect(approved).toMatch(/^ {2}sale {6}open$/m);
    const { stakes } = await gameOf('fruits');
    expect(stakes.map((one: { status: string }) => one.status)).toEqual(['not-open', 'open']);
  }, 60_000);

  test('REG-5.1: is refused before its regulation is accepted, with the reason and without a debit', async () => {
    const before = await balanceOf(tokens[0]!);
    const refused = await platform.play(tokens[0]!, 'fruits', 100);
    expect([refused.status, refused.body.type, refused.body.regulation]).toEqual([
      409,
      'urn:enjeu:problem:regulation-not-accepted',
      ID,
    ]);
    await fails(/Accept the regulation.*fruits@2020-01-15/, 1, 'play', 'fruits', '1.00', '--player', 'demo-1');
    expect(await balanceOf(tokens[0]!)).toBe(before);
    expect((await get('/api/v1/me', tokens[0]!)).body.missing).toEqual([ID]);
    await fails(/say who accepts/, 2, 'accept', ID);
    await fails(/No regulation has this id/, 1, 'accept', 'fruits@1999-01-01', '--player', 'demo-1');
    expect(await succeeds('accept', ID, '--player', 'demo-1')).toBe(`demo-1 has accepted ${ID}\n`);
    await succeeds('accept', ID, '--player', 'demo-1');
    expect((await get('/api/v1/me', tokens[0]!)).body.missing).toEqual([]);
  }, 60_000);

  test('REG-3.1: is played to the end of its block, which holds exactly the prizes of its table', async () => {
    for (const player of PLAYERS) await succeeds('accept', ID, '--player', player);
    const first = await succeeds('play', 'fruits', '1.00', '--player', 'demo-1');
    expect(first).toMatch(/fruits at 1\.00 EUR: (lost|won \d+\.\d\d EUR)/);
    const last = (await get('/api/v1/plays/last', tokens[0]!)).body;
    const { plays, refused } = await playOut(ID, 60);
    expect(refused.type).toBe('urn:enjeu:problem:sale-closed');
    const all = [last, ...plays];
    expect(all).toHaveLength(60);
    const prizes = all.map(({ prizeCents }) => prizeCents as number).filter((prize) => prize > 0);
    expect(prizes.sort((a, b) => b - a)).toEqual(PRIZES);
    for (const { mechanic, script, prizeCents } of all) {
      expect([mechanic, script.mechanic, script.amounts.length]).toEqual(['match/1', 'match/1', 9]);
      const thrice = script.amounts.filter((one: number, n: number, list: number[]) => {
        return list.indexOf(one) === n && list.filter((other) => other === one).length === 3;
      });
      expect(thrice).toEqual(prizeCents > 0 ? [prizeCents] : []);
    }
    expect((await audit(platform.running())).faults).toEqual([]);
  }, 120_000);
});

describe('a file that cannot be taken', () => {
  const doubled = { stakes: [...fruits.stakes, fruits.stakes[0]!] };

  test('is refused with all its faults by the command, and nothing changes', async () => {
    const before = [await known(), readdirSync(join(platform.data, 'regulations'))];
    const said = await fails(
      /stakes\[2\]\.stakeCents: is the stake of another table too/,
      1,
      'regulation',
      'add',
      fileOf({ ...doubled, mechanic: 'dice/1' }),
    );
    expect(said).toMatch(/mechanic/);
    await fails(/Unexpected|ends too early|JSON/i, 1, 'regulation', 'add', cut());
    await fails(/is not there/, 1, 'regulation', 'add', join(folder, 'nowhere.json'));
    await fails(/followed by check or add, not "remove"/, 2, 'regulation', 'remove', FILE);
    const changed = fileOf({ blockSize: 61 });
    await fails(
      /the platform has fruits@2020-01-15 with another content, and that never changes/,
      1,
      'regulation',
      'add',
      changed,
    );
    expect([await known(), readdirSync(join(platform.data, 'regulations'))]).toEqual(before);
    expect(await succeeds('regulation', 'add', FILE)).toMatch(/was there already, with the same content/);
  }, 60_000);

  test('changes nothing either where it is put into the folder by hand, and is said once by each service', async () => {
    const regulations = join(platform.data, 'regulations');
    const before = await known();
    put(join(regulations, `${ID}.json`), JSON.stringify({ ...fruits, blockSize: 61 }));
    put(
      join(regulations, 'fruits@2022-01-15.json'),
      JSON.stringify({ ...fruits, ...doubled, ...at('fruits@2022-01-15', '2022-01-15', '2022-02-01') }),
    );
    put(join(regulations, 'broken.json'), '{"id":');
    await pause(7_000);
    expect(await known()).toEqual(before);
    expect(regulationDigest((await get(`/api/v1/regulations/${ID}`)).body)).toBe(regulationDigest(fruits));
    for (const service of ['gateway', 'wallet', 'issuance']) {
      const lines = readFileSync(join(platform.data, 'logs', `${service}.log`), 'utf8').split('\n');
      const refused = lines.filter((line) => line.includes('is refused, and nothing changes'));
      expect(refused.map((line) => /regulations\/([^ /]+\.json) is refused/.exec(line)?.[1]).sort()).toEqual([
        'broken.json',
        `${ID}.json`,
        'fruits@2022-01-15.json',
      ]);
      expect(refused.find((line) => line.includes('2022'))).toContain(
        'stakes[2].stakeCents: is the stake of another table too',
      );
    }
    const url = platform.running().serviceUrls['wallet'];
    expect(await (await fetch(`${url}/metrics`)).text()).toMatch(/^enjeu_regulations_refused_total 3$/m);
    put(join(regulations, `${ID}.json`), readFileSync(FILE, 'utf8'));
    for (const name of ['broken.json', 'fruits@2022-01-15.json']) rmSync(join(regulations, name));
  }, 60_000);

  function put(path: string, text: string): void {
    writeFileSync(`${path}.new`, text);
    renameSync(`${path}.new`, path);
  }

  function cut(): string {
    const file = join(folder, 'cut.json');
    writeFileSync(file, readFileSync(FILE, 'utf8').slice(0, 200));
    return file;
  }
});

describe('later', () => {
  const persons = ['--by', 'ada', '--by', '0197f3c0-0000-7000-8000-00000000000b'];

  test('REG-1.1: a sale before its opening date says when it opens, and sells nothing', async () => {
    const id = 'berries@2020-01-15';
    const file = fileOf(at(id, '2020-01-15', '2999-02-01'));
    expect(await succeeds('regulation', 'add', file)).toMatch(/2999-02-01/);
    const approved = await succeeds('emission', 'approve', id, '1.00', '--blocks', '2', ...persons);
    expect(approved).toMatch(/^ {2}block {5}[12] of 2 sealed and committed$/m);
    expect(approved).toMatch(/^ {2}sale {6}opens by itself on 2999-02-01$/m);
    await succeeds('accept', id, '--player', 'demo-1');
    const refused = await platform.play(tokens[0]!, 'berries', 100);
    expect([refused.status, refused.body.type]).toEqual([409, 'urn:enjeu:problem:sale-not-open']);
  }, 60_000);

  test('after a restart all of it is there, with what was approved and nothing more', async () => {
    const plays = (await get('/api/v1/plays?limit=100', tokens[0]!)).body;
    const games = await known();
    const emissions = await emissionsOf('fruits');
    expect(await platform.stop()).toBe(0);
    await platform.start();
    tokens.length = 0;
    for (const player of PLAYERS) tokens.push(await platform.token(player));
    expect(await known()).toEqual(games);
    expect((await get('/api/v1/plays?limit=100', tokens[0]!)).body).toEqual(plays);
    expect(await emissionsOf('fruits')).toEqual(emissions);
    expect(emissions).toHaveLength(1);
    expect((await platform.play(tokens[0]!, 'fruits', 100)).body.type).toBe('urn:enjeu:problem:sale-closed');
    await succeeds('emission', 'approve', ID, '1.00', '--blocks', '1', ...persons);
    expect((await platform.play(tokens[0]!, 'fruits', 100)).status).toBe(201);
  }, 240_000);

  test('REG-5.1: a new version is shown at once, sold when the units of the old one are, and accepted anew', async () => {
    const changes = { ...at(NEWER, '2021-01-15', '2021-02-01'), stakes: [...fruits.stakes].reverse() };
    await succeeds('regulation', 'add', fileOf(changes));
    expect((await gameOf('fruits')).regulation).toBe(NEWER);
    const approved = await succeeds('emission', 'approve', NEWER, '1.00', '--blocks', '1', ...persons);
    expect(approved).toMatch(/^ {2}sale {6}after the blocks that are on sale under fruits@2020-01-15$/m);
    const { plays, refused } = await playOut(ID, 60);
    expect(plays).toHaveLength(59);
    expect([refused.type, refused.regulation]).toEqual(['urn:enjeu:problem:regulation-not-accepted', NEWER]);
    await succeeds('accept', NEWER, '--player', 'demo-1');
    const { status, body } = await platform.play(tokens[0]!, 'fruits', 100, randomUUID());
    expect([status, body.regulation]).toEqual([201, NEWER]);
    expect((await audit(platform.running())).faults).toEqual([]);
  }, 120_000);

  async function emissionsOf(game: string) {
    const { serviceUrls, serviceToken } = platform.running();
    const headers = { authorization: `Bearer ${serviceToken}` };
    const response = await fetch(`${serviceUrls['issuance']}/internal/v1/emissions`, { headers });
    const { emissions } = (await response.json()) as { emissions: { regulation: string }[] };
    return emissions.filter(({ regulation }) => regulation.startsWith(`${game}@`));
  }
});
