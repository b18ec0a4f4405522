import fc from 'fast-check';
import { cents, formatEuros, minus, parseEuros, plus, times } from '#money';

test.each([0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53, -(2 ** 53), '1' as unknown as number])(
  '%p is not a number of cents',
  (amount) => {
    expect(() => cents(amount)).toThrow(RangeError);
  },
);

test('sums, differences and multiples that leave the safe integers are refused, not rounded', () => {
  const most = cents(Number.MAX_SAFE_INTEGER);
  expect(() => plus(most, cents(1))).toThrow(RangeError);
  expect(() => minus(cents(-Number.MAX_SAFE_INTEGER), cents(1))).toThrow(RangeError);
  expect(() => times(most, 2)).toThrow(RangeError);
  expect(() => times(cents(100), 0.5)).toThrow(RangeError);
});

test('an amount reads back as it was written', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 1_000_000_000_000 }), (n) => parseEuros(formatEuros(cents(n))) === n),
  );
});

test('formats with two decimals and keeps the sign', () => {
  expect([0, 5, 50, 100, 123456, -5].map((n) => formatEuros(cents(n)))).toEqual([
    '0.00',
    '0.05',
    '0.50',
    '1.00',
    '1234.56',
    '-0.05',
  ]);
});

test.each(['', '1.', '.5', '1.005', '-1', '1,00', '1e2', ' 1', '0x1'])('%p is not an amount in euros', (text) => {
  expect(() => parseEuros(text)).toThrow(RangeError);
});
