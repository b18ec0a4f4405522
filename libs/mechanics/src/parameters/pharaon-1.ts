import * as z from 'zod';

export const SYMBOLS = ['bird', 'scarab', 'cross', 'head', 'eye', 'snake'] as const;
export const STONES = ['pink-stone', 'green-stone', 'blue-stone'] as const;

/** So many of a symbol pay this amount (PHA-4.3); three snakes open the bonus game and pay nothing by themselves. */
const combination = z.strictObject({
  symbol: z.enum(['bird', 'scarab', 'cross', 'head', 'eye']),
  count: z.int().min(2).max(3),
  prizeCents: z.int().min(1),
});

/** Of a thousand units with this prize, how many are shown by the bonus game. */
const bonusShare = z.strictObject({ prizeCents: z.int().min(1), perMille: z.int().min(0).max(1000) });

export const pharaon1Stake = z.strictObject({
  bricks: z.int().min(15).max(99),
  combinations: z.array(combination),
  /** One entry for each row of the stake's table, in any order; 1000 where no combination pays the row. */
  bonusPerMille: z.array(bonusShare),
});

/** How many stones a wall holds (PHA-4.5). */
export const pharaon1Regulation = z.strictObject({
  stones: z.strictObject({ least: z.int().min(0).max(3), most: z.int().min(0).max(3) }),
});

export type Pharaon1Stake = z.infer<typeof pharaon1Stake>;
export type Pharaon1Regulation = z.infer<typeof pharaon1Regulation>;
