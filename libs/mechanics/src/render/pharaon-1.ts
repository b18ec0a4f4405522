import type { Mechanic } from '../mechanic.ts';

export const pharaon1Renderer: Mechanic['renderer'] = () => {
  throw new Error('not written yet');
};
