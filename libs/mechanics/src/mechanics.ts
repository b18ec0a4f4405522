import { canonicalDigest, sha256, toHex, utf8 } from '#fairness';
import { type GameRegulation, stakeOf } from '#regulation';
import type { Mechanic, Referee, Render, Script } from './mechanic.ts';
import { match1Regulation, match1Stake } from './parameters/match-1.ts';
import { match1Faults } from './parameters/match-1-faults.ts';
import { pharaon1Regulation, pharaon1Stake } from './parameters/pharaon-1.ts';
import { pharaon1Faults } from './parameters/pharaon-1-faults.ts';
import { sudoku1Regulation, sudoku1Stake } from './parameters/sudoku-1.ts';
import { sudoku1Faults } from './parameters/sudoku-1-faults.ts';
import { match1Referee } from './referee/match-1.ts';
import { pharaon1Referee } from './referee/pharaon-1.ts';
import { sudoku1Referee } from './referee/sudoku-1.ts';
import { match1Renderer } from './render/match-1.ts';
import { pharaon1Renderer } from './render/pharaon-1.ts';
import { sudoku1Renderer } from './render/sudoku-1.ts';

/** SUD-4.3.1: every roll is started by the player; there is nothing to choose. */
const sudoku1: Mechanic = {
  id: 'sudoku/1',
  modes: [],
  parameters: { regulation: sudoku1Regulation, stake: sudoku1Stake },
  faults: sudoku1Faults,
  renderer: sudoku1Renderer,
  referee: sudoku1Referee,
};

/** PHA-4.1, PHA-4.1.1: the player destroys the wall, or has it destroyed. */
const pharaon1: Mechanic = {
  id: 'pharaon/1',
  modes: ['play', 'auto'],
  parameters: { regulation: pharaon1Regulation, stake: pharaon1Stake },
  faults: pharaon1Faults,
  renderer: pharaon1Renderer,
  referee: pharaon1Referee,
};

/** Nine covered amounts; three equal ones win that amount. */
const match1: Mechanic = {
  id: 'match/1',
  modes: [],
  parameters: { regulation: match1Regulation, stake: match1Stake },
  faults: match1Faults,
  renderer: match1Renderer,
  referee: match1Referee,
};

/** Every mechanic and version that a regulation may name. One that has issued units is never taken away. */
export const MECHANICS: ReadonlyMap<string, Mechanic> = new Map(
  [sudoku1, pharaon1, match1].map((mechanic) => [mechanic.id, mechanic]),
);

export function isMechanic(id: string): boolean {
  return MECHANICS.has(id);
}

/** The mechanic of this id; an unknown one is a RangeError. */
export function mechanicOf(id: string): Mechanic {
  const mechanic = MECHANICS.get(id);
  if (!mechanic) throw new RangeError(`no mechanic ${JSON.stringify(id)}`);
  return mechanic;
}

/**
 * The modes that a play under this mechanic may name, the first being the default; empty where a mode is refused.
 * An unknown mechanic is a RangeError.
 */
export function modesOf(id: string): readonly string[] {
  return mechanicOf(id).modes;
}

/** Renderer and referee of one game at one stake. */
export interface Scripts {
  readonly render: Render;
  readonly judge: Referee;
}

/** A RangeError for an unknown mechanic or stake. Worth keeping: some of what follows from the table is computed once. */
export function scriptsOf(regulation: GameRegulation, stakeCents: number): Scripts {
  const stake = stakeOf(regulation, stakeCents);
  if (!stake) throw new RangeError(`${regulation.id} has no stake of ${stakeCents} cents`);
  const mechanic = mechanicOf(regulation.mechanic);
  return { render: mechanic.renderer(regulation, stake), judge: mechanic.referee(regulation, stake) };
}

/** SHA-256 of the canonical script, hex. */
export function scriptDigest(script: Script): string {
  return toHex(canonicalDigest(script));
}

/**
 * The same of a script as its renderer made it, in half the time: renderers put members in canonical order, and nothing
 * in them that JSON.stringify writes in another way.
 */
export function renderedDigest(script: Script): string {
  return toHex(sha256(utf8(JSON.stringify(script))));
}
