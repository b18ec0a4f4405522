import type { Comparison } from './chi-square.ts';
import { ONE_IN_A_MILLION } from './chi-square.ts';
import { compareBy, type Watched } from './leaks.ts';
import { PHARAON, type PharaonView, pharaonViews } from './pharaon-views.ts';
import { SUDOKU, type SudokuView, sudokuView } from './sudoku-views.ts';
import { regulationOf, SECRET, type Unit, unitsOf } from './units.ts';

const UNITS = 200_000;

/** Views of winning and losing units apart, in the order of the block. */
interface Views<View> {
  readonly winning: View[];
  readonly losing: View[];
}

function viewsOf<View>(units: Iterable<Unit>, viewOf: (script: Unit['script']) => View): Views<View> {
  const winning: View[] = [];
  const losing: View[] = [];
  for (const { prizeCents, script } of units) (prizeCents > 0 ? winning : losing).push(viewOf(script));
  return { winning, losing };
}

function sudokuViews(stakeCents: number): Views<SudokuView> {
  return viewsOf(unitsOf(regulationOf('sudoku@2009-01-26.json'), stakeCents, UNITS), sudokuView);
}

function wallViews(stakeCents: number): Views<PharaonView> {
  const regulation = regulationOf('pharaon@2008-12-17.json');
  return viewsOf(unitsOf(regulation, stakeCents, UNITS), pharaonViews(regulation, stakeCents));
}

/** Statistics of the passing comparisons, printed in the end with what is needed to see them again. */
const report: string[] = [];
afterAll(() => {
  console.log(`winning against losing units of the block with LEAK_SECRET=${SECRET}\n${report.join('\n')}`);
});

function note(name: string, { chiSquare, degrees, deviations }: Comparison): void {
  report.push(`${name}: chi-square ${chiSquare.toFixed(1)}, ${degrees} degrees, ${deviations.toFixed(2)} deviations`);
}

function watch<View>(
  game: string,
  watched: Readonly<Record<string, Watched<View>>>,
  makeViews: () => Views<View>,
): void {
  let views: Views<View>;
  beforeAll(() => {
    views = makeViews();
  });

  test('a quarter and more of the units win', () => {
    expect(views.winning.length / UNITS).toBeGreaterThan(0.25);
    expect(views.winning.length + views.losing.length).toBe(UNITS);
  });

  test.each(Object.keys(watched))('%s: winning and losing units do not differ', (name) => {
    const comparison = compareBy(watched[name]!.feature, views.winning, views.losing);
    note(`${game}, ${name}`, comparison);
    expect(comparison.deviations).toBeLessThan(ONE_IN_A_MILLION);
  });

  test.each(Object.keys(watched))('%s: a planted leak is found', (name) => {
    const { feature, plant } = watched[name]!;
    expect(compareBy(feature, plant(views.winning), views.losing).deviations).toBeGreaterThan(ONE_IN_A_MILLION);
  });
}

describe('SUD-4.4: nothing seen before the first roll tells a winning Sudoku from a losing one', () => {
  watch('Sudoku at 0.50', SUDOKU, () => sudokuViews(50));
});

describe('REG-4.3: a winning wall of Pharaon with its deciding bricks emptied is a losing one', () => {
  watch('Pharaon at 1.00', PHARAON, () => wallViews(100));
});
