import type { Mechanic } from '../mechanic.ts';
import { type Draws, SeededDraws } from './draws.ts';

const CELLS = 9;
/** So many equal amounts win; one less may stand anywhere. */
const WINNING = 3;

/**
 * match/1 as docs/mechanics.md draws it. A RangeError for a prize that is not of the stake's table, and for a table with
 * too few amounts to fill a losing grid.
 */
export const match1Renderer: Mechanic['renderer'] = (_regulation, stake) => {
  const amounts: number[] = [...new Set(stake.rows.map(({ prizeCents }) => prizeCents))];
  if (amounts.length * (WINNING - 1) < CELLS)
    throw new RangeError(`${amounts.length} amounts cannot fill a losing grid`);
  const draws = new SeededDraws();
  return (prizeCents, seed) => {
    if (prizeCents !== 0 && !amounts.includes(prizeCents)) {
      throw new RangeError(`${prizeCents} cents is no prize of the table`);
    }
    draws.start(seed);
    const grid: number[] = prizeCents === 0 ? [] : new Array(WINNING).fill(prizeCents);
    fill(draws, grid, amounts);
    shuffle(draws, grid);
    return { amounts: grid, mechanic: 'match/1' };
  };
};

/** One by one, evenly among the amounts that may stand there once more. */
function fill(draws: Draws, grid: number[], amounts: readonly number[]): void {
  const free = amounts.filter((amount) => !grid.includes(amount));
  while (grid.length < CELLS) {
    const place = draws.below(free.length);
    const amount = free[place]!;
    if (grid.includes(amount)) free.splice(place, 1);
    grid.push(amount);
  }
}

function shuffle(draws: Draws, grid: number[]): void {
  for (let last = CELLS - 1; last > 0; last--) {
    const other = draws.below(last + 1);
    const amount = grid[last]!;
    grid[last] = grid[other]!;
    grid[other] = amount;
  }
}
