import * as z from 'zod';

/** In how many winning blocks a prize may be shown; the gain box then holds the prize divided by that number. */
const blocksOfPrize = z.strictObject({
  prizeCents: z.int().min(1),
  blocks: z.array(z.int().min(1).max(9)).min(1),
});

/** One entry for each row of the stake's table, in any order. */
export const sudoku1Stake = z.strictObject({ blocksPerPrize: z.array(blocksOfPrize) });

export const sudoku1Regulation = z.strictObject({});

export type Sudoku1Stake = z.infer<typeof sudoku1Stake>;
