import * as z from 'zod';

const blocksOfPrize = z
  .strictObject({
    prizeCents: z.int().min(1).describe('The prize of a row of the table, in cents'),
    blocks: z
      .array(z.int().min(1).max(9))
      .min(1)
      .describe(
        'In how many winning blocks it may be shown, each number once and each as likely; the gain box shows the prize divided by it, in whole cents',
      ),
  })
  .describe('In how many winning blocks a prize is shown');

export const sudoku1Stake = z.strictObject({
  blocksPerPrize: z.array(blocksOfPrize).describe("One entry for each row of the stake's table, in any order"),
});

export const sudoku1Regulation = z.strictObject({}).describe('Empty: this mechanic needs nothing here');

export type Sudoku1Stake = z.infer<typeof sudoku1Stake>;
