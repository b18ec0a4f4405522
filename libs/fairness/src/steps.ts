import type { Refused } from './checked.ts';

/** What one step of a verification found. Noted: it holds, and there is something that a reader must be told. */
export type Finding =
  | { readonly outcome: 'passed' }
  | { readonly outcome: 'noted' | 'failed'; readonly detail: string };

/** A step of a verification, for a person: `detail` is empty where it just passed. */
export interface Step<Name extends string = string> {
  readonly name: Name;
  readonly outcome: 'passed' | 'noted' | 'failed';
  readonly detail: string;
}

export const PASSED: Finding = { outcome: 'passed' };

export function noted(detail: string): Finding {
  return { outcome: 'noted', detail };
}

export function failed(detail: string): Finding {
  return { outcome: 'failed', detail };
}

/** Failed for the reason of a refusal, else passed. */
export function findingOf(checked: { readonly accepted: unknown } | Refused): Finding {
  return 'refused' in checked ? failed(checked.detail) : PASSED;
}

/** Takes the steps in order, up to and with the first that fails. */
export function takeSteps<Name extends string>(steps: Iterable<readonly [Name, () => Finding]>): Step<Name>[] {
  const taken: Step<Name>[] = [];
  for (const [name, check] of steps) {
    const finding = check();
    taken.push({ name, outcome: finding.outcome, detail: finding.outcome === 'passed' ? '' : finding.detail });
    if (finding.outcome === 'failed') break;
  }
  return taken;
}

/** The step that failed, or null when all passed. */
export function failureOf<Name extends string>(steps: readonly Step<Name>[]): Step<Name> | null {
  const last = steps.at(-1);
  return last?.outcome === 'failed' ? last : null;
}
