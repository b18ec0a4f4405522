import { isWithin, type NineSet, SETS_OF_SIZE } from './digit-sets.ts';
import type { Draws } from './draws.ts';

const BLOCKS = 9;
const CELLS = 9;
/** Orders of nine digits: 9!. */
const ORDERS = 362_880;
const MASK_SIZES = [2, 3, 4] as const;

/** The three digits of step 2, and what masks may be drawn around them. */
interface Around {
  /** Two or three of the three digits. */
  readonly inside: readonly NineSet[];
  /** Sets of two, three and four digits that are not within the three. */
  readonly outside: readonly (readonly NineSet[])[];
}

const AROUND: readonly Around[] = SETS_OF_SIZE[3]!.map((three) => ({
  inside: [...SETS_OF_SIZE[2]!, three].filter((set) => isWithin(set, three)),
  outside: MASK_SIZES.map((size) => SETS_OF_SIZE[size]!.filter((set) => !isWithin(set, three))),
}));

/** 33, 83 and 126 sets: a draw below three times their product gives a size and a set of it, each evenly. */
const OUTSIDE_DRAWS = MASK_SIZES.length * AROUND[0]!.outside.reduce((product, { length }) => product * length, 1);

/** The masked digits of the nine blocks; so many of them can be completed by three digits (SUD-4.2, SUD-4.4). */
export function drawMasks(draws: Draws, completable: number): NineSet[] {
  const chosen = SETS_OF_SIZE[completable]!;
  const drawn = draws.below(AROUND.length * chosen.length);
  const three = drawn % AROUND.length;
  const { inside, outside } = AROUND[three]!;
  const blocks = chosen[(drawn - three) / AROUND.length]!;
  const masks: NineSet[] = [];
  for (let block = 0; block < BLOCKS; block++) {
    masks.push((blocks >> block) & 1 ? inside[draws.below(inside.length)]! : drawOutside(draws, outside));
  }
  return masks;
}

function drawOutside(draws: Draws, outside: Around['outside']): NineSet {
  const drawn = draws.below(OUTSIDE_DRAWS);
  const size = drawn % MASK_SIZES.length;
  const sets = outside[size]!;
  return sets[((drawn - size) / MASK_SIZES.length) % sets.length]!;
}

/** Nine digits in an even order (SUD-4.1). */
export function drawBlock(draws: Draws): number[] {
  const digits = [1, 2, 3, 4, 5, 6, 7, 8, 9];
  let order = draws.below(ORDERS);
  for (let last = CELLS - 1; last > 0; last--) {
    const other = order % (last + 1);
    const digit = digits[last]!;
    digits[last] = digits[other]!;
    digits[other] = digit;
    order = (order - other) / (last + 1);
  }
  return digits;
}

/** Which cells of a block are uncovered at the start: 1, and 0 where its digit is masked. */
export function uncoveredOf(digits: readonly number[], mask: NineSet): number[] {
  return digits.map((digit) => ((mask >> (digit - 1)) & 1) ^ 1);
}
