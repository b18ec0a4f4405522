import { cents } from '#money';
import type { EmissionOrder } from '../emissions/emission.ts';
import {
  exhausted,
  isUsedUp,
  nextWanted,
  opensNext,
  type Stock,
  type StockedBlock,
  stocks,
  unitsLeft,
  urgency,
  withBlock,
  withEmission,
} from './stock.ts';

const order = (emissionId: string, blocks: number): EmissionOrder => ({
  emissionId,
  regulation: 'tiny@2020-01-01',
  stakeCents: cents(100),
  blocks,
  approvedBy: ['a', 'b'],
});
const block = (blockId: string, emissionId: string): StockedBlock => ({
  blockId,
  emissionId,
  regulation: 'tiny@2020-01-01',
  size: 20,
  start: 0,
});
const through = (...steps: ((stock: Stock) => Stock)[]) => steps.reduce((stock, step) => step(stock), stocks.initial);
const approved = (emissionId: string, blocks: number) => (stock: Stock) =>
  withEmission(stock, order(emissionId, blocks));
const committed = (blockId: string, emissionId: string) => (stock: Stock) =>
  withBlock(stock, block(blockId, emissionId));

test('blocks are wanted of the emissions in the order of their approval', () => {
  const first = through(approved('e1', 1), approved('e2', 2));
  expect(nextWanted(first)?.emissionId).toBe('e1');
  const second = committed('b1', 'e1')(first);
  expect(nextWanted(second)?.emissionId).toBe('e2');
  expect(nextWanted(through(approved('e1', 1), committed('b1', 'e1')))).toBeNull();
});

test('a block of an emission that wants none is not taken in', () => {
  expect(() => through(approved('e1', 1), committed('b1', 'e1'), committed('b2', 'e1'))).toThrow(RangeError);
  expect(() => through(approved('e1', 1), approved('e2', 1), committed('b1', 'e2'))).toThrow(RangeError);
});

test('blocks open one after the other, over the end of an emission into the next, until all are used up', () => {
  const begun = through(approved('e1', 1), approved('e2', 1), committed('b1', 'e1'), committed('b2', 'e2'), opensNext);
  expect(begun.open?.blockId).toBe('b1');
  expect(opensNext(begun)).toBe(begun);
  const next = opensNext(exhausted(begun));
  expect(next.open?.blockId).toBe('b2');
  expect(next.emissions.map(({ emissionId }) => emissionId)).toEqual(['e2']);
  expect(isUsedUp(next)).toBe(false);
  expect(isUsedUp(exhausted(next))).toBe(true);
});

test('a line whose next block is not committed yet is not used up', () => {
  const waiting = exhausted(through(approved('e1', 2), committed('b1', 'e1'), opensNext));
  expect(waiting.open).toBeNull();
  expect(isUsedUp(waiting)).toBe(false);
});

test('units left are those of the open block that are not sold and those of the blocks that wait', () => {
  const stock = through(approved('e1', 3), committed('b1', 'e1'), committed('b2', 'e1'), opensNext);
  expect(unitsLeft(stock, 0)).toBe(40);
  expect(unitsLeft(stock, 19)).toBe(21);
  expect(unitsLeft(stocks.initial, 0)).toBe(0);
});

test('a block is prepared behind each open one at once, and lines whose sales wait come first', () => {
  const nothingOpen = through(approved('e1', 3));
  const oneOpen = through(approved('e1', 3), committed('b1', 'e1'), opensNext);
  const oneWaits = committed('b2', 'e1')(oneOpen);
  const complete = through(approved('e1', 1), committed('b1', 'e1'), opensNext);
  expect(urgency(oneOpen, 0, false)).toBe(0);
  expect(urgency(oneOpen, 10, false)).toBe(0.5);
  expect(urgency(nothingOpen, 0, false)).toBeGreaterThan(1);
  expect(urgency(oneWaits, 10, true)).toBeGreaterThan(urgency(nothingOpen, 0, false) ?? 0);
  expect(urgency(oneWaits, 10, false)).toBeNull();
  expect(urgency(complete, 10, true)).toBeNull();
});
