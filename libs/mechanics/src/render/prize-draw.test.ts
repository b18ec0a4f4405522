import { cents } from '#money';
import { prizeDraw } from './prize-draw.ts';

const rows = [
  { count: 1, prizeCents: cents(900) },
  { count: 5, prizeCents: cents(300) },
  { count: 2, prizeCents: cents(100) },
];
const giving = (drawn: number) => {
  const bounds: number[] = [];
  const below = (n: number) => {
    bounds.push(n);
    return drawn;
  };
  return { bounds, below };
};

test('a losing unit is shown with each row as often as the table holds its prize', () => {
  const draw = prizeDraw(rows);
  expect([0, 1, 2, 3, 4, 5, 6, 7].map((drawn) => draw(cents(0), giving(drawn)))).toEqual([0, 1, 1, 1, 1, 1, 2, 2]);
});

test('a winning unit is shown with its own row, and draws as a losing one does', () => {
  const draw = prizeDraw(rows);
  const draws = giving(0);
  expect(draw(cents(100), draws)).toBe(2);
  expect(draws.bounds).toEqual([8]);
});

test('a prize that is not of the table is refused, and a table without prizes', () => {
  for (const other of [1, 301, -300]) expect(() => prizeDraw(rows)(cents(other), giving(0))).toThrow(RangeError);
  expect(() => prizeDraw([])).toThrow(RangeError);
});
