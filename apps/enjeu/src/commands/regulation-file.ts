import { mechanicFaults } from '#mechanics';
import { lineOf, parseRegulation, type Regulation } from '#regulation';
import { Failure } from '../failure.ts';
import { readText } from '../text-file.ts';

/** Ten times what three tables of 255 rows and their parameters take. */
const LIMITS = { what: 'a regulation', mostBytes: 2 ** 20 };

/** A regulation as it stands in a file, whatever the file is called. A Failure has a line for every fault. */
export function readRegulationFile(path: string): { readonly text: string; readonly regulation: Regulation } {
  const text = readText(path, LIMITS);
  const parsed = parseRegulation(text, mechanicFaults);
  if ('faults' in parsed) throw new Failure(parsed.faults.map((fault) => `${path}: ${lineOf(fault)}`));
  return { text, regulation: parsed.value };
}
