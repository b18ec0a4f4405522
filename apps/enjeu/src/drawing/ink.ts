import { styleText } from 'node:util';

/** What a piece of a drawing is; how it looks is the ink's to say. */
export type Style = 'quiet' | 'strong' | 'won' | 'roll';

/** Gives a text the look of a style; plain ink leaves it as it is, so no drawing may mean anything by colour alone. */
export type Ink = (style: Style, text: string) => string;

export const plainInk: Ink = (_, text) => text;

const LOOKS = { quiet: 'dim', strong: 'bold', won: ['bold', 'green'], roll: 'cyan' } as const;

const colourInk: Ink = (style, text) =>
  styleText([LOOKS[style]].flat() as ('dim' | 'bold' | 'green' | 'cyan')[], text, { validateStream: false });

/** Colour where the stream is a terminal that has it; `NO_COLOR` and `FORCE_COLOR` have the last word. */
export function inkFor(
  stream: { readonly isTTY?: boolean },
  environment: Readonly<Record<string, string | undefined>>,
): Ink {
  const { NO_COLOR, FORCE_COLOR, TERM } = environment;
  if (NO_COLOR) return plainInk;
  if (FORCE_COLOR !== undefined && FORCE_COLOR !== '0' && FORCE_COLOR !== 'false') return colourInk;
  return stream.isTTY === true && TERM !== 'dumb' && FORCE_COLOR === undefined ? colourInk : plainInk;
}
