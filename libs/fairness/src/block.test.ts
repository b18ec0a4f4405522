import { readFileSync } from 'node:fs';
import {
  blockKeys,
  deckOf,
  type PreparedBlock,
  type PrizeTable,
  type ProvenUnit,
  prepareBlock,
  prizeOf,
  prizeTable,
  proofOf,
  seedOf,
  startOf,
  stretchOf,
  tableDigest,
  toHex,
  unitIndex,
  verifyUnit,
} from '#fairness';
import { mechanicFaults } from '#mechanics';
import { cents } from '#money';
import { type GameRegulation, isGame, readRegulations } from '#regulation';
import { sortedDeck } from './deck.ts';

const data = new URL('../../regulation/data/', import.meta.url);
const read = (name: string) =>
  readRegulations([{ name, text: readFileSync(new URL(name, data), 'utf8') }], mechanicFaults)[0];
const games = [read('sudoku@2009-01-26.json'), read('pharaon@2008-12-17.json')].filter(
  (regulation): regulation is GameRegulation => regulation !== undefined && isGame(regulation),
);
const pharaon = games[1]!;
const blockId = '0197f3c0-1234-7abc-8def-0123456789ab';
const secret = new Uint8Array(32).fill(7);

const pairs = games.flatMap((regulation) =>
  regulation.stakes.map((stake) => [regulation.id, stake.stakeCents, regulation] as const),
);

test.each(pairs)(
  'REG-2.1 a whole block of %s at %i cents has exactly the prizes of its table',
  (_, stakeCents, regulation) => {
    const table = prizeTable(regulation, stakeCents);
    const deck = deckOf(table, blockKeys(secret, blockId));
    expect(deck.length).toBe(regulation.blockSize);
    const counts = new Map<number, number>();
    for (let n = 0; n < deck.length; n++) {
      const prize = prizeOf(deck, table, n);
      counts.set(prize, (counts.get(prize) ?? 0) + 1);
    }
    const winning = table.rows.reduce((sum, row) => sum + row.count, 0);
    const expected = new Map<number, number>([[0, regulation.blockSize - winning]]);
    for (const row of table.rows) expected.set(row.prizeCents, row.count);
    expect([...counts].sort()).toEqual([...expected].sort());
  },
);

test('before the shuffle the rows stand in the regulation’s order, the losing units last', () => {
  const table: PrizeTable = {
    regulation: 'made-up@2020-01-01',
    stakeCents: cents(50),
    size: 8,
    rows: [
      { count: 1, prizeCents: cents(900) },
      { count: 3, prizeCents: cents(50) },
    ],
  };
  expect([...sortedDeck(table)]).toEqual([1, 2, 2, 2, 0, 0, 0, 0]);
});

test.each<[string, Partial<PrizeTable>]>([
  ['more prizes than units', { size: 3 }],
  ['no units', { size: 0 }],
  ['half a unit', { size: 8.5 }],
  ['a row without prizes', { rows: [{ count: 0, prizeCents: cents(1) }] }],
  ['a prize that is not above nothing', { rows: [{ count: 1, prizeCents: cents(-1) }] }],
  ['a prize above four bytes', { rows: [{ count: 1, prizeCents: cents(2 ** 32) }] }],
  ['256 rows', { size: 999, rows: Array.from({ length: 256 }, (_, i) => ({ count: 1, prizeCents: cents(i + 1) })) }],
])('a table with %s makes no deck', (_, change) => {
  const rows = [{ count: 4, prizeCents: cents(50) }];
  expect(() => sortedDeck({ regulation: 'a@2020-01-01', stakeCents: cents(50), size: 8, rows, ...change })).toThrow(
    RangeError,
  );
});

test('a stake that the regulation does not have is refused', () => {
  expect(() => prepareBlock(pharaon, 75, blockId, secret)).toThrow('pharaon@2008-12-17 has no stake of 75 cents');
});

test('a unit outside the deck has no prize', () => {
  const table = prizeTable(pharaon, 50);
  expect(() => prizeOf(Uint8Array.of(0), table, 1)).toThrow(RangeError);
  expect(() => prizeOf(Uint8Array.of(9), table, 0)).toThrow(RangeError);
});

test('the digest of a table changes with each of its parts', () => {
  const table = prizeTable(pharaon, 50);
  const [first, ...rest] = table.rows;
  const others: PrizeTable[] = [
    { ...table, regulation: 'pharaon@2008-12-18' },
    { ...table, stakeCents: cents(100) },
    { ...table, size: table.size + 1 },
    { ...table, rows: [...rest, first!] },
    { ...table, rows: [{ ...first!, count: 6 }, ...rest] },
    { ...table, rows: [{ ...first!, prizeCents: cents(1) }, ...rest] },
  ];
  const digests = [table, ...others].map(tableDigest);
  expect(new Set(digests).size).toBe(digests.length);
});

test('REG-2.1 the sales of a block sell each unit once, wherever they start', () => {
  for (const start of [0, 1, 6, 9]) {
    const units = Array.from({ length: 10 }, (_, sequence) => unitIndex(start, sequence, 10));
    expect(units[0]).toBe(start);
    expect([...units].sort((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  }
  for (const outside of [-1, 10, 0.5]) {
    expect(() => unitIndex(0, outside, 10)).toThrow(RangeError);
    expect(() => unitIndex(outside, 0, 10)).toThrow(RangeError);
  }
});

test('the start depends on the root and on every byte of the contribution, and lies in the block', () => {
  const root = '00'.repeat(32);
  const value = new Uint8Array(48);
  const starts = Array.from(value, (_, i) => startOf(root, value.with(i, 1), 1_280_000));
  starts.push(startOf(root, value, 1_280_000), startOf(`01${root.slice(2)}`, value, 1_280_000));
  expect(new Set(starts).size).toBe(50);
  expect(starts.every((start) => start >= 0 && start < 1_280_000)).toBe(true);
});

describe('proofs of a block whose last subtree is not full', () => {
  const regulation = {
    id: 'made-up@2020-01-01',
    blockSize: 2_500,
    stakes: [{ stakeCents: cents(50), rows: [{ count: 700, prizeCents: cents(100) }] }],
  };
  const table = prizeTable(regulation, 50);
  const { seedKey } = blockKeys(secret, blockId);
  const shares: number[] = [];
  let block: PreparedBlock;
  const proofAt = (n: number) =>
    proofOf({ table, deck: stretchOf(block.deck, n), seedKey, coarseLevel: block.coarseLevel }, n);
  const proven = (n: number): ProvenUnit => ({
    unitIndex: n,
    prizeCents: prizeOf(block.deck, table, n),
    seed: toHex(seedOf(seedKey, n)),
    proof: proofAt(n),
    size: block.size,
    root: block.root,
  });
  beforeAll(() => {
    block = prepareBlock(regulation, 50, blockId, secret, (share) => shares.push(share));
  });

  test('the preparation tells its progress up to the end, and keeps one node over 1,024 units', () => {
    expect(shares).toEqual([1024 / 2500, 2048 / 2500, 1]);
    expect(block.coarseLevel.length).toBe(3 * 32);
  });

  test.each([0, 1, 1023, 1024, 2047, 2048, 2498, 2499])('unit %i is proved', (n) => {
    expect(verifyUnit(proven(n))).toBe(true);
  });

  test('a unit outside the block has no proof', () => {
    expect(() => proofAt(2500)).toThrow(RangeError);
    expect(() => proofOf({ table, deck: block.deck, seedKey, coarseLevel: block.coarseLevel }, 0)).toThrow(RangeError);
  });

  test('a proof with any part changed is refused', () => {
    const unit = proven(2049);
    const flipped = (hex: string) => hex.replace(/^./, (digit) => (digit === '0' ? '1' : '0'));
    const mutants: ProvenUnit[] = [
      { ...unit, unitIndex: 2048 },
      { ...unit, unitIndex: 2049.5 },
      { ...unit, unitIndex: -1 },
      { ...unit, unitIndex: 2500 },
      { ...unit, prizeCents: unit.prizeCents + 1 },
      { ...unit, prizeCents: -1 },
      { ...unit, seed: flipped(unit.seed) },
      { ...unit, seed: unit.seed.slice(2) },
      { ...unit, seed: unit.seed.toUpperCase() },
      { ...unit, root: flipped(unit.root) },
      { ...unit, root: unit.root.slice(2) },
      { ...unit, size: 2048 },
      { ...unit, size: 1024 },
      { ...unit, proof: [] },
      { ...unit, proof: unit.proof.slice(1) },
      { ...unit, proof: unit.proof.slice(0, -1) },
      { ...unit, proof: [...unit.proof, unit.root] },
      { ...unit, proof: [...unit.proof].reverse() },
      ...unit.proof.map((_, i) => ({ ...unit, proof: unit.proof.with(i, flipped(unit.proof[i]!)) })),
      { ...unit, proof: unit.proof.with(0, 'zz') },
    ];
    // A seed in capitals must differ for its mutant to mean anything.
    expect(unit.seed).toMatch(/[a-f]/);
    for (const mutant of mutants) expect([mutant, verifyUnit(mutant)]).toEqual([mutant, false]);
  });
});
