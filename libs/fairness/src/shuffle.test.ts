import fc from 'fast-check';
import { blockKeys } from '#fairness';
import { shuffle, shuffleWords } from './deck.ts';

const SIZE = 60_000;
const BINS = 100;
const WINNING = SIZE / 4;
/** 99 degrees of freedom: a fair shuffle exceeds this about once in ten million seeds. */
const LIMIT = 99 + 7 * Math.sqrt(2 * 99);

type Shuffle = (deck: Uint8Array, nextWord: () => number) => void;

/** How unevenly the units that stood first before the shuffle lie over a hundred stretches of the block. */
function chiSquare(method: Shuffle, seed: number): number {
  const deck = new Uint8Array(SIZE).fill(1, 0, WINNING);
  method(deck, wordsOfSeed(seed));
  const expected = WINNING / BINS;
  let sum = 0;
  for (let bin = 0; bin < BINS; bin++) {
    const width = SIZE / BINS;
    const found = deck.subarray(bin * width, (bin + 1) * width).reduce((total, unit) => total + unit, 0);
    sum += (found - expected) ** 2 / expected;
  }
  // Positions are drawn without replacement, which narrows the spread by the share of losing units.
  return sum / (1 - WINNING / SIZE);
}

function wordsOfSeed(seed: number): () => number {
  const secret = new Uint8Array(32).fill(seed);
  return shuffleWords(blockKeys(secret, '0197f3c0-1234-7abc-8def-0123456789ab').shuffleKey);
}

function swap(deck: Uint8Array, i: number, j: number): void {
  const unit = deck[i]!;
  deck[i] = deck[j]!;
  deck[j] = unit;
}

/** Modulo without passing over the words above the last multiple, over a range of 2^16 words, where the bias is large. */
const withoutRejection: Shuffle = (deck, nextWord) => {
  for (let i = deck.length - 1; i >= 1; i--) swap(deck, i, (nextWord() >>> 16) % (i + 1));
};

/** Every position swaps with any position: more paths than permutations, and not evenly many. */
const anyWithAny: Shuffle = (deck, nextWord) => {
  for (let i = deck.length - 1; i >= 1; i--) swap(deck, i, nextWord() % deck.length);
};

/** Never stays in place: one bound too low. */
const neverItself: Shuffle = (deck, nextWord) => {
  for (let i = deck.length - 1; i >= 1; i--) swap(deck, i, nextWord() % i);
};

const seeds = [1, 2, 3, 4, 5, 6, 7, 8];

test.each(seeds)('the shuffle spreads the prizes evenly over the block (secret %i)', (seed) => {
  expect(chiSquare(shuffle, seed)).toBeLessThan(LIMIT);
});

test('the test of evenness finds a shuffle with a modulo bias, and one that swaps any with any', () => {
  for (const seed of seeds) {
    expect(chiSquare(withoutRejection, seed)).toBeGreaterThan(LIMIT);
    expect(chiSquare(anyWithAny, seed)).toBeGreaterThan(LIMIT);
  }
});

/** How unevenly 24,000 shuffles of four units fall on the 24 orders: 23 degrees of freedom. */
function chiSquareOfOrders(method: Shuffle, seed: number): number {
  const nextWord = wordsOfSeed(seed);
  const counts = new Map<string, number>();
  for (let i = 0; i < 24_000; i++) {
    const deck = Uint8Array.of(1, 2, 3, 4);
    method(deck, nextWord);
    const order = deck.join('');
    counts.set(order, (counts.get(order) ?? 0) + 1);
  }
  const missing = (24 - counts.size) * 1000;
  return [...counts.values()].reduce((sum, count) => sum + (count - 1000) ** 2 / 1000, missing);
}

test('all orders of four units are equally likely; a shuffle that never leaves a unit in place is found', () => {
  for (const seed of seeds) {
    expect(chiSquareOfOrders(shuffle, seed)).toBeLessThan(23 + 7 * Math.sqrt(2 * 23));
    expect(chiSquareOfOrders(neverItself, seed)).toBeGreaterThan(1000);
  }
});

test('words at or above the largest multiple are passed over, exactly', () => {
  // 2^32 mod 3 = 1: only 0xffffffff is passed over. 2^32 mod 2 = 0: no word is.
  const scripted = (...words: number[]) => {
    const left = [...words];
    return { next: () => left.shift()!, left };
  };
  const deck = () => Uint8Array.of(10, 20, 30);
  const kept = scripted(0xfffffffe, 0xffffffff);
  const first = deck();
  shuffle(first, kept.next);
  expect([[...first], kept.left]).toEqual([[10, 20, 30], []]);
  const passed = scripted(0xffffffff, 0xffffffff, 0, 1);
  const second = deck();
  shuffle(second, passed.next);
  expect([[...second], passed.left]).toEqual([[30, 20, 10], []]);
});

test('the result is the Fisher-Yates of the format for whatever words come', () => {
  const words = fc.array(
    fc.oneof(fc.integer({ min: 0, max: 2 ** 32 - 1 }), fc.integer({ min: 2 ** 32 - 40, max: 2 ** 32 - 1 })),
    {
      minLength: 400,
      maxLength: 400,
    },
  );
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 40 }), words, (size, all) => {
      const expected = Uint8Array.from({ length: size }, (_, i) => i);
      let at = 0;
      for (let i = size - 1; i >= 1; i--) {
        let word = all[at++]!;
        while (word >= 2 ** 32 - (2 ** 32 % (i + 1))) word = all[at++]!;
        swap(expected, i, word % (i + 1));
      }
      const deck = Uint8Array.from({ length: size }, (_, i) => i);
      let used = 0;
      shuffle(deck, () => all[used++]!);
      expect([[...deck], used]).toEqual([[...expected], at]);
    }),
  );
});
