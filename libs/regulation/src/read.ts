import { check } from './check.ts';
import { isGame, type Regulation } from './regulation.ts';
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
 * valid, a printed total without an erratum, a file not named `<id>.json`, an id that stands twice.
 */
export function readRegulations(
  files: readonly { readonly name: string; readonly text: string }[],
): readonly Regulation[] {
  const faults: string[] = [];
  const regulations = new Map<string, Regulation>();
  for (const { name, text } of files) {
    const parsed = parseRegulation(text);
    if ('faults' in parsed) {
      faults.push(
        ...parsed.faults.map(({ place, message }) => `${name}: ${place === '' ? '' : `${place} `}${message}`),
      );
      continue;
    }
    const regulation = parsed.value;
    if (name !== `${regulation.id}.json`) faults.push(`${name}: must be called ${regulation.id}.json`);
    if (regulations.has(regulation.id)) faults.push(`${name}: ${regulation.id} stands in another file too`);
    if (isGame(regulation)) {
      faults.push(...check(regulation).map(({ article, message }) => `${name}: article ${article}: ${message}`));
    }
    regulations.set(regulation.id, regulation);
  }
  if (faults.length > 0) throw new RegulationError(faults);
  return [...regulations.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
}
