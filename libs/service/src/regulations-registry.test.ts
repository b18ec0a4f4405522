import { cpSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { metrics } from './metrics.ts';
import { regulationsFolder } from './regulations.ts';
import { RegulationRegistry } from './regulations-registry.ts';

const SUDOKU = 'sudoku@2009-01-26';
const NEWER = 'sudoku@2010-01-01';
const folders: string[] = [];

function emptyFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'enjeu-registry-'));
  folders.push(folder);
  return folder;
}

afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true });
});

const original = readFileSync(join(regulationsFolder(), `${SUDOKU}.json`), 'utf8');
const newer = original.replaceAll('2009-01-26', '2010-01-01').replaceAll('2009-02-05', '2010-02-05');

/** As files appear in these folders: whole, by rename. */
function put(folder: string, name: string, text: string): void {
  writeFileSync(join(folder, `${name}.new`), text);
  renameSync(join(folder, `${name}.new`), join(folder, name));
}

function registryOf(...of: string[]) {
  const lines: string[] = [];
  const logger = { log: (line: string) => lines.push(line), error: (line: string) => lines.push(`error: ${line}`) };
  const registry = new RegulationRegistry(of.join(':'), { logger });
  const taken: string[] = [];
  registry.follow(({ id }) => taken.push(id));
  return { registry, lines, taken };
}

async function refusals(): Promise<number> {
  const metric = metrics.getSingleMetric('enjeu_regulations_refused_total');
  return (await metric?.get())?.values[0]?.value ?? 0;
}

test('a file that appears later is taken, told to those who follow, and said once', async () => {
  const added = emptyFolder();
  const { registry, lines, taken } = registryOf(regulationsFolder(), added);
  expect([registry.has(NEWER), registry.digestOf(NEWER), registry.all.length]).toEqual([false, null, 3]);
  put(added, `${NEWER}.json`, newer);
  for (let n = 0; n < 3; n += 1) await registry.look();
  expect(registry.has(NEWER)).toBe(true);
  expect(registry.digestOf(NEWER)).toMatch(/^[0-9a-f]{64}$/);
  expect(registry.regulations.map(({ id }) => id)).toContain(NEWER);
  expect(taken).toEqual([NEWER]);
  expect(lines).toEqual([`the regulation ${NEWER} is new and was taken`]);
});

test('a newer version of the rules common to all games is in force when it is taken', async () => {
  const folder = emptyFolder();
  const { registry, taken } = registryOf(regulationsFolder(), folder);
  const before = registry.general;
  const text = JSON.stringify({ ...before, id: 'general@2020-01-01', signedOn: '2020-01-01' });
  put(folder, 'general@2020-01-01.json', text);
  await registry.look();
  expect([before.id === registry.general.id, registry.general.id]).toEqual([false, 'general@2020-01-01']);
  expect(registry.has(before.id)).toBe(true);
  expect(taken).toEqual(['general@2020-01-01']);
});

test('what was taken stays when its file is changed, broken or removed, and each is said once', async () => {
  const folder = emptyFolder();
  cpSync(regulationsFolder(), folder, { recursive: true });
  const { registry, lines, taken } = registryOf(folder);
  const [digest, count] = [registry.digestOf(SUDOKU), await refusals()];
  put(folder, `${SUDOKU}.json`, original.replace('"2009-02-05"', '"2009-02-06"'));
  for (let n = 0; n < 3; n += 1) await registry.look();
  put(folder, `${SUDOKU}.json`, original.slice(0, 300));
  for (let n = 0; n < 3; n += 1) await registry.look();
  rmSync(join(folder, `${SUDOKU}.json`));
  await registry.look();
  expect(registry.digestOf(SUDOKU)).toBe(digest);
  expect(registry.all).toHaveLength(3);
  expect(lines).toEqual([
    expect.stringMatching(/^error: .*sudoku@2009-01-26\.json is refused, and nothing changes: .*a new version/),
    expect.stringMatching(
      /^error: .*sudoku@2009-01-26\.json is refused, and nothing changes: sudoku@2009-01-26\.json: /,
    ),
  ]);
  expect((await refusals()) - count).toBe(2);
  expect(taken).toEqual([]);

  put(folder, `${SUDOKU}.json`, original);
  await registry.look();
  put(folder, `${SUDOKU}.json`, original.slice(0, 300));
  await registry.look();
  expect(lines).toHaveLength(3);
});

test('the same content written differently is no change', async () => {
  const folder = emptyFolder();
  cpSync(regulationsFolder(), folder, { recursive: true });
  const { registry, lines } = registryOf(folder);
  put(folder, `${SUDOKU}.json`, JSON.stringify(JSON.parse(original)));
  await registry.look();
  expect(lines).toEqual([]);
});

test.each([
  ['is not valid', `${NEWER}.json`, newer.replace('"blockSize"', '"size"'), /size.*blockSize|blockSize.*size/],
  ['is named after something else', 'sudoku.json', newer, /must be called sudoku@2010-01-01\.json/],
  [
    'has the id of another folder’s',
    `${SUDOKU}.json`,
    original.replace('"2009-02-05"', '"2009-02-06"'),
    /another content/,
  ],
])('a file that %s is refused as a whole, and others beside it are taken', async (_, name, text, why) => {
  const added = emptyFolder();
  const { registry, lines, taken } = registryOf(regulationsFolder(), added);
  put(added, name, text);
  put(added, 'zz.json', '[]');
  put(added, 'sudoku@2011-01-01.json', newer.replaceAll('2010-', '2011-'));
  for (let n = 0; n < 2; n += 1) await registry.look();
  expect(taken).toEqual(['sudoku@2011-01-01']);
  expect(registry.all).toHaveLength(4);
  expect(lines.filter((line) => why.test(line))).toHaveLength(1);
  expect(lines).toHaveLength(3);
});

test('one whom a follower cannot take changes nothing', async () => {
  const added = emptyFolder();
  const { registry, lines } = registryOf(regulationsFolder(), added);
  registry.follow(() => {
    throw new RangeError('no such thing');
  });
  put(added, `${NEWER}.json`, newer);
  await registry.look();
  expect(registry.has(NEWER)).toBe(false);
  expect(registry.all).toHaveLength(3);
  expect(lines).toEqual([expect.stringMatching(/no such thing/)]);
});

test('a folder that goes away is said once, and found again when it is back', async () => {
  const parent = emptyFolder();
  const [folder, away] = [join(parent, 'regulations'), join(parent, 'away')];
  cpSync(regulationsFolder(), folder, { recursive: true });
  const { registry, lines, taken } = registryOf(folder);
  renameSync(folder, away);
  for (let n = 0; n < 3; n += 1) await registry.look();
  expect(lines).toEqual([expect.stringMatching(/regulations is refused, and nothing changes: (Error: )?ENOENT/)]);
  renameSync(away, folder);
  await registry.look();
  renameSync(folder, away);
  await registry.look();
  expect(lines).toHaveLength(2);
  renameSync(away, folder);
  put(folder, `${NEWER}.json`, newer);
  await registry.look();
  expect(taken).toEqual([NEWER]);
  expect(registry.all).toHaveLength(4);
});

test('it looks every two seconds from `watch` on, and no more after `stop`', async () => {
  const added = emptyFolder();
  const due: { ms: number; action: () => void }[] = [];
  let cancelled = 0;
  const after = (ms: number, action: () => void) => {
    due.push({ ms, action });
    return () => {
      cancelled += 1;
    };
  };
  const logger = { log: () => {}, error: () => {} };
  const registry = new RegulationRegistry(`${regulationsFolder()}:${added}`, {
    clock: { now: () => 0, after },
    logger,
  });
  const taken = Promise.withResolvers<string>();
  registry.follow(({ id }) => taken.resolve(id));
  expect(due).toEqual([]);
  registry.watch();
  put(added, `${NEWER}.json`, newer);
  due[0]?.action();
  expect(await taken.promise).toBe(NEWER);
  await registry.stop();
  expect(cancelled).toBeGreaterThan(0);
  put(added, 'sudoku@2011-01-01.json', newer.replaceAll('2010-', '2011-'));
  const looks = due.length;
  due.at(-1)?.action();
  await registry.stop();
  registry.watch();
  expect(due).toHaveLength(looks);
  expect(registry.has('sudoku@2011-01-01')).toBe(false);
  expect(due.every(({ ms }) => ms === 2_000)).toBe(true);
});
