export { check, type Disagreement } from './check.ts';
export { RegulationError, readRegulations } from './read.ts';
export {
  type Erratum,
  type GameRegulation,
  GENERAL,
  type GeneralRegulation,
  isGame,
  type Localized,
  type Regulation,
  type Stake,
} from './regulation.ts';
export { returnRate, stakeOf, type Totals, totals } from './totals.ts';
export { type Fault, parseRegulation, type Validated, validateRegulation } from './validate.ts';
