import * as z from 'zod';
import { type Cents, cents } from '#money';
import { canonical, type JsonValue, NotCanonical } from './canonical.ts';
import { type Checked, checkShape, refuse } from './checked.ts';
import { type Commitment, commitmentShape } from './commitment.ts';
import { type Opening, openingShape } from './opening.ts';
import {
  centsShape,
  gameShape,
  hexShape,
  idShape,
  keyIdShape,
  mechanicShape,
  placeShape,
  signatureShape,
  timeShape,
} from './shapes.ts';
import { type Signed, type SigningKey, sign } from './signing.ts';

/** What is said of one issued unit, before it is signed. Hashes and seed in hex. */
export interface ReceiptToSign {
  readonly playId: string;
  /** See `holderOf`. */
  readonly holder: string;
  readonly game: string;
  readonly stakeCents: Cents;
  /** 0 for a losing unit. */
  readonly prizeCents: Cents;
  /** Place among the block's sales, from 0. */
  readonly sequence: number;
  readonly unitIndex: number;
  readonly seed: string;
  readonly mechanic: string;
  /** Null together with its digest where it was withheld. */
  readonly script: { readonly [member: string]: JsonValue } | null;
  readonly scriptDigest: string | null;
  readonly commitment: Commitment;
  /** Null for a block without a public contribution. */
  readonly opening: Opening | null;
  /** From leaf to root. */
  readonly proof: readonly string[];
  /** The newest entry of the list of commitments. */
  readonly listHead: { readonly entry: number; readonly digest: string };
  readonly placedAt: string;
  readonly unitIssuedAt: string;
  readonly signedAt: string;
}

/** `enjeu-receipt/1` */
export type Receipt = Signed<ReceiptToSign & { readonly format: 'enjeu-receipt/1' }>;

const prizeShape = z
  .int()
  .min(0)
  .max(2 ** 32 - 1)
  .transform((amount): Cents => cents(amount));

// What a script holds belongs to its mechanic: the referee knows its members, and lets through no other.
const scriptShape = z.looseObject({ mechanic: mechanicShape }) as unknown as z.ZodType<{ [member: string]: JsonValue }>;

/** Exact members of `enjeu-receipt/1`. */
export const receiptShape: z.ZodType<Receipt> = z
  .strictObject({
    format: z.literal('enjeu-receipt/1'),
    playId: idShape,
    holder: hexShape(32),
    game: gameShape,
    stakeCents: centsShape,
    prizeCents: prizeShape,
    sequence: placeShape,
    unitIndex: placeShape,
    seed: hexShape(16),
    mechanic: mechanicShape,
    script: scriptShape.nullable(),
    scriptDigest: hexShape(32).nullable(),
    commitment: commitmentShape,
    opening: openingShape.nullable(),
    // A tree over fewer than 2^32 units has no longer path.
    proof: z.array(hexShape(32)).max(32),
    listHead: z.strictObject({ entry: z.int().min(0), digest: hexShape(32) }),
    placedAt: timeShape,
    unitIssuedAt: timeShape,
    signedAt: timeShape,
    keyId: keyIdShape,
    signature: signatureShape,
  })
  .refine(
    ({ script, scriptDigest }) => (script === null) === (scriptDigest === null),
    'script and scriptDigest are null together',
  );

/** Signs a receipt with a key of purpose `blocks`; a malformed one is refused with a RangeError. */
export function signReceipt(receipt: ReceiptToSign, key: SigningKey): Receipt {
  const checked = readReceipt(sign({ ...receipt, format: 'enjeu-receipt/1' as const }, key));
  if ('refused' in checked) throw new RangeError(`cannot sign this receipt: ${checked.detail}`);
  return checked.accepted;
}

/**
 * A receipt by its form alone: exact members, and nothing in the script that was lost in reading: two readers must not understand one signed text
 * differently.
 */
export function readReceipt(value: unknown): Checked<Receipt> {
  const shape = checkShape(receiptShape, value);
  if ('refused' in shape) return shape;
  try {
    if (canonical(shape.accepted) === canonical(value)) return shape;
    return refuse('malformed', 'script: has a member that no script may have');
  } catch (error) {
    if (error instanceof NotCanonical) return refuse('malformed', error.message);
    throw error;
  }
}
