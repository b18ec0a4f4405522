export type { Mechanic, Referee, Render, Script, Verdict } from './mechanic.ts';
export {
  isMechanic,
  MECHANICS,
  mechanicFaults,
  mechanicOf,
  modesOf,
  type Scripts,
  scriptDigest,
  scriptsOf,
} from './mechanics.ts';
export { type JudgedScript, type JudgeScript, type MakeScripts, ScriptShelf, type UnitToShow } from './script-shelf.ts';
