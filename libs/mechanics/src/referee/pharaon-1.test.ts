import { readFileSync } from 'node:fs';
import type { GameRegulation, Stake } from '#regulation';
import { pharaon1Referee } from './pharaon-1.ts';

const dataOf = (path: string): GameRegulation => JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8'));
const regulation = dataOf('../../../regulation/data/pharaon@2008-12-17.json');
const stakeAt = (stakeCents: number, of = regulation) =>
  of.stakes.find((each) => each.stakeCents === stakeCents) as Stake;

const BRICKS: Record<number, number> = { 50: 27, 100: 31, 200: 33 };
const judges = new Map(
  regulation.stakes.map((stake) => [stake.stakeCents as number, pharaon1Referee(regulation, stake)]),
);

type Counts = Record<string, number>;
type Wall = { stakeCents?: number; bricks?: number; bonusCents?: unknown };

/** A wall of so many of each, the last of them at its end, empty bricks for the rest. */
function wall(counts: Counts, { stakeCents = 100, bricks = BRICKS[stakeCents]!, bonusCents = null }: Wall = {}) {
  const found: unknown[] = Object.entries(counts).flatMap(([what, count]) => new Array(count).fill(what));
  const empty = new Array(Math.max(0, bricks - found.length)).fill(null);
  return { mechanic: 'pharaon/1', bricks: [...found.slice(1), ...empty, ...found.slice(0, 1)], bonusCents };
}

const judge = (counts: Counts, options: Wall = {}) => judges.get(options.stakeCents ?? 100)!(wall(counts, options));
const refused = (reason: RegExp) => ({ invalid: expect.stringMatching(reason) });

test.each([
  [50, 27],
  [100, 31],
  [200, 33],
])('PHA-4.1.1: at %p cents the wall has %p bricks', (stakeCents, bricks) => {
  expect(judge({ bird: 1 }, { stakeCents, bricks })).toEqual({ prizeCents: 0 });
  for (const other of [0, 1, 27, 31, 33, bricks - 1, bricks + 1].filter((each) => each !== bricks)) {
    expect(judge({}, { stakeCents, bricks: other })).toEqual(refused(/^bricks is no list of \d\d/));
  }
});

/** Article 4.3 as it is printed, in cents; its columns are the stakes of 0.50, 1 and 2 EUR. */
const ARTICLE_4_3: [string, number, number[]][] = [
  ['bird', 3, [375_000, 750_000, 1_500_000]],
  ['bird', 2, [150, 300, 600]],
  ['scarab', 3, [50_000, 100_000, 200_000]],
  ['scarab', 2, [100, 200, 400]],
  ['cross', 3, [12_500, 25_000, 50_000]],
  ['cross', 2, [50, 100, 200]],
  ['head', 3, [3_750, 7_500, 15_000]],
  ['eye', 3, [500, 1_000, 2_000]],
];

test.each(
  ARTICLE_4_3.flatMap(([symbol, count, amounts]) =>
    [50, 100, 200].map((stakeCents, column) => [count, symbol, stakeCents, amounts[column]!] as const),
  ),
)('PHA-4.3: %p of %s win, at a stake of %p cents, %p', (count, symbol, stakeCents, prizeCents) => {
  expect(judge({ [symbol]: count }, { stakeCents })).toEqual({ prizeCents });
  const fillers = { bird: 1, scarab: 1, cross: 1, head: 2, eye: 2, snake: 2, 'blue-stone': 1 };
  expect(judge({ ...fillers, [symbol]: count }, { stakeCents })).toEqual({ prizeCents });
});

test.each(['head', 'eye', 'snake'])('PHA-4.3: two of %s win nothing', (symbol) => {
  expect(judge({ [symbol]: 2 })).toEqual({ prizeCents: 0 });
});

test.each(['bird', 'scarab', 'cross', 'head', 'eye', 'snake'])('PHA-4.3: one of %s wins nothing', (symbol) => {
  expect(judge({ [symbol]: 1 })).toEqual({ prizeCents: 0 });
});

test('PHA-4.3: an empty wall and one of every symbol win nothing', () => {
  expect(judge({})).toEqual({ prizeCents: 0 });
  expect(judge({ bird: 1, scarab: 1, cross: 1, head: 1, eye: 1, snake: 1 })).toEqual({ prizeCents: 0 });
});

const PAIRS = ARTICLE_4_3.flatMap(([symbol, count]) =>
  ARTICLE_4_3.filter(([other]) => other !== symbol).map(([other, more]) => [count, symbol, more, other] as const),
);

test.each(PAIRS)('PHA-4.3: %p of %s beside %p of %s are two combinations and no wall', (count, symbol, more, other) => {
  expect(judge({ [symbol]: count, [other]: more })).toEqual(refused(/^bricks has two combinations/));
});

test.each(ARTICLE_4_3)('PHA-4.3: a %s combination of %p beside the bonus game is no wall', (symbol, count) => {
  const counts = { [symbol]: count, snake: 3 };
  const reason = refused(/^bricks has a combination beside the bonus game/);
  expect(judge(counts, { bonusCents: 100 })).toEqual(reason);
  expect(judge(counts, { bonusCents: null })).toEqual(reason);
});

test.each(['bird', 'scarab', 'cross', 'head', 'eye', 'snake'])('PHA-4.3: four of %s are no wall', (symbol) => {
  expect(judge({ [symbol]: 4 })).toEqual(refused(/^bricks\[30\] is \w+, after 3 others/));
  expect(judge({ [symbol]: 20 }, { bonusCents: 100 })).toEqual(refused(/^bricks\[3\] is \w+, after 3 others/));
});

test('PHA-4.3: a number of a symbol that is more than the least that pays, and pays nothing, is no wall', () => {
  const small = dataOf('../../../../test/fixtures/regulations/pharaon@2008-12-17.json');
  const judgeSmall = pharaon1Referee(small, stakeAt(100, small));
  expect(judgeSmall(wall({ bird: 2 }))).toEqual({ prizeCents: 300 });
  expect(judgeSmall(wall({ bird: 3 }))).toEqual(refused(/^bricks has 3 of bird, which is no combination/));
});

test('PHA-4.3: a symbol that pays in no number may be there up to three times', () => {
  const stake = stakeAt(100);
  const combinations = [{ symbol: 'bird', count: 2, prizeCents: 300 }];
  const judgeFew = pharaon1Referee(regulation, { ...stake, parameters: { ...stake.parameters, combinations } });
  expect(judgeFew(wall({ eye: 3, head: 3, bird: 2 }))).toEqual({ prizeCents: 300 });
  expect(judgeFew(wall({ eye: 4 }))).toEqual(refused(/is eye, after 3 others/));
});

test.each([
  'rabbit',
  'Bird',
  '',
  'stone',
  'constructor',
  '__proto__',
  0,
  1,
  true,
  undefined,
  {},
  ['bird'],
  Object('bird'),
])('%p is nothing that a brick may hide', (thing) => {
  const script = wall({});
  expect(judges.get(100)!({ ...script, bricks: script.bricks.with(7, thing) })).toEqual(
    refused(/^bricks\[7\] is neither/),
  );
});

test('a wall has none to three stones, of one kind or several, and they win nothing', () => {
  expect(judge({ 'pink-stone': 1 })).toEqual({ prizeCents: 0 });
  expect(judge({ 'pink-stone': 1, 'green-stone': 1, 'blue-stone': 1 })).toEqual({ prizeCents: 0 });
  expect(judge({ 'green-stone': 3, cross: 2 })).toEqual({ prizeCents: 100 });
  expect(judge({ 'green-stone': 4 })).toEqual(refused(/^bricks\[30\] is a stone, after 3 others/));
  expect(judge({ 'pink-stone': 2, 'green-stone': 1, 'blue-stone': 1 })).toEqual(refused(/is a stone, after 3 others/));
});

test.each([50, 100, 200])(
  'PHA-4.7: at %p cents three snakes open the bonus game, and its amount is the prize',
  (stakeCents) => {
    const amounts = stakeAt(stakeCents).rows.map(({ prizeCents }) => prizeCents as number);
    expect(amounts).toHaveLength(8);
    for (const bonusCents of amounts) {
      expect(judge({ snake: 3 }, { stakeCents, bonusCents })).toEqual({ prizeCents: bonusCents });
      expect(judge({ snake: 3, bird: 1, head: 2 }, { stakeCents, bonusCents })).toEqual({ prizeCents: bonusCents });
    }
  },
);

test('PHA-4.7: the bonus game always wins', () => {
  for (const bonusCents of [null, undefined, 0, -0, -100, 100.5, Number.NaN, '100', true, 100n, Object(100)]) {
    expect(judge({ snake: 3 }, { bonusCents })).toEqual(refused(/^bonusCents is no whole number/));
  }
});

test('PHA-4.7: without three snakes there is no bonus game', () => {
  for (const counts of [{ snake: 2 }, {}, { bird: 2 }]) {
    for (const bonusCents of [100, 0, false, '']) {
      expect(judge(counts, { bonusCents })).toEqual(refused(/^bonusCents is not null without the bonus game/));
    }
  }
});

test.each([50, 100, 200])(
  'REG-4.3: at %p cents the bonus game brings an amount of the table for that stake and no other',
  (stakeCents) => {
    const amounts = new Set<number>(stakeAt(stakeCents).rows.map(({ prizeCents }) => prizeCents));
    for (const amount of [...amounts].flatMap((each) => [each - 1, each + 1, each * 3])) {
      if (amounts.has(amount)) continue;
      expect(judge({ snake: 3 }, { stakeCents, bonusCents: amount })).toEqual(refused(/no amount of the table/));
    }
  },
);

test('REG-4.3: a combination that pays no amount of the table wins nothing', () => {
  const stake = stakeAt(100);
  const rows = stake.rows.filter(({ prizeCents }) => prizeCents !== 300);
  const judgeLess = pharaon1Referee(regulation, { ...stake, rows });
  expect(judgeLess(wall({ bird: 2 }))).toEqual(refused(/the prize of 300 cents is no amount of the table/));
});
