import { hkdf } from '@noble/hashes/hkdf.js';
import { sha256 as nobleSha256 } from '@noble/hashes/sha2.js';
import { concat, idBytes, u32, utf8 } from './bytes.ts';
import { sha256 } from './digest.ts';

/** Bytes of a block's secret. */
export const SECRET_BYTES = 32;

/** The two keys that everything in a block follows from, 32 bytes each. As secret as the block's secret. */
export interface BlockKeys {
  readonly shuffleKey: Uint8Array;
  readonly seedKey: Uint8Array;
}

/** HKDF-SHA-256 of the secret (32 bytes), salt the block's id. Other lengths, and ids that are no UUID: RangeError. */
export function blockKeys(secret: Uint8Array, blockId: string): BlockKeys {
  if (secret.length !== SECRET_BYTES)
    throw new RangeError(`a block's secret has ${SECRET_BYTES} bytes, not ${secret.length}`);
  const salt = idBytes(blockId);
  const derive = (info: string) => hkdf(nobleSha256, secret, salt, utf8(info), 32);
  return { shuffleKey: derive('enjeu-shuffle/1'), seedKey: derive('enjeu-seed/1') };
}

/** The 16-byte seed of unit n: the first half of SHA-256(seedKey ‖ n u32). */
export function seedOf(seedKey: Uint8Array, n: number): Uint8Array {
  return sha256(concat(seedKey, u32(n))).slice(0, 16);
}
