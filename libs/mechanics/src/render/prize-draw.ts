import type { PrizeRow } from '#fairness';
import type { Cents } from '#money';
import type { Draws } from './draws.ts';

/**
 * Which row of a table a unit is shown with: a winning unit's own, and for a losing one (0 cents) a row drawn in proportion
 * to its count. Both take the same words, so that what follows is the same for the two. An amount that is no row's is a
 * RangeError, and so is a table without prizes.
 */
export function prizeDraw(rows: readonly PrizeRow[]): (prizeCents: Cents, draws: Draws) => number {
  const rowOf = new Map<number, number>(rows.map((row, i) => [row.prizeCents, i]));
  const ends: number[] = [];
  let total = 0;
  for (const row of rows) {
    total += row.count;
    ends.push(total);
  }
  if (total === 0) throw new RangeError('a table without prizes has nothing to show');
  return (prizeCents, draws) => {
    const own = rowOf.get(prizeCents);
    if (own === undefined && prizeCents !== 0) throw new RangeError(`${prizeCents} cents is no prize of the table`);
    const drawn = firstAbove(ends, draws.below(total));
    return own ?? drawn;
  };
}

function firstAbove(ends: readonly number[], value: number): number {
  let low = 0;
  let high = ends.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ends[middle]! > value) high = middle;
    else low = middle + 1;
  }
  return low;
}
