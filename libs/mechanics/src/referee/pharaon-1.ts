import type { Mechanic } from '../mechanic.ts';
import type { Pharaon1Stake } from '../parameters/pharaon-1.ts';
import { Invalid, isPositiveCents, listOf, refereeOf } from './judging.ts';

const SNAKE = 'snake';
const SYMBOLS = ['bird', 'scarab', 'cross', 'head', 'eye', SNAKE];
const SNAKES = SYMBOLS.indexOf(SNAKE);
const STONES = ['pink-stone', 'green-stone', 'blue-stone'];
const MOST_OF_A_SYMBOL = 3;
const MOST_STONES = 3;
/** PHA-4.3: so many snakes open the bonus game. */
const BONUS_SNAKES = 3;

const STONE = -1;

/** Each thing that a brick may hide, as the place of its symbol or as a stone. */
const KINDS = new Map<unknown, number>([
  ...SYMBOLS.map((symbol, place) => [symbol, place] as const),
  ...STONES.map((stone) => [stone, STONE] as const),
]);

/** What a number of one symbol is worth, by that number from 0 to 3: cents, 0 for nothing, null where none may be. */
type Worth = readonly (number | null)[];

/** What a script of pharaon/1 shows by articles 4.1 to 4.8: a combination's amount, or what the bonus game brings. */
export const pharaon1Referee: Mechanic['referee'] = (regulation, stake) => {
  const parameters = stake.parameters as unknown as Pharaon1Stake;
  const wall = parameters.bricks;
  const worths = SYMBOLS.map((symbol) => worthOf(symbol, parameters.combinations));
  return refereeOf(regulation, stake, ['bricks', 'bonusCents'], ({ bricks, bonusCents }) => {
    const counts = countsOf(listOf(wall, bricks, 'bricks'), wall);
    const combinationCents = combinationOf(counts, worths);
    if (counts[SNAKES] !== BONUS_SNAKES) {
      if (bonusCents !== null) throw new Invalid('bonusCents is not null without the bonus game');
      return combinationCents;
    }
    if (combinationCents > 0) throw new Invalid('bricks has a combination beside the bonus game');
    if (!isPositiveCents(bonusCents)) throw new Invalid('bonusCents is no whole number above 0 with the bonus game');
    return bonusCents;
  });
};

/** PHA-4.3: fewer than the least that pays is nothing; three are not also two, so what is neither is no wall. */
function worthOf(symbol: string, combinations: Pharaon1Stake['combinations']): Worth {
  const paying = new Map(
    combinations.filter((each) => each.symbol === symbol).map((each) => [each.count, each.prizeCents]),
  );
  const least = Math.min(...paying.keys());
  return [0, 1, 2, 3].map((count) => paying.get(count) ?? (count < least ? 0 : null));
}

/** PHA-4.3, PHA-4.5: how often each symbol is on the wall, in the order of SYMBOLS. */
function countsOf(bricks: readonly unknown[], wall: number): number[] {
  const counts = [0, 0, 0, 0, 0, 0];
  let stones = 0;
  for (let b = 0; b < wall; b++) {
    const brick = bricks[b];
    if (brick === null) continue;
    const kind = KINDS.get(brick);
    if (kind === undefined) throw new Invalid(`bricks[${b}] is neither empty nor a symbol nor a stone`);
    if (kind === STONE) {
      if (++stones > MOST_STONES) throw new Invalid(`bricks[${b}] is a stone, after ${MOST_STONES} others`);
    } else if (++counts[kind]! > MOST_OF_A_SYMBOL) {
      throw new Invalid(`bricks[${b}] is ${brick}, after ${MOST_OF_A_SYMBOL} others`);
    }
  }
  return counts;
}

/** The amount of the one combination, 0 when there is none. */
function combinationOf(counts: readonly number[], worths: readonly Worth[]): number {
  let combinationCents = 0;
  for (let s = 0; s < counts.length; s++) {
    const worth = worths[s]![counts[s]!];
    if (worth === 0) continue;
    if (worth === null) throw new Invalid(`bricks has ${counts[s]} of ${SYMBOLS[s]}, which is no combination`);
    if (combinationCents > 0) throw new Invalid('bricks has two combinations');
    combinationCents = worth!;
  }
  return combinationCents;
}
