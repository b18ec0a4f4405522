import * as z from 'zod';
import type { Cents } from '#money';
import { toHex } from './bytes.ts';
import { type Checked, checkShape, refuse } from './checked.ts';
import { canonicalDigest } from './digest.ts';
import { checkSignature, type KeySet } from './keys.ts';
import {
  centsShape,
  hexShape,
  idShape,
  keyIdShape,
  mechanicShape,
  regulationIdShape,
  signatureShape,
  timeShape,
  u32Shape,
} from './shapes.ts';
import { type Signed, type SigningKey, sign } from './signing.ts';

/** The public round that will decide where a block's sale starts. */
export interface PromisedContribution {
  readonly source: 'drand:quicknet' | 'local';
  readonly round: number;
}

/** What is committed of a block before its first sale. */
export interface CommittedBlock {
  readonly blockId: string;
  readonly regulation: string;
  readonly regulationDigest: string;
  readonly stakeCents: Cents;
  readonly size: number;
  readonly tableDigest: string;
  readonly mechanic: string;
  readonly root: string;
  readonly contribution: PromisedContribution | null;
  readonly committedAt: string;
}

/** `enjeu-commitment/1`: an entry of the platform's one list, each holding the digest of the one before. */
export type Commitment = Signed<
  CommittedBlock & {
    readonly format: 'enjeu-commitment/1';
    /** Place in the list, from 0. */
    readonly entry: number;
    /** Digest of the entry before, null for entry 0. */
    readonly previous: string | null;
  }
>;

/** Exact members of `enjeu-commitment/1`. */
export const commitmentShape: z.ZodType<Commitment> = z
  .strictObject({
    format: z.literal('enjeu-commitment/1'),
    blockId: idShape,
    entry: z.int().min(0),
    previous: hexShape(32).nullable(),
    regulation: regulationIdShape,
    regulationDigest: hexShape(32),
    stakeCents: centsShape,
    size: u32Shape,
    tableDigest: hexShape(32),
    mechanic: mechanicShape,
    root: hexShape(32),
    contribution: z.strictObject({ source: z.enum(['drand:quicknet', 'local']), round: z.int().min(0) }).nullable(),
    committedAt: timeShape,
    keyId: keyIdShape,
    signature: signatureShape,
  })
  .refine((commitment) => (commitment.entry === 0) === (commitment.previous === null), 'only entry 0 has no previous')
  .refine(
    ({ contribution }) => contribution === null || (contribution.source === 'local') === (contribution.round === 0),
    'a local contribution has round 0, and no other',
  );

/** The list of commitments, or a stretch of it, in order. */
export const commitmentListShape: z.ZodType<Commitment[]> = z.array(commitmentShape);

/** An entry's digest, hex: SHA-256 of its canonical form with signature. */
export function entryDigest(commitment: Commitment): string {
  return toHex(canonicalDigest(commitment));
}

/**
 * Signs the next entry of the list after `previous`, or entry 0 after null. A RangeError when a value is malformed or
 * committedAt is earlier than that of the entry before.
 */
export function signCommitment(block: CommittedBlock, previous: Commitment | null, key: SigningKey): Commitment {
  const unsigned = {
    ...block,
    format: 'enjeu-commitment/1' as const,
    entry: previous ? previous.entry + 1 : 0,
    previous: previous && entryDigest(previous),
  };
  const checked = checkShape(commitmentShape, sign(unsigned, key));
  if ('refused' in checked) throw new RangeError(`cannot commit to this block: ${checked.detail}`);
  if (previous && block.committedAt < previous.committedAt) {
    throw new RangeError(`committed at ${block.committedAt}, before the entry before it at ${previous.committedAt}`);
  }
  return checked.accepted;
}

/** One entry by itself: exact members, and the signature of a `blocks` key valid at committedAt. */
export function verifyCommitment(value: unknown, keys: KeySet): Checked<Commitment> {
  const shape = checkShape(commitmentShape, value);
  if ('refused' in shape) return shape;
  return checkSignature(shape.accepted, keys, 'blocks', shape.accepted.committedAt);
}

/**
 * A stretch of the list in order: each entry by itself, and that it follows the one before. `after` is the entry just
 * before the stretch, itself verified, or null at the list's start; so the list can be verified page by page.
 */
export function verifyCommitments(
  values: readonly unknown[],
  keys: KeySet,
  after: Commitment | null = null,
): Checked<readonly Commitment[]> {
  const accepted: Commitment[] = [];
  let previous = after;
  for (const value of values) {
    const next = verifyCommitment(value, keys);
    if ('refused' in next) return next;
    const step = checkStep(previous, next.accepted);
    if ('refused' in step) return step;
    accepted.push(next.accepted);
    previous = next.accepted;
  }
  return { accepted };
}

function checkStep(previous: Commitment | null, next: Commitment): Checked<Commitment> {
  const expected = previous ? previous.entry + 1 : 0;
  if (next.entry !== expected)
    return refuse('entry-out-of-order', `entry ${next.entry} stands where ${expected} belongs`);
  if (!previous) return { accepted: next };
  if (next.previous !== entryDigest(previous)) {
    return refuse('previous-entry-wrong', `entry ${next.entry} was signed after another entry ${previous.entry}`);
  }
  if (next.committedAt < previous.committedAt) {
    return refuse('time-falls', `entry ${next.entry} was committed before entry ${previous.entry}`);
  }
  return { accepted: next };
}
