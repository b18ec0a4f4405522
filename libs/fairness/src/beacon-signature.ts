import { bls12_381 } from '@noble/curves/bls12-381.js';
import { QUICKNET } from './beacon.ts';
import { fromHex } from './bytes.ts';
import { sha256 } from './digest.ts';

const TAG = 'BLS_SIG_BLS12381G1_XMD:SHA-256_SSWU_RO_NUL_';

const { shortSignatures, G2 } = bls12_381;
const groupKey = G2.Point.fromHex(QUICKNET.publicKey);

/**
 * Whether `value` (48 bytes, hex) is quicknet's signature of this round: BLS over SHA-256 of the round as u64, hashed to
 * G1 by RFC 9380. Values that are no compressed point of G1's subgroup, and the point at infinity, are refused.
 */
export function isRoundSignature(round: number, value: string): boolean {
  if (!Number.isSafeInteger(round) || round < 1) return false;
  const signature = pointOf(value);
  if (!signature || signature.is0()) return false;
  return shortSignatures.verify(signature, shortSignatures.hash(messageOf(round), TAG), groupKey);
}

function messageOf(round: number): Uint8Array {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(round));
  return sha256(bytes);
}

/** Null for whatever the library refuses, by errors of no class of its own: length, flags, range, curve, subgroup. */
function pointOf(value: string) {
  try {
    return shortSignatures.Signature.fromBytes(fromHex(value, 48));
  } catch {
    return null;
  }
}
