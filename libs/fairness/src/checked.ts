import type { core, ZodType } from 'zod';

/** Why a public object is not accepted. */
export type VerificationRefusal =
  /** Members missing, unknown or of a wrong kind. */
  | 'malformed'
  | 'key-unknown'
  | 'key-of-another-purpose'
  /** The key was not valid yet, or no longer, at the object's own time. */
  | 'key-not-valid-then'
  | 'signature-wrong'
  /** The entry does not follow the one before it in the list. */
  | 'entry-out-of-order'
  | 'previous-entry-wrong'
  | 'time-falls'
  /** It speaks of another block than the commitment. */
  | 'another-block'
  /** Another source or round than the commitment names, or one where it names none. */
  | 'contribution-not-promised'
  /** The round was public less than 60 s after the commitment. */
  | 'round-too-early'
  | 'round-not-public-then'
  | 'beacon-signature-wrong'
  | 'start-wrong'
  /** The disclosed block tells something else of the receipt's place among the sales. */
  | 'slot-wrong';

export interface Refused {
  readonly refused: VerificationRefusal;
  /** What exactly, for a person. */
  readonly detail: string;
}

export type Checked<Value> = { readonly accepted: Value } | Refused;

export function refuse(refused: VerificationRefusal, detail: string): Refused {
  return { refused, detail };
}

/** A value against the exact shape of its format. */
export function checkShape<Value>(shape: ZodType<Value>, value: unknown): Checked<Value> {
  const result = shape.safeParse(value);
  if (result.success) return { accepted: result.data };
  return refuse('malformed', result.error.issues.map(describe).join('; '));
}

function describe(issue: core.$ZodIssue): string {
  return issue.path.length === 0 ? issue.message : `${issue.path.join('.')}: ${issue.message}`;
}
