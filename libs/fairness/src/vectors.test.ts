import { readFileSync } from 'node:fs';
import {
  blockKeys,
  canonical,
  fromHex,
  holderOf,
  leafHash,
  type PreparedBlock,
  type PrizeTable,
  parseStrict,
  prepareBlock,
  prizeOf,
  prizeTable,
  seedOf,
  sha256,
  startOf,
  tableDigest,
  toHex,
  u32,
} from '#fairness';
import { mechanicFaults } from '#mechanics';
import { type GameRegulation, readRegulations } from '#regulation';
import { shuffleWords } from './deck.ts';

const golden = JSON.parse(readFileSync(new URL('./vectors.golden.json', import.meta.url), 'utf8'));
const name = 'pharaon@2008-12-17.json';
const text = readFileSync(new URL(`../../regulation/data/${name}`, import.meta.url), 'utf8');
const pharaon = readRegulations([{ name, text }], mechanicFaults)[0] as GameRegulation;
const expected = golden['pharaon-0.50'];
const secret = fromHex(golden.secret, 32);
const keys = blockKeys(secret, golden.blockId);

let table: PrizeTable;
let block: PreparedBlock;
beforeAll(() => {
  table = prizeTable(pharaon, expected.stakeCents);
  block = prepareBlock(pharaon, expected.stakeCents, golden.blockId, secret);
});

const prizes = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, i) => prizeOf(block.deck, table, from + i));

test('both keys of a block come from its secret and id', () => {
  expect([toHex(keys.shuffleKey), toHex(keys.seedKey)]).toEqual([golden.shuffleKey, golden.seedKey]);
});

test('the words of the shuffle are those of the vectors', () => {
  const next = shuffleWords(keys.shuffleKey);
  expect(golden.firstWords.map(() => toHex(u32(next())))).toEqual(golden.firstWords);
});

test('seeds of units are those of the vectors', () => {
  for (const [n, seed] of Object.entries(golden.seeds)) expect(toHex(seedOf(keys.seedKey, Number(n)))).toBe(seed);
});

test('REG-2.1 the whole shuffled block of 350,000 units is that of the vectors', () => {
  expect(prizes(0, 8)).toEqual(expected.prizesOfUnits0to7);
  expect(prizeOf(block.deck, table, expected.size - 1)).toBe(expected.prizeOfLastUnit);
  const bytes = new Uint8Array(4 * expected.size);
  prizes(0, expected.size).forEach((prize, n) => {
    bytes.set(u32(prize), 4 * n);
  });
  expect(toHex(sha256(bytes))).toBe(expected.deckAsU32Sha256);
  expect(block.deck.indexOf(1)).toBe(expected.firstTopPrize.unitIndex);
});

test('leaves, root, digest of the table and start are those of the vectors', () => {
  for (const [n, leaf] of Object.entries(expected.leaves)) {
    const unit = Number(n);
    expect(toHex(leafHash(unit, prizeOf(block.deck, table, unit), seedOf(keys.seedKey, unit)))).toBe(leaf);
  }
  expect(block).toMatchObject({ root: expected.root, tableDigest: expected.tableDigest, size: expected.size });
  expect(tableDigest(table)).toBe(expected.tableDigest);
  expect(startOf(block.root, new Uint8Array(32).fill(0xff), expected.size)).toBe(
    expected.startForContributionOf32BytesFF,
  );
});

test('a holder is named by the digest of the vectors', () => {
  expect(holderOf(golden.play.playId, golden.play.playerId)).toBe(golden.play.holder);
});

test('lines of a batch in the vectors are canonical', () => {
  for (const line of golden.batch.lines) expect(canonical(parseStrict(line))).toBe(line);
});
