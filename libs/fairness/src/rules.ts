import type { Cents } from '#money';
import { canonical, NotCanonical } from './canonical.ts';
import type { Commitment } from './commitment.ts';
import { type Finding, failed, PASSED } from './steps.ts';
import { type PrizeTable, tableDigest } from './table.ts';

/** What a verifier knows by itself of a regulation at one stake. */
export interface GameRules {
  readonly game: string;
  /** SHA-256 of the canonical regulation, hex. */
  readonly regulationDigest: string;
  readonly table: PrizeTable;
  /** `sudoku/1` */
  readonly mechanic: string;
  /** The script that shows this prize for this seed (16 bytes, hex). */
  render(prizeCents: Cents, seed: string): unknown;
  /** What a script shows, or why it shows nothing. */
  judge(script: unknown): { readonly prizeCents: number } | { readonly invalid: string };
}

/** The rules of a regulation (by its id) at a stake in cents; null where the verifier does not know them. */
export type RulesOf = (regulationId: string, stakeCents: number) => GameRules | null;

/** Whether a block was committed under exactly the rules that the verifier knows. */
export function checkRules(commitment: Commitment, rules: GameRules | null): Finding {
  const { regulation, stakeCents, size, mechanic } = commitment;
  if (!rules) return failed(`this verifier does not know ${regulation} at ${stakeCents} cents`);
  if (commitment.regulationDigest !== rules.regulationDigest) {
    return failed(`committed under another text of ${regulation}: ${commitment.regulationDigest}`);
  }
  if (size !== rules.table.size) return failed(`a block of ${regulation} has ${rules.table.size} units, not ${size}`);
  if (commitment.tableDigest !== tableDigest(rules.table)) {
    return failed(`committed to another prize table than that of ${regulation} at ${stakeCents} cents`);
  }
  if (mechanic !== rules.mechanic) return failed(`${regulation} is shown by ${rules.mechanic}, not by ${mechanic}`);
  return PASSED;
}

/** Whether the rules' own renderer makes exactly this script of a unit's prize and seed. */
export function checkScript(script: unknown, prizeCents: Cents, seed: string, rules: GameRules): Finding {
  try {
    if (canonical(rules.render(prizeCents, seed)) === canonical(script)) return PASSED;
    return failed(`the seed ${seed} and a prize of ${prizeCents} cents give another script`);
  } catch (error) {
    if (error instanceof RangeError || error instanceof NotCanonical) {
      return failed(`the mechanic shows no prize of ${prizeCents} cents: ${error.message}`);
    }
    throw error;
  }
}

/** Whether the referee finds exactly this prize in a script. */
export function checkReferee(script: unknown, prizeCents: Cents, rules: GameRules): Finding {
  const verdict = rules.judge(script);
  if ('invalid' in verdict) return failed(`the referee rejects the script: ${verdict.invalid}`);
  if (verdict.prizeCents !== prizeCents) {
    return failed(`the script shows ${verdict.prizeCents} cents, the receipt ${prizeCents}`);
  }
  return PASSED;
}
