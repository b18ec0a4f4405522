import { canonical, sha256, toHex, utf8 } from '#fairness';
import { type Cents, cents } from '#money';
import type { GameRegulation, Stake } from '#regulation';
import { evenly, fit, ONE_IN_A_MILLION, tally } from '../../../../test/statistics/chi-square.ts';
import { match1Renderer } from './match-1.ts';

const AMOUNTS = [100, 200, 300, 1_000, 50_000];
const regulation = {} as GameRegulation;
const stakeOf = (amounts: readonly number[]): Stake => ({
  stakeCents: cents(100),
  rows: amounts.map((amount, i) => ({ count: 10 ** i, prizeCents: cents(amount) })).toReversed(),
  printed: { count: 0, totalCents: cents(0) },
  parameters: {},
});
const seedOf = (n: number): string => toHex(sha256(utf8(`unit ${n}`))).slice(0, 32);
const render = match1Renderer(regulation, stakeOf(AMOUNTS));
const gridOf = (prize: number, n: number) => render(prize as Cents, seedOf(n))['amounts'] as number[];
const times = (grid: readonly number[], amount: number) => grid.filter((one) => one === amount).length;
const grids = (prize: number, count: number) => Array.from({ length: count }, (_, n) => gridOf(prize, n));

test('the same prize and seed give the same script for ever, also from another renderer and after other units', () => {
  const other = match1Renderer(regulation, stakeOf(AMOUNTS));
  for (const prize of [0, ...AMOUNTS]) {
    const script = canonical(render(cents(prize), seedOf(1)));
    gridOf(0, 2);
    expect(canonical(render(cents(prize), seedOf(1)))).toBe(script);
    expect(canonical(other(cents(prize), seedOf(1)))).toBe(script);
    expect(canonical(render(cents(prize), seedOf(3)))).not.toBe(script);
  }
});

test('a winning grid has its prize three times and every other amount at most twice; a losing grid none three times', () => {
  for (const prize of [0, ...AMOUNTS]) {
    for (const grid of grids(prize, 200)) {
      expect(grid).toHaveLength(9);
      expect(grid.every((amount) => AMOUNTS.includes(amount))).toBe(true);
      for (const amount of AMOUNTS) {
        if (amount === prize) expect(times(grid, amount)).toBe(3);
        else expect(times(grid, amount)).toBeLessThanOrEqual(2);
      }
    }
  }
});

/** How often each number of each amount stands in a grid, worked out cell by cell. */
function everyFilling(prize: number): Map<string, number> {
  const shares = new Map<string, number>();
  const step = (grid: readonly number[], share: number): void => {
    if (grid.length === 9) {
      const kinds = AMOUNTS.map((amount) => times(grid, amount)).join(' ');
      shares.set(kinds, (shares.get(kinds) ?? 0) + share);
      return;
    }
    const free = AMOUNTS.filter((amount) => times(grid, amount) < 2);
    for (const amount of free) step([...grid, amount], share / free.length);
  };
  step(prize === 0 ? [] : [prize, prize, prize], 1);
  return shares;
}

test.each([100, 50_000, 0])(
  'the cells beside a prize of %i are drawn one by one among the amounts that may still stand there',
  (prize) => {
    const found = tally(grids(prize, 6_000), (grid) => AMOUNTS.map((amount) => times(grid, amount)).join(' '));
    expect(fit(found, everyFilling(prize)).deviations).toBeLessThan(ONE_IN_A_MILLION);
  },
);

test('the grid is shuffled evenly: the three prizes lie in each three cells alike', () => {
  const found = tally(grids(300, 6_000), (grid) => grid.map((amount) => (amount === 300 ? 'x' : '.')).join(''));
  const all = Array.from({ length: 512 }, (_, set) =>
    Array.from({ length: 9 }, (_, i) => ((set >> i) & 1 ? 'x' : '.')),
  );
  const threes = all
    .filter((cells) => cells.filter((cell) => cell === 'x').length === 3)
    .map((cells) => cells.join(''));
  expect(fit(found, evenly(threes)).deviations).toBeLessThan(ONE_IN_A_MILLION);
});

test('an amount that is no prize of the stake, a seed that is none, and a table with too few amounts are refused', () => {
  expect(() => gridOf(150, 1)).toThrow(RangeError);
  expect(() => render(cents(0), 'seed')).toThrow(RangeError);
  expect(() => match1Renderer(regulation, stakeOf(AMOUNTS.slice(1)))).toThrow(RangeError);
});
