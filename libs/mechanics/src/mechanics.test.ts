import { isMechanic, modesOf } from '#mechanics';

test('a play of Pharaon is play or auto, and play when nothing is said', () => {
  expect(modesOf('pharaon/1')).toEqual(['play', 'auto']);
});

test('a play of Sudoku has no mode to choose', () => {
  expect(modesOf('sudoku/1')).toEqual([]);
});

test('a mechanic or a version that does not exist is refused by name', () => {
  expect(isMechanic('sudoku/1')).toBe(true);
  expect(isMechanic('sudoku/2')).toBe(false);
  expect(() => modesOf('sudoku/2')).toThrow(/"sudoku\/2"/);
});
