import type { Mechanic } from '../mechanic.ts';

export const sudoku1Renderer: Mechanic['renderer'] = () => {
  throw new Error('not written yet');
};
