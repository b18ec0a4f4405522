import { nextUnit } from './block.ts';

test('REG-2.1: the sales of a block go through every unit once, from wherever they start', () => {
  for (const start of [0, 1, 13, 19]) {
    const shape = { start, size: 20 };
    const units = Array.from({ length: 20 }, (_, sold) => nextUnit({ sold }, shape)?.unitIndex);
    expect(units[0]).toBe(start);
    expect(new Set(units).size).toBe(20);
    expect(nextUnit({ sold: 20 }, shape)).toBeNull();
  }
});

test('the sequence of a sale is the number of sales before it', () => {
  expect(nextUnit({ sold: 7 }, { start: 15, size: 20 })).toEqual({ sequence: 7, unitIndex: 2 });
});
