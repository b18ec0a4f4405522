import { concat, u32 } from './bytes.ts';
import { sha256 } from './digest.ts';

const LEAF = Uint8Array.of(0);
const NODE = Uint8Array.of(1);

/** Leaf n: SHA-256(00 ‖ n u32 ‖ prize in cents u32 ‖ seed, 16 bytes). */
export function leafHash(n: number, prizeCents: number, seed: Uint8Array): Uint8Array {
  if (seed.length !== 16) throw new RangeError(`a seed has 16 bytes, not ${seed.length}`);
  return sha256(concat(LEAF, u32(n), u32(prizeCents), seed));
}

/** SHA-256(01 ‖ left ‖ right), RFC 9162 §2.1.1. */
export function nodeHash(left: Uint8Array, right: Uint8Array): Uint8Array {
  return sha256(concat(NODE, left, right));
}

/**
 * The root over hashes of leaves, RFC 9162 §2.1.1. Level by level, a last node without a partner going up as it is: the
 * same tree as the RFC's split at the largest power of two. No leaves: RangeError.
 */
export function rootOf(leaves: readonly Uint8Array[]): Uint8Array {
  if (leaves.length === 0) throw new RangeError('a tree without leaves');
  let level = leaves;
  while (level.length > 1) level = levelAbove(level);
  return level[0]!;
}

function levelAbove(level: readonly Uint8Array[]): Uint8Array[] {
  const above: Uint8Array[] = [];
  for (let i = 0; i < level.length; i += 2) {
    const right = level[i + 1];
    above.push(right ? nodeHash(level[i]!, right) : level[i]!);
  }
  return above;
}

/** The path from leaf `index` to the root over these leaves, RFC 9162 §2.1.3.1. */
export function pathOf(leaves: readonly Uint8Array[], index: number): Uint8Array[] {
  if (!(index >= 0 && index < leaves.length)) throw new RangeError(`no leaf ${index} among ${leaves.length}`);
  const path: Uint8Array[] = [];
  let level = leaves;
  for (let at = index; level.length > 1; at >>>= 1) {
    const partner = level[at ^ 1];
    if (partner) path.push(partner);
    level = levelAbove(level);
  }
  return path;
}

/** Whether `path` leads from this leaf at `index` to `root` in a tree of `size` leaves: RFC 9162 §2.1.3.2. */
export function verifyPath(
  leaf: Uint8Array,
  index: number,
  size: number,
  path: readonly Uint8Array[],
  root: Uint8Array,
): boolean {
  if (index !== index >>> 0 || size !== size >>> 0 || index >= size) return false;
  let at = index;
  let last = size - 1;
  let hash = leaf;
  for (const partner of path) {
    if (last === 0) return false;
    if (at % 2 === 1 || at === last) {
      hash = nodeHash(partner, hash);
      while (at % 2 === 0 && at !== 0) {
        at >>>= 1;
        last >>>= 1;
      }
    } else {
      hash = nodeHash(hash, partner);
    }
    at >>>= 1;
    last >>>= 1;
  }
  return last === 0 && hash.length === root.length && hash.every((byte, i) => byte === root[i]);
}
