import * as z from 'zod';

export const SYMBOLS = ['bird', 'scarab', 'cross', 'head', 'eye', 'snake'] as const;
export const STONES = ['pink-stone', 'green-stone', 'blue-stone'] as const;

/** So many of a symbol pay this amount (PHA-4.3); three snakes open the bonus game and pay nothing by themselves. */
const combination = z
  .strictObject({
    symbol: z.enum(['bird', 'scarab', 'cross', 'head', 'eye']).describe('Snakes only open the bonus game'),
    count: z.int().min(2).max(3).describe('How many of the symbol'),
    prizeCents: z
      .int()
      .min(1)
      .describe('The prize of a row of the table, in cents; one combination at most pays a row'),
  })
  .describe('So many of a symbol pay this amount; each symbol and count stands in one combination');

const bonusShare = z
  .strictObject({
    prizeCents: z.int().min(1).describe('The prize of a row of the table, in cents'),
    perMille: z
      .int()
      .min(0)
      .max(1000)
      .describe(
        'Of a thousand units with this prize, how many show it by the bonus game; 1000 where no combination pays it',
      ),
  })
  .describe('How often the bonus game shows a prize');

/**
 * A wall takes at most twelve bricks: three that show a prize, six further symbols, three stones. So the fewest bricks that
 * are allowed are enough for whatever else a regulation says.
 */
const bricks = z.int().min(15).max(99).describe('Bricks of the wall');

export const pharaon1Stake = z.strictObject({
  bricks,
  combinations: z.array(combination).describe('The combinations that pay, in any order'),
  bonusPerMille: z.array(bonusShare).describe("One entry for each row of the stake's table, in any order"),
});

/** PHA-4.5. */
const stones = z
  .strictObject({
    least: z.int().min(0).max(3).describe('The fewest, not above the most'),
    most: z.int().min(0).max(3).describe('The most'),
  })
  .describe('How many stones a wall holds');

export const pharaon1Regulation = z.strictObject({ stones });

export type Pharaon1Stake = z.infer<typeof pharaon1Stake>;
export type Pharaon1Regulation = z.infer<typeof pharaon1Regulation>;
