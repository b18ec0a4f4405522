import type { Step } from '#fairness';
import { inkFor } from '../drawing/ink.ts';
import { NO_PINNED_KEYS } from './public-documents.ts';

const ink = inkFor(process.stdout, process.env);
const NAME_WIDTH = 14;

/** One line for each step that was taken. */
export function printSteps(steps: readonly Step[]): void {
  for (const step of steps) console.log(`  ${step.name.padEnd(NAME_WIDTH)} ${wordOf(step)}`);
}

function wordOf({ outcome, detail }: Step): string {
  if (outcome === 'passed') return 'ok';
  return outcome === 'noted' ? `ok, but: ${detail}` : `${ink('strong', 'FAILED')}: ${detail}`;
}

/** What failed of a document, in one line, or null. */
export function verdictOf(document: string, failure: Step | null, pinned: boolean | undefined): string | null {
  if (failure === null) return null;
  const why = failure.name === 'signature' && pinned === false ? NO_PINNED_KEYS : failure.detail;
  return `${document}: ${failure.name} failed: ${why}`;
}
