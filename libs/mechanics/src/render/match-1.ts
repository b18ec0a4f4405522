import type { Mechanic } from '../mechanic.ts';

export const match1Renderer: Mechanic['renderer'] = () => {
  throw new Error('not written yet');
};
