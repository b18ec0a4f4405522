import { z } from 'zod';

/*
 * The form of the scripts, as the description of the API shows it. Which of these a referee accepts, and what they show,
 * is in docs/mechanics.md.
 */

const amount = z.int().min(1);
const digit = z.int().min(1).max(9);
const face = z.union([z.int().min(1).max(6), z.literal('clover')]);
const brick = z.enum(['bird', 'scarab', 'cross', 'head', 'eye', 'snake', 'pink-stone', 'green-stone', 'blue-stone']);

export const sudoku1Script = z
  .strictObject({
    mechanic: z.literal('sudoku/1'),
    gainCents: amount.meta({ description: 'The gain box: what each block that is uncovered whole wins.' }),
    blocks: z
      .array(z.array(digit).length(9))
      .length(9)
      .meta({ description: 'Nine blocks of nine digits, row by row.' }),
    uncovered: z
      .array(z.array(z.int().min(0).max(1)).length(9))
      .length(9)
      .meta({ description: '1 = uncovered from the start.' }),
    rolls: z
      .array(z.array(face).length(2))
      .min(3)
      .max(9)
      .meta({ description: 'The faces of the two dice, roll by roll; a clover adds a roll.' }),
  })
  .meta({ description: 'How a unit of Sudoku is shown.' });

export const pharaon1Script = z
  .strictObject({
    mechanic: z.literal('pharaon/1'),
    bricks: z
      .array(brick.nullable())
      .min(1)
      .meta({ description: 'What is behind each brick of the wall; null where it is empty.' }),
    bonusCents: amount.nullable().meta({ description: 'What the bonus game wins; null without a bonus game.' }),
  })
  .meta({ description: 'How a unit of Pharaon is shown.' });

export const match1Script = z
  .strictObject({
    mechanic: z.literal('match/1'),
    amounts: z
      .array(amount)
      .length(9)
      .meta({ description: 'What is under each of nine cells, in cents; three equal ones win that amount.' }),
  })
  .meta({ description: 'How a unit of a match-three game is shown.' });

export type PlayScript = z.infer<typeof sudoku1Script> | z.infer<typeof pharaon1Script> | z.infer<typeof match1Script>;

const SCRIPTS = { Sudoku1Script: sudoku1Script, Pharaon1Script: pharaon1Script, Match1Script: match1Script };

/** The scripts of every mechanic as JSON Schema 2020-12, by the name of their component in the description. */
export function scriptSchemas(): Record<string, Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(SCRIPTS).map(([name, schema]) => {
      const { $schema: _, ...rest } = z.toJSONSchema(schema, { target: 'draft-2020-12', io: 'input' });
      return [name, rest];
    }),
  );
}

/** The component of each mechanic's script. */
export const SCRIPT_COMPONENTS: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(SCRIPTS).map(([name, { shape }]) => [shape.mechanic.value, `#/components/schemas/${name}`]),
);
