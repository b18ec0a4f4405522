import { evenly, fit, ONE_IN_A_MILLION, tally } from '../../../../test/statistics/chi-square.ts';
import { isWithin, type NineSet } from './digit-sets.ts';
import { SeededDraws } from './draws.ts';
import { drawClovers, drawRolls, type Roll } from './sudoku-1-rolls.ts';

const SEED = '5eed5eed5eed5eed5eed5eed5eed5eed';
const DRAWS = 60_000;

const setOf = (...digits: number[]): NineSet => digits.reduce((set, digit) => set | (1 << (digit - 1)), 0);
/** Two blocks within 2, 5 and 9; the others can be completed only by other digits. */
const masks = [
  [2, 5],
  [2, 5, 9],
  [1, 3],
  [1, 2, 3],
  [4, 7],
  [4, 6, 7, 8],
  [8, 9],
  [3, 8],
  [1, 6],
].map((digits) => setOf(...digits));
/** One block within 1, 8 and 9: no three rolls without a clover give a 1. */
const withOne = [
  [1, 8, 9],
  [2, 3],
  [3, 4],
  [4, 5],
  [5, 6],
  [6, 7],
  [2, 7],
  [2, 4, 6],
  [3, 5, 7, 8],
].map((digits) => setOf(...digits));

const digitOf = ([a, b]: Roll): number => (a === 'clover' ? Number(b) : b === 'clover' ? Number(a) : a + b);
const hasClover = (roll: Roll): boolean => roll.includes('clover');
const cloversOf = (rolls: readonly Roll[]): number => rolls.filter(hasClover).length;
const patternOf = (rolls: readonly Roll[]): string => rolls.map((roll) => (hasClover(roll) ? 'c' : '.')).join('');
const digitsOf = (rolls: readonly Roll[]): string => rolls.map(digitOf).join('');
const completedBy = (digits: readonly number[], of: readonly NineSet[]): number =>
  of.filter((mask) => isWithin(mask, setOf(...digits))).length;

/** Every sequence of digits that a pattern of clovers allows and that completes exactly so many blocks, one by one. */
function everySequence(pattern: string, of: readonly NineSet[], completed: number): string[] {
  let sequences: number[][] = [[]];
  for (const roll of pattern) {
    const digits = roll === 'c' ? [1, 2, 3, 4, 5, 6] : [2, 3, 4, 5, 6, 7, 8, 9];
    sequences = sequences.flatMap((sequence) => digits.map((digit) => [...sequence, digit]));
  }
  return sequences.filter((digits) => completedBy(digits, of) === completed).map((digits) => digits.join(''));
}

function rollsOf(of: readonly NineSet[], completed: number, count: number): Roll[][] {
  const draws = new SeededDraws().start(SEED);
  return Array.from({ length: count }, () => drawRolls(draws, of, completed));
}

/** By the number of blocks that they complete. */
const drawnRolls = [0, 1, 2].map((completed) => rollsOf(masks, completed, DRAWS));

/** Probabilities of the patterns with up to two clovers, times 8^5: a clover is one face of eight. */
const PATTERNS = new Map<string, number>([
  ['...', 7 ** 3 * 64],
  ...['c...', '.c..', '..c.'].map((pattern) => [pattern, 7 ** 3 * 8] as const),
  ...['cc...', 'c.c..', 'c..c.', '.cc..', '.c.c.', '..cc.'].map((pattern) => [pattern, 7 ** 3] as const),
]);

test('SUD-4.3.1: each roll is a clover one time in eight, adds a roll, and there are at most six', () => {
  const draws = new SeededDraws().start(SEED);
  const patterns = Array.from({ length: 100_000 }, () => drawClovers(draws));
  for (const pattern of patterns) {
    const clovers = pattern.filter(Boolean).length;
    if (clovers > 6 || pattern.length !== 3 + clovers || pattern.at(-1)) throw new Error(`not possible: ${pattern}`);
  }
  const names = patterns.map((pattern) => pattern.map((clover) => (clover ? 'c' : '.')).join(''));
  const shares = new Map(PATTERNS);
  shares.set('more', 8 ** 5 - [...PATTERNS.values()].reduce((sum, share) => sum + share, 0));
  const observed = tally(names, (name) => (PATTERNS.has(name) ? name : 'more'));
  expect(fit(observed, shares).deviations).toBeLessThan(ONE_IN_A_MILLION);
});

test('SUD-4.3.1: after six clovers come three rolls of two pips', () => {
  const draws = { below: () => 0 };
  expect(drawClovers(draws)).toEqual([...new Array(6).fill(true), false, false, false]);
});

test.each([
  [2, '...'],
  [2, 'c...'],
  [2, '..c.'],
  [1, '...'],
  [0, '...'],
])(
  'SUD-4.3.1: rolls that complete exactly %i blocks with clovers as %s are even among all that do',
  (completed, pattern) => {
    const expected = everySequence(pattern, masks, completed);
    const found = drawnRolls[completed]!.filter((rolls) => patternOf(rolls) === pattern);
    expect(found.length).toBeGreaterThan(5 * expected.length);
    expect(fit(tally(found, digitsOf), evenly(expected)).deviations).toBeLessThan(ONE_IN_A_MILLION);
  },
);

test.each([0, 1, 2])(
  'SUD-4.3.1: with one to three clovers, the digits of %i blocks come as often as sequences give them',
  (completed) => {
    const sorted = (digits: string) => [...new Set(digits)].sort().join('');
    for (const [clovers, pattern] of [
      [1, 'c...'],
      [2, 'cc...'],
      [3, 'ccc...'],
    ] as const) {
      const expected = tally(everySequence(pattern, masks, completed), sorted);
      const found = drawnRolls[completed]!.filter((rolls) => cloversOf(rolls) === clovers);
      expect(
        fit(
          tally(found, (rolls) => sorted(digitsOf(rolls))),
          expected,
        ).deviations,
      ).toBeLessThan(ONE_IN_A_MILLION);
    }
  },
);

test('SUD-4.3.1: clovers come as often in losing rolls, and in winning ones where every pattern allows a win', () => {
  for (const completed of [0, 1, 2]) {
    const few = drawnRolls[completed]!.filter((rolls) => cloversOf(rolls) <= 2);
    expect(fit(tally(few, patternOf), PATTERNS).deviations).toBeLessThan(ONE_IN_A_MILLION);
  }
});

test('SUD-4.3.1: a pattern of clovers that allows no win is drawn again', () => {
  expect(everySequence('...', withOne, 1).some((digits) => digits.includes('1'))).toBe(false);
  const onlyOne = withOne.map((_, block) => (block === 0 ? setOf(1, 8, 9) : setOf(1, 2, 3, block + 1)));
  expect(everySequence('...', onlyOne, 1)).toEqual([]);
  const found = rollsOf(onlyOne, 1, 5_000);
  expect(found.every((rolls) => cloversOf(rolls) > 0 && completedBy(rolls.map(digitOf), onlyOne) === 1)).toBe(true);
});

test('SUD-4.3.1: a sum shows each of its pairs alike, and either die may be the clover', () => {
  const rolls = drawnRolls[0]!.flat();
  for (let sum = 2; sum <= 9; sum++) {
    const pairs = [1, 2, 3, 4, 5, 6].filter((a) => sum - a >= 1 && sum - a <= 6).map((a) => `${a},${sum - a}`);
    const found = rolls.filter((roll) => !hasClover(roll) && digitOf(roll) === sum);
    if (pairs.length === 1) expect(found.every((roll) => String(roll) === pairs[0])).toBe(true);
    else expect(fit(tally(found, String), evenly(pairs)).deviations).toBeLessThan(ONE_IN_A_MILLION);
  }
  const clovers = rolls.filter(hasClover);
  expect(
    fit(
      tally(clovers, ([first]) => first === 'clover'),
      evenly([true, false]),
    ).deviations,
  ).toBeLessThan(ONE_IN_A_MILLION);
});

test('the test of evenness finds rolls that take any fitting set alike, whatever its number of sequences', () => {
  const expected = everySequence('c...', masks, 1);
  const setIn = (digits: string) => [...new Set(digits)].sort().join('');
  const sets = [...new Set(expected.map(setIn))].map((set) => expected.filter((digits) => setIn(digits) === set));
  const draws = new SeededDraws().start(SEED);
  const found = Array.from({ length: DRAWS / 2 }, () => {
    const set = sets[draws.below(sets.length)]!;
    return set[draws.below(set.length)]!;
  });
  expect(fit(tally(found, String), evenly(expected)).deviations).toBeGreaterThan(ONE_IN_A_MILLION);
});
