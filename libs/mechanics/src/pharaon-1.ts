import type { Mechanic } from './mechanic.ts';

/** PHA-4.1, PHA-4.1.1: the player destroys the wall, or has it destroyed. */
export const pharaon1: Mechanic = { id: 'pharaon/1', modes: ['play', 'auto'] };
