import type { Fault } from '#regulation';
import type { Mechanic } from '../mechanic.ts';

export const sudoku1Faults: Mechanic['faults'] = (): Fault[] => [];
