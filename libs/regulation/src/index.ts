export { lineOf, RegulationError, readRegulations } from './read.ts';
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
export {
  allOf,
  doubled,
  eachOf,
  type Fault,
  faultIf,
  hasShape,
  listOf,
  orNaN,
  partly,
  type Rule,
  rule,
} from './rule.ts';
export { type JsonSchema, type MechanicForm, regulationSchema } from './schema.ts';
export { fourBytes, ROWS } from './shapes.ts';
export { hitRate, returnRate, stakeOf, type Totals, totals } from './totals.ts';
export { parseRegulation, type Validated, validateRegulation } from './validate.ts';
