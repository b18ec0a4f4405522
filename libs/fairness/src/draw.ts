import { concat, fromHex } from './bytes.ts';
import { sha256 } from './digest.ts';

/**
 * The unit that a block's first sale sells: the first eight bytes, as a number, of SHA-256(root ‖ the public
 * contribution's value) modulo the size. `root` is hex, `value` the contribution's bytes.
 */
export function startOf(root: string, value: Uint8Array, size: number): number {
  if (!(Number.isSafeInteger(size) && size > 0)) throw new RangeError(`a block cannot have ${size} units`);
  const digest = sha256(concat(fromHex(root, 32), value));
  const first = new DataView(digest.buffer, digest.byteOffset, 8).getBigUint64(0);
  return Number(first % BigInt(size));
}

/** The unit that sale number `sequence` (from 0) of a block sells. A RangeError outside the block. */
export function unitIndex(start: number, sequence: number, size: number): number {
  if (!isWithin(start, size) || !isWithin(sequence, size)) {
    throw new RangeError(`no sale ${sequence} from unit ${start} in a block of ${size}`);
  }
  return (start + sequence) % size;
}

function isWithin(value: number, size: number): boolean {
  return Number.isSafeInteger(value) && value >= 0 && value < size;
}
