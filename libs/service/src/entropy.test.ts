import { entropy } from './entropy.ts';

test('no bytes are given out twice, also where the store is filled again', () => {
  const given = Array.from({ length: 2_000 }, () => entropy(10).toString('hex'));
  expect(new Set(given).size).toBe(2_000);
  expect(given.every((hex) => hex.length === 20 && hex !== '0'.repeat(20))).toBe(true);
});

test('what was given out stays as it was', () => {
  const first = entropy(16);
  const copy = first.toString('hex');
  for (let n = 0; n < 1_000; n += 1) entropy(16);
  expect(first.toString('hex')).toBe(copy);
});
