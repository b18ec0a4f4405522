import { concat, fromHex, sha256, u32 } from '#fairness';
import { compare, evenly, fit, ONE_IN_A_MILLION, tally } from '../../../../test/statistics/chi-square.ts';
import { SeededDraws } from './draws.ts';

const seed = '00ff10a0b1c2d3e4f5061728394a5b6c';

/** Words as docs/mechanics.md defines them, one digest after the other. */
function* wordsOf(hex: string): Generator<number> {
  for (let counter = 0; ; counter++) {
    const digest = sha256(concat(fromHex(hex, 16), u32(counter)));
    const view = new DataView(digest.buffer, digest.byteOffset, digest.length);
    for (let i = 0; i < 8; i++) yield view.getUint32(4 * i);
  }
}

test('words are the digests of the seed and a counter, eight a digest, beyond the four that are made at once', () => {
  const draws = new SeededDraws().start(seed);
  const expected = wordsOf(seed);
  for (let i = 0; i < 100; i++) expect(draws.word()).toBe(expected.next().value);
});

test('starting again gives the same words, whatever was drawn in between by anybody', () => {
  const draws = new SeededDraws().start(seed);
  const first = draws.word();
  const others = new SeededDraws().start('ff'.repeat(16));
  others.word();
  expect(draws.word()).not.toBe(first);
  draws.start('ab'.repeat(16)).word();
  expect(draws.start(seed).word()).toBe(first);
});

test.each([1, 2, 7, 1000, 3 * 2 ** 30, 2 ** 31 + 1, 2 ** 32 - 1])(
  'a draw below %i passes over the words at or above the largest multiple',
  (n) => {
    const draws = new SeededDraws().start(seed);
    const words = wordsOf(seed);
    const bound = 2 ** 32 - (2 ** 32 % n);
    for (let i = 0; i < 200; i++) {
      let word = words.next().value as number;
      while (word >= bound) word = words.next().value as number;
      expect(draws.below(n)).toBe(word % n);
    }
  },
);

test('draws are even, also below a number close to the number of words', () => {
  const draws = new SeededDraws().start(seed);
  const sevenths = tally(Array.from({ length: 70_000 }), () => draws.below(7));
  expect(fit(sevenths, evenly([0, 1, 2, 3, 4, 5, 6])).deviations).toBeLessThan(ONE_IN_A_MILLION);
  const n = 3 * 2 ** 30;
  const thirds = tally(Array.from({ length: 30_000 }), () => Math.floor(draws.below(n) / 2 ** 30));
  expect(fit(thirds, evenly([0, 1, 2])).deviations).toBeLessThan(ONE_IN_A_MILLION);
  const biased = tally(Array.from({ length: 30_000 }), () => Math.floor((draws.word() % n) / 2 ** 30));
  expect(compare(biased, thirds).deviations).toBeGreaterThan(ONE_IN_A_MILLION);
});

test.each([
  '',
  'ab',
  `${seed}0`,
  seed.toUpperCase(),
  seed.replace('f', 'g'),
  seed.replace('f', '\u0130'),
  `${seed.slice(1)} `,
])('%p is no seed', (text) => {
  expect(() => new SeededDraws().start(text)).toThrow(RangeError);
});

test.each([0, -1, Number.NaN])('a draw below %p is refused, where it would never end', (n) => {
  expect(() => new SeededDraws().start(seed).below(n)).toThrow(RangeError);
});
