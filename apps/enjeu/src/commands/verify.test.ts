import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jest } from '@jest/globals';
import { entryDigest, playDigest } from '#fairness';
import type { Failure } from '../failure.ts';
import {
  commitment,
  commitmentAt,
  disclosedBlock,
  keySet,
  playerId,
  REGULATIONS,
  receiptOf,
  SIZE,
  sales,
} from '../verifying/honest-block.fixture.ts';
import { verify } from './verify.ts';
import { verifyBlock } from './verify-block.ts';

let folder: string;
let printed: string[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'enjeu-verify-'));
  printed = [];
  jest.spyOn(console, 'log').mockImplementation((line: string) => void printed.push(line));
  for (const way of ['connect', 'createConnection'] as const) {
    jest.spyOn(net, way).mockImplementation(() => {
      throw new Error('a verifier needs no network');
    });
  }
  jest.spyOn(globalThis, 'fetch').mockRejectedValue(new Error('a verifier needs no network'));
});

afterEach(() => {
  jest.restoreAllMocks();
  rmSync(folder, { recursive: true });
});

function written(name: string, content: unknown): string {
  const path = join(folder, name);
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}

const options = () => ({ data: join(folder, 'none'), keys: written('keys.json', keySet), regulations: REGULATIONS });

/** The lines with which a command fails, none when it does not. */
async function faultsOf(command: Promise<void>): Promise<readonly string[]> {
  return command.then(
    () => [],
    (failure: Failure) => failure.lines.map((line) => line.replaceAll(`${folder}/`, '')),
  );
}

const A = () => written('A.json', receiptOf(sales.won));
const B = () => written('B.json', receiptOf(sales.lost));

test('a good receipt passes each step, and what a reader must know of one is said', async () => {
  expect(await faultsOf(verify([A()], { ...options(), player: playerId }))).toEqual([]);
  expect(printed.slice(1).map((line) => line.trim().split(/ {2,}/)[0]?.split(' ')[0])).toEqual([
    'form',
    'signature',
    'commitment',
    'list',
    'opening',
    'times',
    'index',
    'inclusion',
    'regulation',
    'amount',
    'script-digest',
    'script',
    'referee',
    'holder',
    'keys',
  ]);
  expect(printed.find((line) => line.includes('opening'))).toMatch(/ok, but: .*proves nothing/);
});

test('without pinned keys it says what to do, and fails', async () => {
  const { keys: _, ...unpinned } = options();
  expect(await faultsOf(verify([A()], unpinned))).toEqual([
    expect.stringMatching(/^A\.json: signature failed: there are no pinned keys, .*--keys FILE/),
  ]);
  expect(await faultsOf(verifyBlock([written('block.json', disclosedBlock())], unpinned))).toEqual([
    expect.stringMatching(/^block\.json: signature failed: there are no pinned keys/),
  ]);
});

test('keys of the data folder are pinned ones', async () => {
  const { keys: _, ...unpinned } = options();
  const data = mkdtempSync(join(folder, 'data-'));
  mkdirSync(join(data, 'keys'));
  writeFileSync(join(data, 'keys', 'enjeu-keys.json'), JSON.stringify(keySet));
  expect(await faultsOf(verify([A()], { ...unpinned, data }))).toEqual([]);
});

test.each([
  ['another prize', { prizeCents: 100 as never }, 'inclusion'],
  ['another place among the sales', { sequence: sales.won + 1 }, 'index'],
  ['a loss shown for a win', { script: receiptOf(sales.lost).script }, 'script-digest'],
  ['a list that ends before its block', { listHead: { entry: 0, digest: 'ab'.repeat(32) } }, 'list'],
])('a receipt that is forged with the key, %s, fails at a step and says which', async (_, forged, step) => {
  const file = written('A.json', receiptOf(sales.won, forged));
  expect(await faultsOf(verify([file], options()))).toEqual([
    expect.stringMatching(new RegExp(`^A.json: ${step} failed: .`)),
  ]);
  expect(printed.at(-1)).toMatch(new RegExp(`^ {2}${step} +.*FAILED.*: .`));
});

test('a receipt that somebody else changed fails at its signature', async () => {
  const file = written('A.json', { ...receiptOf(sales.won), prizeCents: 1 });
  expect(await faultsOf(verify([file], options()))).toEqual([expect.stringMatching(/^A\.json: signature failed/)]);
});

test('one unit sold twice is found between two receipts that are sound by themselves', async () => {
  const twice = written('B.json', receiptOf(sales.won, { playId: '0197f3c0-1111-7abc-8def-0000000000ff' }));
  const faults = await faultsOf(verify([A(), twice], options()));
  expect(faults).toContainEqual(expect.stringMatching(/^A\.json and B\.json: unit-sold-twice: /));
});

test('two lists are found between two receipts, and between a receipt and the list', async () => {
  const other = commitmentAt('2025-12-31T00:00:00.000Z');
  const shown = { commitment: other, listHead: { entry: 0, digest: entryDigest(other) } };
  const elsewhere = written('B.json', receiptOf(sales.lost, shown));
  expect(await faultsOf(verify([A(), elsewhere], options()))).toContainEqual(
    expect.stringMatching(/^A\.json and B\.json: lists-differ: entry 0/),
  );
  const list = written('list.json', { items: [commitment], next: null });
  expect(await faultsOf(verify([A()], { ...options(), list }))).toEqual([]);
  expect(await faultsOf(verify([elsewhere], { ...options(), list }))).toContainEqual(
    expect.stringMatching(/^B\.json: not-in-the-list: /),
  );
});

test('a receipt that is another player’s is found', async () => {
  const player = '0197f3c0-2222-4abc-8def-000000000002';
  expect(await faultsOf(verify([A()], { ...options(), player }))).toEqual([
    expect.stringMatching(/^A\.json: holder failed/),
  ]);
});

test.each([
  ['is not there', () => join(folder, 'none.json'), /^none\.json: is not there$/],
  ['is a folder', () => folder, /: is a folder; name the file of a receipt$/],
  ['is not JSON', () => written('A.json', '{'), /^A\.json: is not a receipt: .+/],
  ['says a thing twice', () => written('A.json', '{"a":1,"a":1}'), /^A\.json: is not a receipt: .+/],
  ['is something else', () => written('A.json', []), /^A\.json: form failed: .+/],
])('a file that %s is answered in one line', async (_, file, line) => {
  expect(await faultsOf(verify([file()], options()))).toEqual([expect.stringMatching(line)]);
});

test('a sold-out block is rebuilt: its counts are those of the table, and receipts find their place', async () => {
  const block = written('block.json', disclosedBlock());
  expect(await faultsOf(verifyBlock([block], { ...options(), receipt: [A(), B()] }))).toEqual([]);
  const counts = printed.flatMap((line) => /^ +(\d+) × (\S+) EUR$/.exec(line)?.slice(1, 3).join(' × ') ?? []);
  expect(counts).toEqual(['1 × 10.00', '2 × 2.50', '4 × 1.00', '8 × 0.50', '10 × 0.25', '35 × 0.00']);
  expect(printed.filter((line) => /^ {2}slot +ok: /.test(line))).toHaveLength(2);
});

test('a sale that is disclosed as another play’s is found with the receipt', async () => {
  const { issued } = disclosedBlock().disclosure;
  const at = sales.won * 64;
  const other = playDigest('0197f3c0-1111-7abc-8def-0000000000fe');
  const forged = disclosedBlock({ issued: issued.slice(0, at) + other + issued.slice(at + 64) });
  const block = written('block.json', forged);
  expect(await faultsOf(verifyBlock([block], { ...options(), receipt: [A()] }))).toEqual([
    expect.stringMatching(/^A\.json: slot failed: sale \d+ is disclosed as that of another play$/),
  ]);
});

test.each([
  ['another secret', { secret: '08'.repeat(32) }, 'units'],
  ['a sale left out', { issued: 'ab'.repeat(32 * (SIZE - 1)) }, 'issued'],
])('a block that is forged with the key, %s, fails at a step', async (_, forged, step) => {
  const file = written('block.json', disclosedBlock(forged));
  expect(await faultsOf(verifyBlock([file], options()))).toEqual([
    expect.stringMatching(new RegExp(`^block.json: ${step} failed: .`)),
  ]);
});
