export type { Mechanic, Referee, Render, Script, Verdict } from './mechanic.ts';
export { mechanicFaults } from './mechanic-faults.ts';
export {
  isMechanic,
  MECHANICS,
  mechanicOf,
  modesOf,
  renderedDigest,
  type Scripts,
  scriptDigest,
  scriptsOf,
} from './mechanics.ts';
export { rulesOf } from './rules.ts';
export {
  issuedScript,
  type JudgedScript,
  type JudgeScript,
  type MakeScripts,
  ScriptShelf,
  type UnitToShow,
} from './script-shelf.ts';
