import { compare, evenly, fit, ONE_IN_A_MILLION, tally } from './chi-square.ts';

test('the statistic of a textbook table is what it should be', () => {
  const one = new Map([
    ['a', 10],
    ['b', 20],
    ['c', 30],
  ]);
  const other = new Map([
    ['a', 20],
    ['b', 20],
    ['c', 20],
  ]);
  const { chiSquare, degrees } = compare(one, other);
  expect(chiSquare).toBeCloseTo(100 / 30 + 100 / 50, 10);
  expect(degrees).toBe(2);
});

test('two samples of different sizes with the same shares do not differ at all', () => {
  expect(
    compare(
      new Map([
        ['a', 100],
        ['b', 300],
      ]),
      new Map([
        ['a', 10],
        ['b', 30],
      ]),
    ).chiSquare,
  ).toBeCloseTo(0, 10);
});

/** Where one in a million lies, from the incomplete gamma function. */
test.each([
  [5, 35.888],
  [20, 65.421],
  [100, 182.127],
])('a statistic of %i degrees lies near the bound where one in a million lies', (degrees, quantile) => {
  const observed = new Map(Array.from({ length: degrees + 1 }, (_, i) => [i, 1000]));
  const off = Math.sqrt((quantile * 1000) / 2);
  observed.set(0, 1000 + off).set(1, 1000 - off);
  const { chiSquare, deviations } = fit(observed, evenly(observed.keys()));
  expect(chiSquare).toBeCloseTo(quantile, 6);
  expect(Math.abs(deviations - ONE_IN_A_MILLION)).toBeLessThan(0.15);
});

test('what must not occur is found however rare it is', () => {
  expect(
    fit(
      new Map([
        ['a', 1e6],
        ['b', 1e6],
        ['c', 1],
      ]),
      evenly(['a', 'b']),
    ).deviations,
  ).toBe(Infinity);
});

test('rare categories are counted together', () => {
  const many = new Map<unknown, number>([['often', 1000], ...Array.from({ length: 50 }, (_, i) => [i, 1] as const)]);
  expect(compare(many, many).degrees).toBe(1);
  expect(tally(['x', 'y', 'x'], (letter) => letter)).toEqual(
    new Map([
      ['x', 2],
      ['y', 1],
    ]),
  );
});
