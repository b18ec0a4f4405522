import type { Regulation } from './regulation.ts';
import type { Fault, Rule } from './rule.ts';
import { parseRegulation } from './validate.ts';

/** Thrown when regulations cannot be used; the message has a line for every fault, with file and place. */
export class RegulationError extends Error {
  constructor(readonly faults: readonly string[]) {
    super(faults.join('\n'));
    this.name = 'RegulationError';
  }
}

/**
 * Reads regulation files, in order of id. Throws a RegulationError that lists all faults of all files: data that is not
 * valid, a file not named `<id>.json`, an id that stands twice.
 * @param mechanicFaults what a game's mechanic says of its regulation, `mechanicFaults` of #mechanics
 */
export function readRegulations(
  files: readonly { readonly name: string; readonly text: string }[],
  mechanicFaults: Rule,
): readonly Regulation[] {
  const faults: string[] = [];
  const regulations = new Map<string, Regulation>();
  for (const { name, text } of files) {
    const parsed = parseRegulation(text, mechanicFaults);
    if ('faults' in parsed) {
      faults.push(...parsed.faults.map((fault) => `${name}: ${lineOf(fault)}`));
      continue;
    }
    const regulation = parsed.value;
    if (name !== `${regulation.id}.json`) faults.push(`${name}: must be called ${regulation.id}.json`);
    if (regulations.has(regulation.id)) faults.push(`${name}: ${regulation.id} stands in another file too`);
    regulations.set(regulation.id, regulation);
  }
  if (faults.length > 0) throw new RegulationError(faults);
  return [...regulations.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** `stakes[0].rows[1].count: must be above 0`, and the message alone for a fault of the whole. */
export function lineOf({ place, message }: Fault): string {
  return place === '' ? message : `${place}: ${message}`;
}
