import { type GameRules, prizeTable, type RulesOf, regulationDigest } from '#fairness';
import { type GameRegulation, stakeOf } from '#regulation';
import { isMechanic, scriptsOf } from './mechanics.ts';

/**
 * What a verifier knows of games, from the regulations that it has on file.
 * @param find null for a regulation that is not on file
 */
export function rulesOf(find: (regulation: string) => GameRegulation | null): RulesOf {
  const known = new Map<string, GameRules>();
  return (id, stakeCents) => {
    const name = `${id} ${stakeCents}`;
    let rules = known.get(name) ?? null;
    if (rules === null) {
      rules = rulesAt(find(id), stakeCents);
      if (rules !== null) known.set(name, rules);
    }
    return rules;
  };
}

function rulesAt(regulation: GameRegulation | null, stakeCents: number): GameRules | null {
  if (regulation === null || !stakeOf(regulation, stakeCents) || !isMechanic(regulation.mechanic)) return null;
  const { game, mechanic } = regulation;
  const table = prizeTable(regulation, stakeCents);
  return {
    game,
    regulationDigest: regulationDigest(regulation),
    table,
    mechanic,
    ...scriptsOf(regulation, stakeCents),
  };
}
