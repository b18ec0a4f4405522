import { NotStrictJson, parseStrict } from '#fairness';
import { gameContradictions, generalContradictions } from './contradictions.ts';
import { GENERAL, type Regulation } from './regulation.ts';
import { allOf, type Fault, hasShape, type Rule } from './rule.ts';
import { gameShape, generalShape } from './shapes.ts';

export type Validated<Value> = { readonly value: Value } | { readonly faults: readonly Fault[] };

/**
 * Strict JSON text to a regulation, or every fault in it: what is not strict JSON, members missing, unknown or of a wrong
 * kind, what cannot be true together, a printed number that the rows do not give (REG-3.1), and what the mechanic says. Of
 * a text that is JSON all the same, such as one with a fraction, everything else is said too.
 * @param mechanicFaults what a game's mechanic says of its regulation, `mechanicFaults` of #mechanics
 */
export function parseRegulation(json: string, mechanicFaults: Rule): Validated<Regulation> {
  try {
    return validateRegulation(parseStrict(json), mechanicFaults);
  } catch (error) {
    if (!(error instanceof NotStrictJson)) throw error;
    return { faults: [{ place: '', message: error.message }, ...furtherFaults(json, mechanicFaults)] };
  }
}

/** The same for a value that has been parsed. */
export function validateRegulation(value: unknown, mechanicFaults: Rule): Validated<Regulation> {
  const general = isGeneral(value);
  const ofForm = hasShape(general ? generalShape : gameShape)(value);
  const told = new Set(ofForm.map(({ place }) => place));
  const further = general ? generalContradictions : allOf(gameContradictions, mechanicFaults);
  const faults = [...ofForm, ...further(value).filter(({ place }) => !told.has(place))];
  if (faults.length > 0) return { faults };
  return { value: general ? generalShape.parse(value) : gameShape.parse(value) };
}

function isGeneral(value: unknown): boolean {
  return (
    typeof value === 'object' &&
    value !== null &&
    'id' in value &&
    typeof value.id === 'string' &&
    value.id.startsWith(`${GENERAL}@`)
  );
}

function furtherFaults(json: string, mechanicFaults: Rule): readonly Fault[] {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    return [];
  }
  const result = validateRegulation(value, mechanicFaults);
  return 'faults' in result ? result.faults : [];
}
