import { ALL_SETS, isWithin, SETS_OF_SIZE, sizeOf } from './digit-sets.ts';
import type { Draws } from './draws.ts';
import { drawBlock, drawMasks, uncoveredOf } from './sudoku-1-view.ts';

/** Gives these values in turn and then 0, and notes below what was drawn. */
function giving(...values: number[]): Draws & { readonly bounds: number[] } {
  const bounds: number[] = [];
  const below = (n: number) => {
    bounds.push(n);
    return values.shift() ?? 0;
  };
  return { bounds, below };
}

test('every order of the nine digits is drawn, each by one value', () => {
  const orders = new Set<number>();
  for (let order = 0; order < 362_880; order++) {
    orders.add(drawBlock(giving(order)).reduce((number, digit) => 10 * number + digit, 0));
  }
  expect(orders.size).toBe(362_880);
  const draws = giving(0);
  expect(drawBlock(draws).toSorted()).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
  expect(draws.bounds).toEqual([362_880]);
});

test.each([1, 2, 4, 9])('every three digits and every %i blocks are drawn, each pair by one value', (completable) => {
  const bound = giving(0);
  drawMasks(bound, completable);
  const seen = new Set<string>();
  for (let value = 0; value < bound.bounds[0]!; value++) {
    // The fourth of the masks inside are the three digits themselves; the first outside is a pair that is not within them.
    const masks = drawMasks({ below: (n) => (n === bound.bounds[0] ? value : n === 4 ? 3 : 0) }, completable);
    const inside = masks.map((mask) => sizeOf(mask) === 3);
    expect(inside.filter(Boolean)).toHaveLength(completable);
    const three = masks[inside.indexOf(true)]!;
    expect(masks.every((mask, block) => inside[block] === isWithin(mask, three))).toBe(true);
    seen.add(`${three} ${inside}`);
  }
  expect(seen.size).toBe(84 * SETS_OF_SIZE[completable]!.length);
});

test('a block outside is drawn evenly by size, then evenly among the sets that are not within the three digits', () => {
  const counts = new Map<number, number>();
  // One block of nine is inside, with the value 0: the first; so the second is outside. 3 x 33 x 83 x 126 values.
  const draws = 3 * 33 * 83 * 126;
  for (let value = 0; value < draws; value++) {
    const [, mask] = drawMasks(giving(0, 3, value), 1);
    counts.set(mask!, (counts.get(mask!) ?? 0) + 1);
  }
  const [three] = drawMasks(giving(0, 3), 1);
  for (const size of [2, 3, 4]) {
    const sets = SETS_OF_SIZE[size]!.filter((set) => !isWithin(set, three!));
    for (const set of sets) expect(counts.get(set)).toBe(draws / 3 / sets.length);
  }
  expect(counts.size).toBe(33 + 83 + 126);
});

test('a block inside has two or three of the three digits, each of the four sets by one value', () => {
  const [three] = drawMasks(giving(0, 3), 1);
  const masks = [0, 1, 2, 3].map((value) => drawMasks(giving(0, value), 1)[0]!);
  expect(new Set(masks).size).toBe(4);
  expect(masks.every((mask) => isWithin(mask, three!) && sizeOf(mask) >= 2)).toBe(true);
});

test('exactly the masked digits are covered', () => {
  expect(uncoveredOf([3, 1, 2, 4, 5, 6, 7, 9, 8], 0b100000101)).toEqual([0, 0, 1, 1, 1, 1, 1, 0, 1]);
  for (let set = 0; set < ALL_SETS; set++) {
    expect(uncoveredOf([1, 2, 3, 4, 5, 6, 7, 8, 9], set).filter((cell) => cell === 0)).toHaveLength(sizeOf(set));
  }
});
