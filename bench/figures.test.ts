import { figure, median, percentile, table } from './figures.ts';

test('percentiles are values that were measured', () => {
  const numbers = Array.from({ length: 100 }, (_, index) => 100 - index);
  expect([median(numbers), percentile(numbers, 0.99), percentile(numbers, 1)]).toEqual([51, 100, 100]);
  expect(percentile([], 0.5)).toBeNaN();
});

test('a table lines up and figures are short', () => {
  expect(table(['a', 'bb'], [[figure(1234.5), figure(0.123)]])).toBe(
    '| a     | bb   |\n|-------|------|\n| 1,235 | 0.12 |',
  );
});
