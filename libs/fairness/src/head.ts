import * as z from 'zod';
import { type Checked, checkShape } from './checked.ts';
import { checkSignature, type KeySet } from './keys.ts';
import { hexShape, idShape, keyIdShape, signatureShape, timeShape } from './shapes.ts';
import { type Signed, type SigningKey, sign } from './signing.ts';

/** Where a log stood at a moment. */
export interface HeadToSign {
  readonly logId: string;
  readonly epoch: number;
  readonly position: number;
  /** Chain value after the event at `position`, hex. */
  readonly chain: string;
  readonly signedAt: string;
}

/** `enjeu-head/1` */
export type SignedHead = Signed<HeadToSign & { readonly format: 'enjeu-head/1' }>;

const headShape: z.ZodType<SignedHead> = z.strictObject({
  format: z.literal('enjeu-head/1'),
  logId: idShape,
  epoch: z.int().min(1),
  position: z.int().min(0),
  chain: hexShape(32),
  signedAt: timeShape,
  keyId: keyIdShape,
  signature: signatureShape,
});

/** Signs a head with a key of purpose `log`; a malformed one is refused with a RangeError. */
export function signHead(head: HeadToSign, key: SigningKey): SignedHead {
  const { logId, epoch, position, chain, signedAt } = head;
  const signed = sign({ format: 'enjeu-head/1' as const, logId, epoch, position, chain, signedAt }, key);
  const checked = checkShape(headShape, signed);
  if ('refused' in checked) throw new RangeError(`cannot sign this head: ${checked.detail}`);
  return checked.accepted;
}

/** Exact members, and the signature of a `log` key valid at signedAt. */
export function verifyHead(value: unknown, keys: KeySet): Checked<SignedHead> {
  const shape = checkShape(headShape, value);
  if ('refused' in shape) return shape;
  return checkSignature(shape.accepted, keys, 'log', shape.accepted.signedAt);
}
