import { readFileSync } from 'node:fs';
import type { GameRegulation, Stake } from '#regulation';
import { sudoku1Referee } from './sudoku-1.ts';

const file = new URL('../../../regulation/data/sudoku@2009-01-26.json', import.meta.url);
const regulation: GameRegulation = JSON.parse(readFileSync(file, 'utf8'));
const judgeAt = (stakeCents: number) => {
  const stake = regulation.stakes.find((each) => each.stakeCents === stakeCents) as Stake;
  return sudoku1Referee(regulation, stake);
};
const judge = judgeAt(100);

const DIGITS = [1, 2, 3, 4, 5, 6, 7, 8, 9];

/** Nine blocks whose digits start at another one each; `masked` has the masked digits of the first blocks, 9 in the others. */
function unit({
  gainCents = 200,
  masked = [] as number[][],
  rolls = [
    [1, 1],
    [1, 2],
    [2, 2],
  ] as unknown[],
} = {}) {
  const blocks = DIGITS.map((first) => DIGITS.map((_, cell) => ((first + cell - 1) % 9) + 1));
  const uncovered = blocks.map((digits, b) => digits.map((digit) => ((masked[b] ?? [9]).includes(digit) ? 0 : 1)));
  return { mechanic: 'sudoku/1', gainCents, blocks, uncovered, rolls };
}

function invalid(script: unknown): string {
  const verdict = judge(script);
  return 'invalid' in verdict ? verdict.invalid : `a prize of ${verdict.prizeCents}`;
}

/** Why a unit that is sound but for these rolls is none. */
function invalidRolls(...rolls: unknown[]): string {
  return invalid(unit({ rolls }));
}

const changedBlock = (change: (block: unknown[]) => unknown) => {
  const script = unit();
  return { ...script, blocks: script.blocks.map((block, b) => (b === 4 ? change([...block]) : block)) };
};

test('SUD-4.1: nine blocks of nine cells, each with the digits 1 to 9 in any order', () => {
  expect(judge(unit())).toEqual({ prizeCents: 0 });
  expect(judge(changedBlock((block) => block.reverse()))).toEqual({ prizeCents: 0 });
});

test.each([
  ['eight blocks', { ...unit(), blocks: unit().blocks.slice(1) }, /^blocks is no list of 9/],
  ['ten blocks', { ...unit(), blocks: [...unit().blocks, DIGITS] }, /^blocks is no list of 9/],
  ['a block of eight cells', changedBlock((block) => block.slice(1)), /^blocks\[4\] is no list of 9/],
  ['a block of ten cells', changedBlock((block) => [...block, 1]), /^blocks\[4\] is no list of 9/],
  ['a digit twice', changedBlock((block) => block.with(0, block[1])), /^blocks\[4\] holds a digit twice/],
  ['a digit 0', changedBlock((block) => block.with(3, 0)), /^blocks\[4\]\[3\] is no digit/],
  ['a digit 10', changedBlock((block) => block.with(3, 10)), /^blocks\[4\]\[3\] is no digit/],
  ['a digit in words', changedBlock((block) => block.with(3, '8')), /^blocks\[4\]\[3\] is no digit/],
  ['half a digit', changedBlock((block) => block.with(3, 8.5)), /^blocks\[4\]\[3\] is no digit/],
  // 33 would set the same bit as 1 where digits are kept as bits.
  ['a digit beyond 32', changedBlock((block) => block.map((digit) => Number(digit) + 32)), /^blocks\[4\]\[0\]/],
  ['no block', changedBlock(() => null), /^blocks\[4\] is no list/],
])('SUD-4.1: %s is no grid', (_, script, reason) => {
  expect(invalid(script)).toMatch(reason);
});

test('SUD-4.2: cells are uncovered at the start or masked, and each block has a masked one', () => {
  const { uncovered } = unit();
  const changed = (row: unknown) => ({ ...unit(), uncovered: uncovered.map((cells, b) => (b === 2 ? row : cells)) });
  expect(judge(changed(new Array(9).fill(0)))).toEqual({ prizeCents: 0 });
  expect(invalid(changed(new Array(9).fill(1)))).toMatch(/^uncovered\[2\] leaves no cell masked/);
  for (const neither of [2, -1, -0, true, false, '0', null, undefined, 0.5, Number.NaN]) {
    expect(invalid(changed([0, 1, 1, 1, neither, 1, 1, 1, 1]))).toMatch(/^uncovered\[2\]\[4\] is neither 0 nor 1/);
  }
  expect(invalid(changed([0, 1, 1]))).toMatch(/^uncovered\[2\] is no list of 9/);
  expect(invalid({ ...unit(), uncovered: uncovered.slice(1) })).toMatch(/^uncovered is no list of 9/);
});

test('SUD-4.3.1: two faces with pips give their sum', () => {
  // Block 4 misses one digit; the others miss 1 as well, which two pips never give.
  const missing = (digit: number) => DIGITS.map((_, b) => (b === 3 ? [digit] : [1, 9]));
  for (const first of [1, 2, 3, 4, 5, 6]) {
    for (const second of [1, 2, 3, 4, 5, 6].filter((pips) => first + pips <= 9)) {
      const rolls = new Array(3).fill([first, second]);
      for (const digit of DIGITS) {
        const prizeCents = digit === first + second ? 200 : 0;
        expect(judge(unit({ masked: missing(digit), rolls }))).toEqual({ prizeCents });
      }
    }
  }
});

test.each([
  [4, 6],
  [6, 4],
  [5, 5],
  [5, 6],
  [6, 5],
  [6, 6],
])('SUD-4.3.1: %p and %p sum up above 9 and are no roll', (first, second) => {
  const rolls = [
    [1, 1],
    [first, second],
    [1, 1],
  ];
  expect(invalid(unit({ rolls }))).toBe(`rolls[1] gives ${first + second}, above 9`);
});

test('SUD-4.3.1: a clover, on either die, gives the other face and one more roll', () => {
  for (const pips of [1, 2, 3, 4, 5, 6]) {
    for (const roll of [
      ['clover', pips],
      [pips, 'clover'],
    ]) {
      const after = [
        [6, 1],
        [6, 1],
        [6, 1],
      ];
      expect(judge(unit({ masked: [[pips]], rolls: [roll, ...after] }))).toEqual({ prizeCents: 200 });
      expect(judge(unit({ masked: [[pips]], rolls: [...after.slice(1), roll, [6, 1]] }))).toEqual({ prizeCents: 200 });
    }
  }
});

test('SUD-4.3.1: the roll that a clover brings uncovers cells like any other', () => {
  const masked = [[5, 6, 7, 8]];
  const rolls = [
    [4, 1],
    ['clover', 6],
    [6, 1],
    [4, 4],
  ];
  expect(judge(unit({ masked, rolls }))).toEqual({ prizeCents: 200 });
});

test('SUD-4.3.1: there are six clovers and no more, also where a roll by a clover brings the next', () => {
  const clovers = (count: number) => Array.from({ length: count }, () => ['clover', 1]);
  const pips = [
    [1, 1],
    [1, 1],
    [2, 1],
  ];
  expect(judge(unit({ masked: [[1, 2, 3]], rolls: [...clovers(6), ...pips] }))).toEqual({ prizeCents: 200 });
  expect(invalid(unit({ rolls: [...clovers(7), ...pips] }))).toBe('rolls[6] brings a clover after 6');
  expect(invalid(unit({ rolls: [...pips.slice(1), ...clovers(7), [1, 1]] }))).toBe('rolls[8] brings a clover after 6');
});

test('SUD-4.3.1: two clovers are no roll', () => {
  expect(invalidRolls([1, 1], ['clover', 'clover'], [1, 1], [1, 1], [1, 1])).toBe('rolls[1] has two clovers');
});

test('SUD-4.3.1: three rolls and one for each clover; one less is missing', () => {
  expect(invalid(unit({ rolls: [] }))).toBe('rolls lacks a roll after 0');
  expect(invalidRolls([1, 1], [1, 1])).toBe('rolls lacks a roll after 2');
  expect(invalidRolls([1, 1], [1, 1], ['clover', 1])).toBe('rolls lacks a roll after 3');
  expect(invalidRolls(['clover', 1], [1, 'clover'], [1, 1], [1, 1])).toBe('rolls lacks a roll after 4');
});

test('SUD-4.3.1: one roll more than there are is too many, whatever it gives', () => {
  expect(invalidRolls([1, 1], [1, 1], [1, 1], [1, 1])).toBe('rolls[3] is a roll too many');
  expect(invalidRolls([1, 1], [1, 1], [1, 1], ['clover', 1])).toBe('rolls[3] is a roll too many');
  expect(invalidRolls(['clover', 1], [1, 1], [1, 1], [1, 1], [1, 1])).toBe('rolls[4] is a roll too many');
});

test.each([0, 7, -1, 1.5, '3', 'Clover', 'trefle', null, undefined, true, [3]])('SUD-4.3.1: %p is no face', (face) => {
  expect(invalidRolls([1, 1], [1, face], [1, 1])).toMatch(/^rolls\[1\]\[1\] is neither/);
  expect(invalidRolls([1, 1], ['clover', face], [1, 1], [1, 1])).toMatch(/^rolls\[1\]\[1\] is neither/);
  expect(invalidRolls([face, 1], [1, 1], [1, 1])).toMatch(/^rolls\[0\]\[0\] is neither/);
});

test('SUD-4.3.1: a roll is of two dice', () => {
  expect(invalid(unit({ rolls: [[1, 1], [2], [1, 1]] }))).toMatch(/^rolls\[1\] is no list of 2/);
  expect(invalidRolls([1, 1], [2, 1, 1], [1, 1])).toMatch(/^rolls\[1\] is no list of 2/);
  expect(invalid(unit({ rolls: [[1, 1], 2, [1, 1]] }))).toMatch(/^rolls\[1\] is no list/);
});

test('SUD-4.3.2: the masked cells with a digit that was rolled are uncovered, in every block', () => {
  const masked = [[2, 5], [5, 2, 8], [8], [8, 3], [2, 3]];
  expect(
    judge(
      unit({
        masked,
        rolls: [
          [1, 1],
          [2, 3],
          [4, 4],
        ],
      }),
    ),
  ).toEqual({ prizeCents: 600 });
});

test('SUD-4.3.2: a digit that came before uncovers nothing', () => {
  const masked = [[2, 5, 8]];
  expect(
    judge(
      unit({
        masked,
        rolls: [
          [1, 1],
          [2, 3],
          [1, 4],
        ],
      }),
    ),
  ).toEqual({ prizeCents: 0 });
  expect(
    judge(
      unit({
        masked,
        rolls: [
          [1, 1],
          [2, 3],
          ['clover', 5],
          [4, 4],
        ],
      }),
    ),
  ).toEqual({ prizeCents: 200 });
  expect(
    judge(
      unit({
        masked: [[2]],
        rolls: [
          [1, 1],
          [1, 1],
          [1, 1],
        ],
      }),
    ),
  ).toEqual({ prizeCents: 200 });
});

test.each([
  [1, 300, 300],
  [2, 100, 200],
  [2, 150, 300],
  [3, 100, 300],
  [4, 100, 400],
])('SUD-4.3.3: %p blocks with %p cents in the gain box win %p', (count, gainCents, prizeCents) => {
  const masked = Array.from({ length: count }, (_, b) => (b % 2 ? [2] : [2, 3]));
  expect(judge(unit({ gainCents, masked }))).toEqual({ prizeCents });
});

test('SUD-4.3.3: a prize that several blocks multiply to is an amount of the table too', () => {
  const script = unit({ gainCents: 100, masked: [[2], [2], [2], [2], [2]] });
  expect(invalid(script)).toBe('the prize of 500 cents is no amount of the table at 100 cents');
});

test('SUD-4.3.3: the gain box holds a whole number of cents above 0, also where nothing is won', () => {
  for (const gainCents of [0, -100, 0.5, -0, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53, '100', null, 100n]) {
    expect(invalid({ ...unit(), gainCents })).toMatch(/^gainCents is no whole number above 0/);
  }
  expect(judge({ ...unit(), gainCents: 1 })).toEqual({ prizeCents: 0 });
  expect(invalid(unit({ gainCents: Number.MAX_SAFE_INTEGER, masked: [[2], [2]] }))).toMatch(/no amount of the table/);
});

test('SUD-4.4: a unit whose blocks all keep a masked cell loses', () => {
  const masked = DIGITS.map((_, b) => [2, 3, 4, 5 + (b % 5)]);
  expect(judge(unit({ masked }))).toEqual({ prizeCents: 0 });
});

test.each([50, 100, 200])(
  'REG-4.3: at %p cents the prize is an amount of the table for that stake and no other',
  (stakeCents) => {
    const judgeHere = judgeAt(stakeCents);
    const stake = regulation.stakes.find((each) => each.stakeCents === stakeCents) as Stake;
    const amounts = new Set<number>(stake.rows.map(({ prizeCents }) => prizeCents));
    expect(amounts.size).toBe(20);
    for (const gainCents of [...amounts].flatMap((amount) => [amount - 1, amount, amount + 1])) {
      const verdict = judgeHere(unit({ gainCents, masked: [[2]] }));
      if (amounts.has(gainCents)) expect(verdict).toEqual({ prizeCents: gainCents });
      else expect(verdict).toEqual({ invalid: expect.stringMatching(/no amount of the table/) });
    }
  },
);

test('REG-4.4: extra rolls prolong the unit and neither multiply its prize nor bring another', () => {
  const masked = [[2, 3, 4]];
  const direct = judge(
    unit({
      masked,
      rolls: [
        [1, 1],
        [2, 1],
        [3, 1],
      ],
    }),
  );
  const prolonged = judge(
    unit({
      masked,
      rolls: [
        ['clover', 2],
        [2, 'clover'],
        ['clover', 3],
        [1, 1],
        [2, 1],
        [3, 1],
      ],
    }),
  );
  expect(direct).toEqual({ prizeCents: 200 });
  expect(prolonged).toEqual(direct);
});
