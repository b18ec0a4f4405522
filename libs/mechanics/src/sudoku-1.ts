import type { Mechanic } from './mechanic.ts';

/** SUD-4.3.1: every roll is started by the player; there is nothing to choose. */
export const sudoku1: Mechanic = { id: 'sudoku/1', modes: [] };
