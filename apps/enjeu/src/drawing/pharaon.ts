import { z } from 'zod';
import { cents, formatEuros } from '#money';
import type { Ink } from './ink.ts';

const SYMBOLS = ['bird', 'scarab', 'cross', 'head', 'eye', 'snake'] as const;
const STONES = ['pink-stone', 'green-stone', 'blue-stone'] as const;

/** As much of a script of `pharaon/1` as is drawn. */
export const pharaonShape = z.object({
  mechanic: z.literal('pharaon/1'),
  bricks: z
    .array(z.enum([...SYMBOLS, ...STONES]).nullable())
    .min(1)
    .max(99),
  bonusCents: z.int().min(1).nullable(),
});

type Pharaon = z.infer<typeof pharaonShape>;
type Brick = Pharaon['bricks'][number];

const BRICKS_A_ROW = 9;
const BRICK_WIDTH = 7;
/** Effects on the paddle, PHA-4.5. */
const SPELLS = { 'pink-stone': 'pink', 'green-stone': 'green', 'blue-stone': 'blue' } as const;

/** What the wall hid, the panel of symbols as it fills, and the bonus game (PHA-4.2 to PHA-4.7). */
export function drawPharaon({ bricks, bonusCents }: Pharaon, won: boolean, ink: Ink): string[] {
  const lines: string[] = [];
  for (let from = 0; from < bricks.length; from += BRICKS_A_ROW) {
    const row = bricks.slice(from, from + BRICKS_A_ROW).map((brick) => drawBrick(brick, ink));
    lines.push(`  ${row.join('')}`);
  }
  lines.push('');
  for (const symbol of SYMBOLS) lines.push(drawSymbol(symbol, bricks, won, ink));
  if (bonusCents !== null) {
    lines.push('', ink('strong', '  3 snakes: the bonus game; the red brick is hit twice'));
    lines.push(ink('won', `  bonus game  ${formatEuros(cents(bonusCents))} EUR`));
  }
  lines.push(ink('quiet', '  - an empty brick   pink, green, blue: stones that change the paddle'));
  return lines;
}

function drawBrick(brick: Brick, ink: Ink): string {
  if (brick === null) return ink('quiet', '-'.padEnd(BRICK_WIDTH));
  const stone = Object.hasOwn(SPELLS, brick);
  const name = stone ? SPELLS[brick as keyof typeof SPELLS] : brick;
  return ink(stone ? 'roll' : 'strong', name.padEnd(BRICK_WIDTH));
}

/** A line of the panel: filled once for each that was found. A combination is what stands most often in a won unit. */
function drawSymbol(symbol: (typeof SYMBOLS)[number], bricks: readonly Brick[], won: boolean, ink: Ink): string {
  const found = bricks.filter((brick) => brick === symbol).length;
  const boxes = `${'#'.repeat(Math.min(found, 3))}${'.'.repeat(Math.max(0, 3 - found))}`;
  const combination = won && symbol === combinationOf(bricks);
  const line = `  ${symbol.padEnd(8)} ${boxes}`;
  if (combination) return ink('won', `${line}  <- ${found} of them`);
  return found === 0 ? ink('quiet', line) : line;
}

/** In a won unit one symbol alone has a number that pays: three of it, or two of those of which two pay. */
function combinationOf(bricks: readonly Brick[]): Brick {
  const times = (symbol: Brick) => bricks.filter((brick) => brick === symbol).length;
  return (
    SYMBOLS.find((symbol) => times(symbol) >= 3) ?? SYMBOLS.slice(0, 3).find((symbol) => times(symbol) === 2) ?? null
  );
}
