import type { Mechanic } from '../mechanic.ts';
import { Invalid, isPositiveCents, listOf, listOfAny, type Members, refereeOf } from './judging.ts';

const NAMES = ['gainCents', 'blocks', 'uncovered', 'rolls'] as const;

const ROLLS = 3;
const MOST_CLOVERS = 6;
const CLOVER = 'clover';

/** A set of digits, digit d as bit d. */
type Digits = number;

const EVERY_DIGIT: Digits = 0b11_1111_1110;

/** What a script of sudoku/1 shows by articles 4.1 to 4.5: the gain box times the blocks that are uncovered in the end. */
export const sudoku1Referee: Mechanic['referee'] = (regulation, stake) =>
  refereeOf(regulation, stake, NAMES, ({ gainCents, blocks, uncovered, rolls }: Members<(typeof NAMES)[number]>) => {
    if (!isPositiveCents(gainCents)) throw new Invalid('gainCents is no whole number above 0');
    const rolled = digitsOfRolls(rolls);
    return gainCents * uncoveredBlocks(listOf(9, blocks, 'blocks'), listOf(9, uncovered, 'uncovered'), rolled);
  });

/** SUD-4.3.2, SUD-4.3.3: a block wins when each of its masked cells has a digit that was rolled, however often. */
function uncoveredBlocks(blocks: readonly unknown[], uncovered: readonly unknown[], rolled: Digits): number {
  let winning = 0;
  for (let b = 0; b < 9; b++) {
    const digits = listOf(9, blocks[b], 'blocks', b);
    const masks = listOf(9, uncovered[b], 'uncovered', b);
    if ((maskedDigits(digits, masks, b) & ~rolled) === 0) winning++;
  }
  return winning;
}

/** SUD-4.1: the block's cells hold the digits 1 to 9. SUD-4.2: one of them or more is masked. */
function maskedDigits(digits: readonly unknown[], uncovered: readonly unknown[], b: number): Digits {
  let present = 0;
  let masked = 0;
  for (let cell = 0; cell < 9; cell++) {
    const digit = digits[cell];
    if (!isFromOneTo(9, digit)) throw new Invalid(`blocks[${b}][${cell}] is no digit from 1 to 9`);
    present |= 1 << digit;
    const shown = uncovered[cell];
    if (shown !== 1 && !Object.is(shown, 0)) throw new Invalid(`uncovered[${b}][${cell}] is neither 0 nor 1`);
    if (shown !== 1) masked |= 1 << digit;
  }
  if (present !== EVERY_DIGIT) throw new Invalid(`blocks[${b}] holds a digit twice`);
  if (masked === 0) throw new Invalid(`uncovered[${b}] leaves no cell masked`);
  return masked;
}

/** SUD-4.3.1: three rolls, and one more for each clover; what they give, 1 to 9 each. */
function digitsOfRolls(value: unknown): Digits {
  const rolls = listOfAny(value, 'rolls');
  const { length } = rolls;
  let clovers = 0;
  let digits = 0;
  for (let r = 0; r < length; r++) {
    if (r === ROLLS + clovers) throw new Invalid(`rolls[${r}] is a roll too many`);
    const roll = listOf(2, rolls[r], 'rolls', r);
    const first = roll[0];
    const second = roll[1];
    if (first === CLOVER || second === CLOVER) clovers++;
    if (clovers > MOST_CLOVERS) throw new Invalid(`rolls[${r}] brings a clover after ${MOST_CLOVERS}`);
    digits |= 1 << digitOfRoll(first, second, r);
  }
  if (length < ROLLS + clovers) throw new Invalid(`rolls lacks a roll after ${length}`);
  return digits;
}

/** SUD-4.3.1: the sum of two pips, or the pips beside a clover. */
function digitOfRoll(first: unknown, second: unknown, r: number): number {
  if (first === CLOVER && second === CLOVER) throw new Invalid(`rolls[${r}] has two clovers`);
  const digit = pipsOf(first, r, 0) + pipsOf(second, r, 1);
  if (digit > 9) throw new Invalid(`rolls[${r}] gives ${digit}, above 9`);
  return digit;
}

function pipsOf(face: unknown, r: number, die: number): number {
  if (face === CLOVER) return 0;
  if (!isFromOneTo(6, face)) throw new Invalid(`rolls[${r}][${die}] is neither a face from 1 to 6 nor a clover`);
  return face;
}

function isFromOneTo(most: number, value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 1 && (value as number) <= most;
}
