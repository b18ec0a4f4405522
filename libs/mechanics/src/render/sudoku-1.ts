import { cents } from '#money';
import type { Mechanic } from '../mechanic.ts';
import { sudoku1Stake } from '../parameters/sudoku-1.ts';
import { SeededDraws } from './draws.ts';
import { prizeDraw } from './prize-draw.ts';
import { drawRolls } from './sudoku-1-rolls.ts';
import { drawBlock, drawMasks, uncoveredOf } from './sudoku-1-view.ts';

/**
 * sudoku/1 as docs/mechanics.md draws it: gain box, masks and digits by one function for winning and losing units, the rolls
 * last (SUD-4.4). A RangeError for a prize that is not of the stake's table.
 */
export const sudoku1Renderer: Mechanic['renderer'] = (_regulation, stake) => {
  const { blocksPerPrize } = sudoku1Stake.parse(stake.parameters);
  const blocksOfRow = stake.rows.map(({ prizeCents }) => {
    const found = blocksPerPrize.find((entry) => entry.prizeCents === prizeCents);
    if (!found) throw new RangeError(`no blocks are given for the prize of ${prizeCents} cents`);
    return found.blocks;
  });
  const drawRow = prizeDraw(stake.rows);
  const draws = new SeededDraws();
  return (prizeCents, seed) => {
    draws.start(seed);
    const row = drawRow(prizeCents, draws);
    const blocksChoice = blocksOfRow[row]!;
    const completable = blocksChoice[draws.below(blocksChoice.length)]!;
    const gainCents = cents(stake.rows[row]!.prizeCents / completable);
    const masks = drawMasks(draws, completable);
    const blocks = masks.map(() => drawBlock(draws));
    const uncovered = masks.map((mask, block) => uncoveredOf(blocks[block]!, mask));
    const rolls = drawRolls(draws, masks, prizeCents === 0 ? 0 : completable);
    return { blocks, gainCents, mechanic: 'sudoku/1', rolls, uncovered };
  };
};
