import { LANES, type LaneHash, laneHash } from '#fairness';

const SEED_WORDS = 4;
const SEED_DIGITS = 32;
const WORDS = 8 * LANES;
const TWO_TO_32 = 2 ** 32;

/** By character code the value of a hex digit, else -1: a regular expression and a parser cost more than a digest. */
const VALUES = new Int8Array(128).fill(-1);
Array.from('0123456789abcdef').forEach((digit, value) => {
  VALUES[digit.charCodeAt(0)] = value;
});

/** What a seed decides: the words of docs/mechanics.md, and even draws from them. */
export interface Draws {
  /** An even draw of 0 to n - 1, n a whole number from 1 to 2^32 - 1; a RangeError where n leaves nothing to draw. */
  below(n: number): number;
}

/**
 * Draws that may be started anew for each unit. Words are SHA-256(seed ‖ counter u32), counter from 0, eight u32 of each
 * digest in order; four digests are made at once, about as many as a script takes.
 */
export class SeededDraws implements Draws {
  private static hash: LaneHash | undefined;
  private readonly seed = new Int32Array(SEED_WORDS);
  private readonly words = new Uint32Array(WORDS);
  private next = WORDS;
  private counter = 0;

  /** Starts the words of this seed (16 bytes, lower-case hex); anything else is a RangeError. */
  start(seed: string): this {
    for (let i = 0; i < SEED_DIGITS; i++) {
      const value = VALUES[seed.charCodeAt(i)] ?? -1;
      if (value < 0 || seed.length !== SEED_DIGITS) throw new RangeError(`not 16 bytes of lower-case hex: ${seed}`);
      this.seed[i >> 3] = (this.seed[i >> 3]! << 4) | value;
    }
    this.counter = 0;
    this.next = WORDS;
    return this;
  }

  word(): number {
    if (this.next === WORDS) this.refill();
    return this.words[this.next++]!;
  }

  below(n: number): number {
    if (!(n >= 1)) throw new RangeError(`nothing to draw below ${n}`);
    for (;;) {
      const word = this.word();
      const drawn = word % n;
      // The last stretch of n words that would reach 2^32 is not whole: words in it are passed over.
      if (word - drawn <= TWO_TO_32 - n) return drawn;
    }
  }

  private refill(): void {
    SeededDraws.hash ??= laneHash();
    const { words, state } = SeededDraws.hash;
    for (let lane = 0; lane < LANES; lane++) {
      for (let i = 0; i < SEED_WORDS; i++) words[i * LANES + lane] = this.seed[i]!;
      words[SEED_WORDS * LANES + lane] = this.counter++;
    }
    words.fill(0x80000000 | 0, 5 * LANES, 6 * LANES);
    words.fill(0, 6 * LANES, 15 * LANES);
    words.fill(20 * 8, 15 * LANES, 16 * LANES);
    SeededDraws.hash.compress(0, false);
    for (let lane = 0; lane < LANES; lane++) {
      for (let i = 0; i < 8; i++) this.words[lane * 8 + i] = state[i * LANES + lane]!;
    }
    this.next = 0;
  }
}
