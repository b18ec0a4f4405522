import { z } from 'zod';
import { cents, formatEuros } from '#money';
import type { Ink } from './ink.ts';

/** As much of a script of `match/1` as is drawn. */
export const matchShape = z.object({
  mechanic: z.literal('match/1'),
  amounts: z.array(z.int().min(1)).length(9),
});

type Match = z.infer<typeof matchShape>;

/** Three rows of three amounts; those that stand there three times are marked. */
export function drawMatch({ amounts }: Match, ink: Ink): string[] {
  const texts = amounts.map((amount) => formatEuros(cents(amount)));
  const width = Math.max(...texts.map((text) => text.length));
  const matches = (amount: number | undefined) => amounts.filter((one) => one === amount).length >= 3;
  const cell = (at: number) => {
    const text = (texts[at] ?? '').padStart(width);
    return matches(amounts[at]) ? ink('won', `[${text}]`) : ` ${text} `;
  };
  const rows = [0, 3, 6].map((from) => `  ${[from, from + 1, from + 2].map(cell).join('  ')}`);
  return [...rows, '', ink('quiet', '  amounts in EUR; [three equal ones] win that amount')];
}
