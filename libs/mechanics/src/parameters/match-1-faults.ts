import type { Fault } from '#regulation';
import type { Mechanic } from '../mechanic.ts';

export const match1Faults: Mechanic['faults'] = (): Fault[] => [];
