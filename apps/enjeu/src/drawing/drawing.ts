import { cents, formatEuros } from '#money';
import type { Answer } from '../request.ts';
import type { Ink } from './ink.ts';
import { drawMatch, matchShape } from './match.ts';
import { drawPharaon, pharaonShape } from './pharaon.ts';
import { drawSudoku, sudokuShape } from './sudoku.ts';

/**
 * A script as lines for a terminal, null for one that this program does not know how to draw: of a newer mechanic, or
 * none of ours. It trusts nothing; what the unit won is not its to say.
 */
export function drawScript(script: unknown, won: boolean, ink: Ink): string[] | null {
  const sudoku = sudokuShape.safeParse(script);
  if (sudoku.success) return drawSudoku(sudoku.data, ink);
  const pharaon = pharaonShape.safeParse(script);
  if (pharaon.success) return drawPharaon(pharaon.data, won, ink);
  const match = matchShape.safeParse(script);
  return match.success ? drawMatch(match.data, ink) : null;
}

/** A play as its player sees it in the terminal: what is shown of it, and its outcome as the platform says it. */
export function drawPlay(play: Answer['body'], ink: Ink): string[] {
  return [...drawingOf(play, ink), outcomeOf(play, ink)].map((line) => line.trimEnd());
}

function drawingOf(play: Answer['body'], ink: Ink): string[] {
  if (play.status !== 'won' && play.status !== 'lost') return [];
  if (play.script === null) return ['  Nothing can be shown of this unit; its outcome stands.', ''];
  const lines = drawScript(play.script, play.status === 'won', ink);
  return lines
    ? [...lines, '']
    : [`  This program cannot draw ${JSON.stringify(play.mechanic)}; the outcome stands.`, ''];
}

function outcomeOf(play: Answer['body'], ink: Ink): string {
  const what = `${play.game} at ${formatEuros(cents(play.stakeCents))} EUR`;
  switch (play.status) {
    case 'won':
      return ink('won', `${what}: won ${formatEuros(cents(play.prizeCents))} EUR`);
    case 'lost':
      return `${what}: lost`;
    case 'pending':
      return `${what}: the outcome is on its way, and will stand here`;
    default:
      return `${what}: the stake was refunded (${play.reason})`;
  }
}
