import type { Mechanic } from '../mechanic.ts';

export const match1Referee: Mechanic['referee'] = () => {
  throw new Error('not written yet');
};
