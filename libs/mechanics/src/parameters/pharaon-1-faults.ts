import type { Fault } from '#regulation';
import type { Mechanic } from '../mechanic.ts';

export const pharaon1Faults: Mechanic['faults'] = (): Fault[] => [];
