import { sha256 as nobleSha256 } from '@noble/hashes/sha2.js';
import { utf8 } from './bytes.ts';
import { canonical } from './canonical.ts';

/** SHA-256, 32 bytes. */
export function sha256(bytes: Uint8Array): Uint8Array {
  return nobleSha256(bytes);
}

/** SHA-256 of a value's canonical JSON, 32 bytes. Throws NotCanonical for what has no canonical form. */
export function canonicalDigest(value: unknown): Uint8Array {
  return nobleSha256(utf8(canonical(value)));
}
