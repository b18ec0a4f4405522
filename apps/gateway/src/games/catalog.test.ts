import { cents } from '#money';
import { type GameRegulation, isGame } from '#regulation';
import { loadRegulations } from '#service';
import { readPlayRequest } from '../plays/play-request.ts';
import { Catalog } from './catalog.ts';

const { all } = loadRegulations();
const sudoku = all.find((one): one is GameRegulation => isGame(one) && one.game === 'sudoku')!;
const fruits: GameRegulation = {
  ...sudoku,
  id: 'fruits@2020-01-01',
  game: 'fruits',
  signedOn: '2020-01-01',
  opensOn: '2020-02-01',
  mechanic: 'match/1',
};
const newer: GameRegulation = {
  ...sudoku,
  id: 'sudoku@2020-01-01',
  signedOn: '2020-01-01',
  opensOn: '2020-02-01',
  stakes: sudoku.stakes.map((stake) => (stake.stakeCents === 50 ? { ...stake, stakeCents: cents(75) } : stake)),
};

test('REG-5.1: a game that is taken later is listed, is to be accepted, and its stakes are taken', () => {
  const catalog = new Catalog(all);
  const before = catalog.toAccept;
  expect(() => readPlayRequest({ game: 'fruits', stakeCents: 100 }, catalog)).toThrow(/No game has this name/);
  catalog.take(fruits);
  expect([...catalog.games.keys()]).toEqual(['fruits', 'pharaon', 'sudoku']);
  expect(catalog.regulations.get(fruits.id)).toBe(fruits);
  expect(catalog.toAccept.toSorted()).toEqual([...before, fruits.id].sort());
  expect(readPlayRequest({ game: 'fruits', stakeCents: 100 }, catalog)).toMatchObject({ game: 'fruits', mode: null });
});

test('a new version is the one that is shown and to be accepted, while the stakes of the earlier one are still taken', () => {
  const catalog = new Catalog(all);
  catalog.take(newer);
  expect(catalog.games.get('sudoku')?.regulation).toBe(newer);
  expect(catalog.toAccept).toContain(newer.id);
  expect(catalog.toAccept).not.toContain(sudoku.id);
  expect(catalog.regulations.get(sudoku.id)).toBe(sudoku);
  for (const stakeCents of [50, 75, 100]) readPlayRequest({ game: 'sudoku', stakeCents }, catalog);
  expect(() => readPlayRequest({ game: 'sudoku', stakeCents: 60 }, catalog)).toThrow(/are 50, 75, 100/);
});

test('an earlier version that comes later changes only what there is to be read', () => {
  const catalog = new Catalog([...all, newer].filter(({ id }) => id !== sudoku.id));
  catalog.take(sudoku);
  expect(catalog.games.get('sudoku')?.regulation).toBe(newer);
  expect(catalog.regulations.get(sudoku.id)).toBe(sudoku);
});

test('what is there already stays, and what has an unknown mechanic changes nothing', () => {
  const catalog = new Catalog(all);
  catalog.take({ ...sudoku, opensOn: '2010-01-01' });
  expect(catalog.regulations.get(sudoku.id)).toBe(sudoku);
  expect(() => catalog.take({ ...fruits, mechanic: 'dice/1' })).toThrow(RangeError);
  expect(catalog.regulations.has(fruits.id)).toBe(false);
  expect(catalog.games.has('fruits')).toBe(false);
});
