import * as z from 'zod';
import { idBytes, toHex } from './bytes.ts';
import { type Checked, checkShape } from './checked.ts';
import { sha256 } from './digest.ts';
import { hexShape, idShape, keyIdShape, signatureShape, timeShape } from './shapes.ts';
import { type Signed, type SigningKey, sign } from './signing.ts';

/** A stake that got no unit between this block's first sale and the next block's. */
export interface DisclosedRefusal {
  /** See `playDigest`. */
  readonly play: string;
  /** The sale that it would have been. */
  readonly sequence: number;
  readonly reason: 'no-unit-left' | 'sale-suspended' | 'sale-closed' | 'regulation-changed' | 'set-aside';
  readonly refusedAt: string;
}

export interface DisclosureToSign {
  readonly blockId: string;
  /** The block's 32 bytes, hex. */
  readonly secret: string;
  /** Digest of each play that got a unit, in the order of the sales, in one hex string. */
  readonly issued: string;
  readonly refusals: readonly DisclosedRefusal[];
  /** Null for a block of which every unit was sold. */
  readonly closed: { readonly notice: { readonly fr: string; readonly en: string }; readonly closedAt: string } | null;
  readonly disclosedAt: string;
}

/** `enjeu-disclosure/1` */
export type Disclosure = Signed<DisclosureToSign & { readonly format: 'enjeu-disclosure/1' }>;

/** How a disclosure names a play: SHA-256 of the play id's bytes, hex. */
export function playDigest(playId: string): string {
  return toHex(sha256(idBytes(playId)));
}

/** Hex digits of one play in `issued`. */
export const DIGEST_DIGITS = 64;

const refusalShape = z.strictObject({
  play: hexShape(32),
  sequence: z
    .int()
    .min(0)
    .max(2 ** 32 - 1),
  reason: z.enum(['no-unit-left', 'sale-suspended', 'sale-closed', 'regulation-changed', 'set-aside']),
  refusedAt: timeShape,
});

const closedShape = z.strictObject({
  notice: z.strictObject({ fr: z.string().min(1), en: z.string().min(1) }),
  closedAt: timeShape,
});

/** Exact members of `enjeu-disclosure/1`. */
export const disclosureShape: z.ZodType<Disclosure> = z.strictObject({
  format: z.literal('enjeu-disclosure/1'),
  blockId: idShape,
  secret: hexShape(32),
  issued: z
    .string()
    .regex(/^[0-9a-f]*$/, 'must be lower-case hex')
    .refine((issued) => issued.length % DIGEST_DIGITS === 0, 'must be whole digests of 32 bytes'),
  refusals: z.array(refusalShape),
  closed: closedShape.nullable(),
  disclosedAt: timeShape,
  keyId: keyIdShape,
  signature: signatureShape,
});

/** Signs a disclosure with a key of purpose `blocks`; a malformed one is refused with a RangeError. */
export function signDisclosure(disclosure: DisclosureToSign, key: SigningKey): Disclosure {
  const checked = readDisclosure(sign({ ...disclosure, format: 'enjeu-disclosure/1' as const }, key));
  if ('refused' in checked) throw new RangeError(`cannot sign this disclosure: ${checked.detail}`);
  return checked.accepted;
}

/** A disclosure by its form alone. */
export function readDisclosure(value: unknown): Checked<Disclosure> {
  return checkShape(disclosureShape, value);
}
