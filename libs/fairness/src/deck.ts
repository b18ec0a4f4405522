import { type Cents, NO_CENTS } from '#money';
import { compress, expand, reset, wordsOf } from './compress.ts';
import { type PrizeTable, soundTable } from './table.ts';

/**
 * The units of a block before the shuffle, one byte each: the number of the row from 1, in the regulation's order, each
 * as often as its count; then 0, losing, up to the size. A table that does not fit is refused with a RangeError.
 */
export function sortedDeck(table: PrizeTable): Uint8Array {
  soundTable(table);
  const deck = new Uint8Array(table.size);
  let at = 0;
  table.rows.forEach((row, i) => {
    deck.fill(i + 1, at, at + row.count);
    at += row.count;
  });
  return deck;
}

/** The endless words of a block: eight u32 of SHA-256(shuffleKey ‖ counter u32), counter from 0, in order. */
export function shuffleWords(shuffleKey: Uint8Array): () => number {
  const schedule = new Int32Array(64);
  const state = new Int32Array(8);
  const key = wordsOf(shuffleKey, 8);
  let counter = 0;
  let next = 8;
  return () => {
    if (next === 8) {
      schedule.fill(0);
      schedule.set(key);
      schedule[8] = counter++;
      schedule[9] = 0x80000000 | 0;
      schedule[15] = 36 * 8;
      expand(schedule);
      reset(state);
      compress(state, schedule);
      next = 0;
    }
    return state[next++]! >>> 0;
  };
}

/**
 * Fisher and Yates, in place: for i from the last unit down to 1, swaps i with j = w mod (i + 1), where words at or above
 * the largest multiple of i + 1 below 2^32 are passed over, so that every j is equally likely.
 */
export function shuffle(deck: Uint8Array, nextWord: () => number): void {
  for (let i = deck.length - 1; i >= 1; i--) {
    const bound = (i + 1) >>> 0;
    const highest = (0xffffffff - (((0 - bound) >>> 0) % bound)) >>> 0;
    let word = nextWord() >>> 0;
    while (word > highest) word = nextWord() >>> 0;
    const j = word % bound;
    const unit = deck[i]!;
    deck[i] = deck[j]!;
    deck[j] = unit;
  }
}

/** The prize of unit n, 0 when it loses. A RangeError for a unit outside the deck, or a value outside the table. */
export function prizeOf(deck: Uint8Array, table: PrizeTable, n: number): Cents {
  const row = deck[n];
  if (row === 0) return NO_CENTS;
  const prize = row === undefined ? undefined : table.rows[row - 1];
  if (!prize) throw new RangeError(`the deck has no unit ${n} with a prize of the table`);
  return prize.prizeCents;
}
