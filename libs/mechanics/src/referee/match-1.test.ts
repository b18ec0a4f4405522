import type { GameRegulation } from '#regulation';
import { match1Referee } from './match-1.ts';

const rows = [10_000, 2_000, 500, 200, 100].map((prizeCents) => ({ count: 1, prizeCents }));
const regulation = {
  id: 'trio@2020-01-01',
  game: 'trio',
  mechanic: 'match/1',
  parameters: {},
  stakes: [{ stakeCents: 100, rows, printed: { count: 5, totalCents: 12_800 }, parameters: {} }],
} as unknown as GameRegulation;
const judge = match1Referee(regulation, regulation.stakes[0]!);

const grid = (...amounts: unknown[]) => ({ mechanic: 'match/1', amounts });
const LOSING = [10_000, 2_000, 500, 200, 100, 10_000, 2_000, 500, 200];

test.each([10_000, 2_000, 500, 200, 100])('REG-4.3: three times %p cents win them, wherever they stand', (amount) => {
  const others = LOSING.filter((each) => each !== amount).slice(0, 6);
  expect(judge(grid(amount, amount, amount, ...others))).toEqual({ prizeCents: amount });
  expect(judge(grid(...others.toSpliced(5, 0, amount).toSpliced(2, 0, amount), amount))).toEqual({
    prizeCents: amount,
  });
});

test('nine amounts of which none stands there three times lose', () => {
  expect(judge(grid(...LOSING))).toEqual({ prizeCents: 0 });
});

test.each([
  ['two amounts three times', [500, 500, 500, 200, 200, 200, 100, 100, 2_000], /^amounts has two amounts 3 times/],
  ['three amounts three times', [500, 500, 500, 200, 200, 200, 100, 100, 100], /^amounts has two amounts 3 times/],
  ['an amount four times', [500, 500, 500, 500, 200, 200, 100, 100, 2_000], /^amounts has 500 more than 3 times/],
  ['an amount nine times', new Array(9).fill(500), /^amounts has 500 more than 3 times/],
  ['one three, one four times', [500, 500, 500, 100, 100, 100, 100, 200, 200], /^amounts has 100 more than 3 times/],
  ['eight amounts', LOSING.slice(1), /^amounts is no list of 9/],
  ['ten amounts', [...LOSING, 100], /^amounts is no list of 9/],
])('%s are no grid', (_, amounts, reason) => {
  expect(judge(grid(...amounts))).toEqual({ invalid: expect.stringMatching(reason) });
});

test.each([300, 0, -0, -100, 100.5, '100', null, undefined, Number.NaN, Object(100), 100n, Symbol.iterator])(
  'REG-4.3: %p is no amount of the table, and so none of the grid',
  (amount) => {
    expect(judge(grid(...LOSING.with(4, amount as number)))).toEqual({
      invalid: 'amounts[4] is no amount of the table',
    });
  },
);

test('an amount that two rows of a table share is still one', () => {
  const stake = regulation.stakes[0]!;
  const twice = match1Referee(regulation, { ...stake, rows: [...stake.rows, stake.rows[2]!] });
  expect(twice(grid(...LOSING))).toEqual({ prizeCents: 0 });
  expect(twice(grid(500, 500, 500, ...LOSING.filter((each) => each !== 500).slice(0, 6)))).toEqual({ prizeCents: 500 });
});
