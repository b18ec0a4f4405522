export type { Mechanic } from './mechanic.ts';
export { isMechanic, modesOf } from './mechanics.ts';
