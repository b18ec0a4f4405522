import type { Answer } from '../request.ts';
import { drawPlay } from './drawing.ts';
import { inkFor } from './ink.ts';

/** Prints a play as it is drawn, and its id: the same words whether it was just placed or is watched again (REG-4.2). */
export function showPlay(play: Answer['body']): void {
  for (const line of drawPlay(play, inkFor(process.stdout, process.env))) console.log(line);
  console.log(`  play     ${play.playId}`);
}
