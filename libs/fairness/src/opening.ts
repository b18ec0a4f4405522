import * as z from 'zod';
import { type BeaconCheck, ROUND_AFTER_COMMITMENT_MS, roundPublicAt } from './beacon.ts';
import { fromHex } from './bytes.ts';
import { type Checked, checkShape, type Refused, refuse } from './checked.ts';
import type { Commitment, PromisedContribution } from './commitment.ts';
import { startOf } from './draw.ts';
import { checkSignature, type KeySet } from './keys.ts';
import { hexShape, idShape, keyIdShape, placeShape, signatureShape, timeShape } from './shapes.ts';
import { type Signed, type SigningKey, sign } from './signing.ts';
import { millisecondsOf } from './times.ts';

/** What was promised, and what came of it: the round's 48-byte signature, or 32 random bytes where local; hex. */
export interface DrawnContribution extends PromisedContribution {
  readonly value: string;
}

/** `enjeu-opening/1`: where the sale of a committed block starts, and why there. */
export type Opening = Signed<{
  readonly format: 'enjeu-opening/1';
  readonly blockId: string;
  readonly contribution: DrawnContribution;
  /** The unit that the first sale sells. */
  readonly start: number;
  readonly openedAt: string;
}>;

const contributionShape = z.discriminatedUnion('source', [
  z.strictObject({ source: z.literal('drand:quicknet'), round: z.int().min(1), value: hexShape(48) }),
  z.strictObject({ source: z.literal('local'), round: z.literal(0), value: hexShape(32) }),
]);

/** Exact members of `enjeu-opening/1`. */
export const openingShape: z.ZodType<Opening> = z.strictObject({
  format: z.literal('enjeu-opening/1'),
  blockId: idShape,
  contribution: contributionShape,
  start: placeShape,
  openedAt: timeShape,
  keyId: keyIdShape,
  signature: signatureShape,
});

/**
 * Signs the opening that follows from a commitment and the value (hex) of the contribution it names. A RangeError where
 * it names none, where the value is malformed, or where openedAt is not a time at which its round may open the block.
 * Whether the value is the beacon's must have been checked before: see `loadBeaconCheck`.
 */
export function signOpening(commitment: Commitment, value: string, openedAt: string, key: SigningKey): Opening {
  const { blockId, contribution, root, size } = commitment;
  if (!contribution) throw new RangeError(`block ${blockId} was committed without a contribution`);
  const start = startOf(root, fromHex(value), size);
  const drawn = { ...contribution, value };
  const unsigned = { format: 'enjeu-opening/1' as const, blockId, contribution: drawn, start, openedAt };
  const opening = checkShape(openingShape, sign(unsigned, key));
  const checked = 'refused' in opening ? opening : (refusalOf(opening.accepted, commitment) ?? opening);
  if ('refused' in checked) throw new RangeError(`cannot open this block: ${checked.detail}`);
  return checked.accepted;
}

/** Of an opening that is accepted, what a verifier must say all the same. */
export type CheckedOpening = { readonly accepted: Opening; readonly notes: readonly string[] } | Refused;

export const BEACON_NOT_CHECKED = 'the beacon’s signature was not checked';
export const LOCAL_CONTRIBUTION = 'the contribution is local: it proves nothing about the operator';

/**
 * An opening against the commitment of its block, itself verified: exact members, the signature of a `blocks` key valid
 * at openedAt, the contribution that was promised, made public neither too early nor after openedAt, and the start that
 * follows. Without `isRoundSignature` the round's own signature is not checked, which a note says.
 */
export function verifyOpening(
  value: unknown,
  commitment: Commitment,
  keys: KeySet,
  isRoundSignature: BeaconCheck | null,
): CheckedOpening {
  const signed = verifySignedOpening(value, keys);
  if ('refused' in signed) return signed;
  const opening = signed.accepted;
  const refused = refusalOf(opening, commitment);
  if (refused) return refused;
  const { source, round, value: drawn } = opening.contribution;
  if (source === 'local') return { accepted: opening, notes: [LOCAL_CONTRIBUTION] };
  if (!isRoundSignature) return { accepted: opening, notes: [BEACON_NOT_CHECKED] };
  if (!isRoundSignature(round, drawn)) {
    return refuse('beacon-signature-wrong', `the value is not the beacon’s signature of round ${round}`);
  }
  return { accepted: opening, notes: [] };
}

function verifySignedOpening(value: unknown, keys: KeySet): Checked<Opening> {
  const shape = checkShape(openingShape, value);
  if ('refused' in shape) return shape;
  return checkSignature(shape.accepted, keys, 'blocks', shape.accepted.openedAt);
}

/** Why an opening does not follow from a commitment, its signatures apart. */
function refusalOf(opening: Opening, commitment: Commitment): Refused | null {
  const { blockId, contribution, start, openedAt } = opening;
  const promised = commitment.contribution;
  if (blockId !== commitment.blockId) {
    return refuse('another-block', `opens block ${blockId}, not ${commitment.blockId}`);
  }
  if (contribution.source !== promised?.source || contribution.round !== promised.round) {
    return refuse('contribution-not-promised', `drawn from ${named(contribution)}, promised was ${named(promised)}`);
  }
  if (openedAt < commitment.committedAt) {
    return refuse('time-falls', `opened at ${openedAt}, before it was committed at ${commitment.committedAt}`);
  }
  const early = contribution.source === 'local' ? null : roundRefusal(contribution.round, commitment, openedAt);
  if (early) return early;
  const expected = startOf(commitment.root, fromHex(contribution.value), commitment.size);
  if (start !== expected) return refuse('start-wrong', `the sale starts at unit ${start} instead of ${expected}`);
  return null;
}

function roundRefusal(round: number, { committedAt }: Commitment, openedAt: string): Refused | null {
  const publicAtMs = roundPublicAt(round);
  if (publicAtMs < millisecondsOf(committedAt) + ROUND_AFTER_COMMITMENT_MS) {
    return refuse('round-too-early', `round ${round} was public less than 60 s after ${committedAt}`);
  }
  if (publicAtMs > millisecondsOf(openedAt)) {
    return refuse('round-not-public-then', `round ${round} was not public yet at ${openedAt}`);
  }
  return null;
}

function named(contribution: PromisedContribution | null): string {
  return contribution ? `round ${contribution.round} of ${contribution.source}` : 'none';
}
