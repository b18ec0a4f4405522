import { entropy } from './entropy.ts';

/**
 * A UUID of version 7 (RFC 9562 §5.7), lower case: ids made later sort later, to the millisecond.
 * @param at_ms since 1970 @param random ten random bytes
 */
export function uuidV7(at_ms: number = Date.now(), random: Uint8Array = entropy(10)): string {
  const bytes = Buffer.alloc(16);
  bytes.writeUIntBE(at_ms, 0, 6);
  bytes.set(random, 6);
  bytes[6] = (bytes[6]! & 0x0f) | 0x70;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  const hex = bytes.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
