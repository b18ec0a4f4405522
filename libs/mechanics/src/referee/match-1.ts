import type { Mechanic } from '../mechanic.ts';
import { Invalid, listOf, refereeOf } from './judging.ts';

const CELLS = 9;
const WINNING = 3;

/** What a script of match/1 shows: the amount that stands three times among its nine, or nothing. */
export const match1Referee: Mechanic['referee'] = (regulation, stake) => {
  const table = [...new Set<number>(stake.rows.map(({ prizeCents }) => prizeCents))];
  const rowOf = new Map<unknown, number>(table.map((amount, row) => [amount, row]));
  return refereeOf(regulation, stake, ['amounts'], ({ amounts }) => {
    const counts = countsOf(listOf(CELLS, amounts, 'amounts'), rowOf);
    let prizeCents = 0;
    for (const [row, count] of counts.entries()) {
      if (count < WINNING) continue;
      if (count > WINNING) throw new Invalid(`amounts has ${table[row]} more than ${WINNING} times`);
      if (prizeCents > 0) throw new Invalid(`amounts has two amounts ${WINNING} times`);
      prizeCents = table[row]!;
    }
    return prizeCents;
  });
};

/** How often each row's amount stands there. */
function countsOf(amounts: readonly unknown[], rowOf: ReadonlyMap<unknown, number>): number[] {
  const counts = new Array<number>(rowOf.size).fill(0);
  for (let cell = 0; cell < CELLS; cell++) {
    const row = rowOf.get(amounts[cell]);
    if (row === undefined) throw new Invalid(`amounts[${cell}] is no amount of the table`);
    counts[row]!++;
  }
  return counts;
}
