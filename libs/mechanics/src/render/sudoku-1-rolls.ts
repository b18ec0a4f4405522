import { ALL_DIGITS, ALL_SETS, isWithin, membersOf, type NineSet, sizeOf } from './digit-sets.ts';
import type { Draws } from './draws.ts';

export type Face = number | 'clover';
export type Roll = readonly [Face, Face];

const ROLLS = 3;
const MOST_CLOVERS = 6;
/** Three bits for each of nine rolls: a clover is one value of eight. */
const PATTERN_DRAWS = 2 ** 27;
/** What a roll with a clover can give, and one of two pips. */
const WITH_CLOVER: NineSet = 0b000111111;
const WITH_PIPS: NineSet = 0b111111110;

/** The digit sets that some rolls give exactly, and by how many sequences of digits each. */
interface Reachable {
  readonly sets: readonly NineSet[];
  readonly sequences: readonly number[];
}

/** By the number of clovers: which of the rolls they are makes no difference to the numbers. */
const REACHABLE: readonly Reachable[] = Array.from({ length: MOST_CLOVERS + 1 }, (_, clovers) => {
  const sequences = Array.from({ length: ALL_SETS }, (_, set) => sequencesOnto(set, clovers));
  const sets = Array.from(sequences.keys()).filter((set) => sequences[set]! > 0);
  return { sets, sequences: sets.map((set) => sequences[set]!) };
});

/** Sequences whose every digit is in the set. */
function sequencesWithin(set: NineSet, clovers: number): number {
  return sizeOf(set & WITH_CLOVER) ** clovers * sizeOf(set & WITH_PIPS) ** ROLLS;
}

/** Sequences that give all of the set and nothing else, by inclusion and exclusion. */
function sequencesOnto(set: NineSet, clovers: number): number {
  let onto = 0;
  for (let part = set; part > 0; part = (part - 1) & set) {
    onto += (-1) ** (sizeOf(set) - sizeOf(part)) * sequencesWithin(part, clovers);
  }
  return onto;
}

const AFTER_CLOVER: readonly (readonly number[])[] = byDigits((set) => membersOf(set & WITH_CLOVER));
const AFTER_PIPS: readonly (readonly number[])[] = byDigits((set) => membersOf(set & WITH_PIPS));

function byDigits(members: (set: NineSet) => number[]): number[][] {
  return Array.from({ length: ALL_SETS }, (_, set) => members(set));
}

/** For each sum of two pips its pairs; all rolls with a clover that give a digit. */
const PAIRS: readonly (readonly Roll[])[] = Array.from({ length: 10 }, (_, sum) =>
  [1, 2, 3, 4, 5, 6].filter((pips) => sum - pips >= 1 && sum - pips <= 6).map((pips) => [pips, sum - pips] as const),
);
const CLOVERS: readonly (readonly Roll[])[] = Array.from({ length: 7 }, (_, digit) => [
  ['clover', digit],
  [digit, 'clover'],
]);

/**
 * The rolls that complete exactly `completed` of the blocks with these masked digits, even among all that do once the
 * clovers have been drawn (SUD-4.3.1, SUD-4.4). Every mask has two digits at least, and there are rolls that do.
 */
export function drawRolls(draws: Draws, masks: readonly NineSet[], completed: number): Roll[] {
  for (;;) {
    const pattern = drawClovers(draws);
    const sequence = completed === 0 ? losing(draws, pattern, masks) : winning(draws, pattern, masks, completed);
    if (sequence) return drawFaces(draws, pattern, sequence);
  }
}

/** Most sequences lose, and every pattern allows one that does: any is drawn, and drawn again while it completes a block. */
function losing(draws: Draws, pattern: readonly boolean[], masks: readonly NineSet[]): number[] {
  return drawSequence(draws, pattern, ALL_DIGITS, (given) => completes(given, masks, 0));
}

/** Few sequences win: the set of their digits is drawn first, by the number of its sequences. Null where none does. */
function winning(draws: Draws, pattern: readonly boolean[], masks: readonly NineSet[], completed: number) {
  const digits = drawSet(draws, masks, completed, pattern.length - ROLLS);
  return digits === 0 ? null : drawSequence(draws, pattern, digits, (given) => given === digits);
}

/** One entry a roll: whether it has a clover. Each has with probability 1/8 until six have come. */
export function drawClovers(draws: Draws): boolean[] {
  const pattern: boolean[] = [];
  let bits = draws.below(PATTERN_DRAWS);
  let clovers = 0;
  while (pattern.length < ROLLS + clovers) {
    const clover = clovers < MOST_CLOVERS && (bits & 7) === 0;
    if (clover) clovers++;
    pattern.push(clover);
    bits >>>= 3;
  }
  return pattern;
}

// Room for the sets that fit, kept from unit to unit: a fresh one each time costs more than filling it.
const fitting = new Uint16Array(ALL_SETS);
const upTo = new Float64Array(ALL_SETS);

/** The digits that the rolls will give, by the number of their sequences; 0 where no digits complete so many blocks. */
function drawSet(draws: Draws, masks: readonly NineSet[], completed: number, clovers: number): NineSet {
  const { sets, sequences } = REACHABLE[clovers]!;
  let count = 0;
  let total = 0;
  for (let i = 0; i < sets.length; i++) {
    if (!completes(sets[i]!, masks, completed)) continue;
    total += sequences[i]!;
    fitting[count] = sets[i]!;
    upTo[count++] = total;
  }
  if (total === 0) return 0;
  const drawn = draws.below(total);
  let i = 0;
  while (upTo[i]! <= drawn) i++;
  return fitting[i]!;
}

function completes(digits: NineSet, masks: readonly NineSet[], completed: number): boolean {
  let left = completed;
  for (let block = 0; block < masks.length; block++) {
    if (isWithin(masks[block]!, digits) && --left < 0) return false;
  }
  return left === 0;
}

/** A sequence of these digits, drawn again until what it gives fits: so all that fit are even. */
function drawSequence(
  draws: Draws,
  pattern: readonly boolean[],
  digits: NineSet,
  fits: (given: NineSet) => boolean,
): number[] {
  const afterClover = AFTER_CLOVER[digits]!;
  const afterPips = AFTER_PIPS[digits]!;
  const sequences = afterClover.length ** (pattern.length - ROLLS) * afterPips.length ** ROLLS;
  const sequence: number[] = [];
  for (;;) {
    let rest = draws.below(sequences);
    let given = 0;
    for (let roll = 0; roll < pattern.length; roll++) {
      const members = pattern[roll] ? afterClover : afterPips;
      const place = rest % members.length;
      const digit = members[place]!;
      rest = (rest - place) / members.length;
      sequence[roll] = digit;
      given |= 1 << (digit - 1);
    }
    if (fits(given)) return sequence;
  }
}

function drawFaces(draws: Draws, pattern: readonly boolean[], sequence: readonly number[]): Roll[] {
  const choices = sequence.map((digit, roll) => (pattern[roll] ? CLOVERS[digit]! : PAIRS[digit]!));
  let rest = draws.below(choices.reduce((product, { length }) => product * length, 1));
  return choices.map((rolls) => {
    const place = rest % rolls.length;
    rest = (rest - place) / rolls.length;
    const [first, second] = rolls[place]!;
    return [first, second];
  });
}
