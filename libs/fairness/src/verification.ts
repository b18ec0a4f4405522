import type { BeaconCheck } from './beacon.ts';
import type { Commitment } from './commitment.ts';
import type { KeySet } from './keys.ts';
import { type Opening, verifyOpening } from './opening.ts';
import type { RulesOf } from './rules.ts';
import { type Finding, failed, noted, PASSED, type Step } from './steps.ts';

/** What a public document is verified with. */
export interface Verification {
  readonly keys: KeySet;
  /** False for keys that came with the document or from an unknown hand: then the last step fails. True by default. */
  readonly pinned?: boolean;
  readonly rulesOf: RulesOf;
  /** Null: the beacon's signature is not checked, and the step says so. See `loadBeaconCheck`. */
  readonly isRoundSignature: BeaconCheck | null;
}

/** How far a verification went. */
export interface Verified<Name extends string> {
  /** Up to the first that failed. */
  readonly steps: readonly Step<Name>[];
  readonly failure: Step<Name> | null;
}

/** The opening that belongs to a commitment: none, and start 0, where no contribution was promised. */
export function checkOpening(
  opening: Opening | null,
  commitment: Commitment,
  { keys, isRoundSignature }: Verification,
): Finding {
  if (opening === null) {
    return commitment.contribution === null
      ? noted('the block was committed without a public contribution: its sale starts at unit 0')
      : failed('the commitment promises a public contribution, and there is no opening');
  }
  const checked = verifyOpening(opening, commitment, keys, isRoundSignature);
  if ('refused' in checked) return failed(checked.detail);
  return checked.notes.length > 0 ? noted(checked.notes.join('; ')) : PASSED;
}

/** The last word of every verification. */
export function checkPinned({ pinned = true }: Verification): Finding {
  return pinned ? PASSED : failed('these keys came with the document, so they prove nothing');
}
