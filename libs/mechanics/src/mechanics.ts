import type { Mechanic } from './mechanic.ts';
import { pharaon1 } from './pharaon-1.ts';
import { sudoku1 } from './sudoku-1.ts';

/** Every mechanic and version that a regulation may name. One that has issued units is never taken away. */
const MECHANICS: ReadonlyMap<string, Mechanic> = new Map(
  [sudoku1, pharaon1].map((mechanic) => [mechanic.id, mechanic]),
);

export function isMechanic(id: string): boolean {
  return MECHANICS.has(id);
}

/**
 * The modes that a play under this mechanic may name, the first being the default; empty where a mode is refused.
 * An unknown mechanic is a RangeError.
 */
export function modesOf(id: string): readonly string[] {
  const mechanic = MECHANICS.get(id);
  if (!mechanic) throw new RangeError(`no mechanic ${JSON.stringify(id)}`);
  return mechanic.modes;
}
