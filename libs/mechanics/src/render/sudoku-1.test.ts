import { canonical } from '#fairness';
import { type Cents, cents } from '#money';
import { evenly, fit, ONE_IN_A_MILLION, tally } from '../../../../test/statistics/chi-square.ts';
import { seedOf, soldGame } from '../../test/sold-games.ts';
import { sudoku1Stake } from '../parameters/sudoku-1.ts';
import { sudoku1Renderer } from './sudoku-1.ts';

const sudoku = soldGame('sudoku@2009-01-26');
const LOSING = cents(0);

interface Sudoku {
  readonly gainCents: number;
  readonly blocks: number[][];
  readonly uncovered: number[][];
  readonly rolls: [number | 'clover', number | 'clover'][];
}

const games = sudoku.stakes.map((stake) => {
  const render = sudoku1Renderer(sudoku, stake);
  const prizes = stake.rows.map((row) => row.prizeCents);
  return { stake, prizes, render: (prize: Cents, n: number) => render(prize, seedOf(n)) as unknown as Sudoku };
});
const [first] = games;

/** Scripts of every prize and of losing units, so many of each, at every stake. */
function* scripts(each: number): Generator<Sudoku & { readonly prizeCents: number; readonly stakeCents: number }> {
  for (const { stake, prizes, render } of games) {
    for (const prizeCents of [LOSING, ...prizes]) {
      for (let n = 0; n < each; n++) yield { ...render(prizeCents, n), prizeCents, stakeCents: stake.stakeCents };
    }
  }
}

const viewOf = ({ gainCents, blocks, uncovered }: Sudoku): string => canonical({ gainCents, blocks, uncovered });
const digitOf = ([a, b]: Sudoku['rolls'][number]): number => (a === 'clover' ? Number(b) : b === 'clover' ? a : a + b);

/** Played by hand: cells that the rolls uncover, and the blocks that are whole in the end. */
function wholeBlocks({ blocks, uncovered, rolls }: Sudoku): number {
  const digits = rolls.map(digitOf);
  return blocks.filter((block, b) => block.every((digit, c) => uncovered[b]![c] === 1 || digits.includes(digit)))
    .length;
}

test('the same prize and seed give the same script for ever, also from another renderer and after other units', () => {
  for (const { stake, prizes, render } of games) {
    const other = sudoku1Renderer(sudoku, stake);
    for (const prize of [LOSING, ...prizes]) {
      const script = canonical(render(prize, 1));
      render(LOSING, 2);
      expect(canonical(render(prize, 1))).toBe(script);
      expect(canonical(other(prize, seedOf(1)))).toBe(script);
      expect(canonical(render(prize, 3))).not.toBe(script);
    }
  }
});

test('SUD-4.1: nine blocks of nine cells, each with the digits 1 to 9', () => {
  for (const { blocks } of scripts(6)) {
    expect(blocks).toHaveLength(9);
    for (const block of blocks) expect(block.toSorted()).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
  }
});

test('SUD-4.2: in every block some cells are uncovered and at least one is masked; the gain box shows a part of a prize', () => {
  for (const { uncovered, gainCents, stakeCents } of scripts(6)) {
    expect(uncovered).toHaveLength(9);
    for (const cells of uncovered) {
      expect(cells).toHaveLength(9);
      expect(cells.every((cell) => cell === 0 || cell === 1)).toBe(true);
      const masked = cells.filter((cell) => cell === 0).length;
      expect([2, 3, 4]).toContain(masked);
    }
    const { prizes } = games.find(({ stake }) => stake.stakeCents === stakeCents)!;
    expect(Number.isSafeInteger(gainCents) && gainCents > 0).toBe(true);
    expect([1, 2, 3, 4].some((blocks) => prizes.includes(cents(gainCents * blocks)))).toBe(true);
  }
});

test('SUD-4.3.1: three rolls and one more for each clover, each giving 1 to 9, never two clovers', () => {
  for (const { rolls } of scripts(60)) {
    const clovers = rolls.filter((roll) => roll.includes('clover')).length;
    expect(rolls).toHaveLength(3 + clovers);
    expect(clovers).toBeLessThanOrEqual(6);
    for (const roll of rolls) {
      const pips = roll.filter((face) => face !== 'clover');
      expect(pips.length).toBeGreaterThan(0);
      expect(pips.every((face) => Number.isInteger(face) && face >= 1 && face <= 6)).toBe(true);
      expect(digitOf(roll)).toBeLessThanOrEqual(9);
    }
    expect(rolls.at(-1)).not.toContain('clover');
  }
});

test('SUD-4.3.3: the gain box times the blocks that the rolls make whole is the prize, and nothing is whole when it loses', () => {
  for (const script of scripts(60)) {
    const whole = wholeBlocks(script);
    expect(script.gainCents * whole).toBe(script.prizeCents);
  }
});

test('REG-4.4: extra rolls are part of the one script of the unit', () => {
  const longest = Math.max(...[...scripts(60)].map(({ rolls }) => rolls.length));
  expect(longest).toBeGreaterThanOrEqual(5);
  const script = first!.render(LOSING, 1);
  expect(Object.keys(script).sort()).toEqual(['blocks', 'gainCents', 'mechanic', 'rolls', 'uncovered']);
});

test('SUD-4.4: what is seen before the first roll of a losing unit is what a winning unit of the same seed would show', () => {
  for (const { prizes, render } of games) {
    const drawn = new Set<number>();
    for (let n = 0; n < 80; n++) {
      const losing = render(LOSING, n);
      const same = prizes.filter((prize) => viewOf(render(prize, n)) === viewOf(losing));
      expect(same).toHaveLength(1);
      expect(wholeBlocks(losing)).toBe(0);
      expect(wholeBlocks(render(same[0]!, n))).toBeGreaterThan(0);
      drawn.add(same[0]!);
    }
    expect(drawn.size).toBeGreaterThan(4);
  }
});

test('SUD-4.4: a losing unit shows a prize as often as the table holds it', () => {
  const { stake, prizes, render } = first!;
  const shown = Array.from({ length: 2_000 }, (_, n) => {
    const view = viewOf(render(LOSING, n));
    return prizes.findLast((prize) => viewOf(render(prize, n)) === view);
  });
  const shares = new Map(stake.rows.map((row) => [row.prizeCents, row.count]));
  expect(
    fit(
      tally(shown, (prize) => prize),
      shares,
    ).deviations,
  ).toBeLessThan(ONE_IN_A_MILLION);
});

test('a prize is shown in each of its numbers of blocks alike', () => {
  const { stake, render } = first!;
  for (const { prizeCents, blocks } of sudoku1Stake.parse(stake.parameters).blocksPerPrize) {
    const scripts = Array.from({ length: 1_000 }, (_, n) => render(cents(prizeCents), n));
    const found = tally(scripts, ({ gainCents }) => prizeCents / gainCents);
    expect(fit(found, evenly(blocks)).deviations).toBeLessThan(ONE_IN_A_MILLION);
  }
});

test('an amount that is no prize of the stake and a seed that is none are refused', () => {
  const render = sudoku1Renderer(sudoku, sudoku.stakes[0]!);
  for (const prize of [1, 99, 900_000, -50]) expect(() => render(cents(prize), seedOf(1))).toThrow(RangeError);
  expect(() => render(LOSING, 'seed')).toThrow(RangeError);
});

test('a row without its numbers of blocks is refused when the renderer is made', () => {
  const stake = { ...sudoku.stakes[0]!, parameters: { blocksPerPrize: [] } };
  expect(() => sudoku1Renderer(sudoku, stake)).toThrow(RangeError);
});
