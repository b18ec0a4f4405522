import type { Mechanic } from '../mechanic.ts';

export const pharaon1Referee: Mechanic['referee'] = () => {
  throw new Error('not written yet');
};
