import { fromHex, toHex } from './bytes.ts';
import { bytesOf } from './compress.ts';
import { prizeOf } from './deck.ts';
import { COARSE_HEIGHT, nodesOf } from './prepare-block.ts';
import type { PrizeTable } from './table.ts';
import { leafHash, pathOf, verifyPath } from './tree.ts';
import { UnitHashes } from './unit-hashes.ts';

/** What the issuer keeps of a block to prove one of its units. */
export interface ProvableStretch {
  readonly table: PrizeTable;
  /** The rows of the unit's stretch alone, one byte a unit: the 1,024 units below one node of the stored level, or what is left of them. */
  readonly deck: Uint8Array;
  readonly seedKey: Uint8Array;
  readonly coarseLevel: Uint8Array;
}

/** Units below one node of the stored level. */
export const STRETCH = 2 ** COARSE_HEIGHT;

/** The stretch of a whole deck that unit n stands in. */
export function stretchOf(deck: Uint8Array, n: number): Uint8Array {
  const from = n - (n % STRETCH);
  return deck.subarray(from, from + STRETCH);
}

/**
 * The inclusion proof of unit n, hex, from leaf to root: one subtree of 1,024 units is computed again, the rest of the
 * path is in the stored level. A RangeError for a unit outside the stretch, and for a deck that is more than one stretch.
 */
export function proofOf(stretch: ProvableStretch, n: number): string[] {
  const { table, deck, seedKey, coarseLevel } = stretch;
  const place = n % STRETCH;
  const from = n - place;
  if (deck.length > STRETCH) throw new RangeError(`a stretch has at most ${STRETCH} units, not ${deck.length}`);
  if (!(place >= 0 && place < deck.length)) throw new RangeError(`the stretch has no unit ${n}`);
  const hashes = new UnitHashes(seedKey);
  const level = new Int32Array(deck.length * 8);
  hashes.leaves(from, deck.length, (unit) => prizeOf(deck, table, unit - from), level);
  const inside: string[] = [];
  let count = deck.length;
  for (let at = place; count > 1; at >>>= 1) {
    const partner = at ^ 1;
    if (partner < count) inside.push(toHex(bytesOf(level.subarray(partner * 8, partner * 8 + 8))));
    count = hashes.levelAbove(level, count);
  }
  return [...inside, ...pathOf(nodesOf(coarseLevel), from / STRETCH).map(toHex)];
}

/** A unit as its receipt shows it, and the root and size that were committed before its sale. Values in hex. */
export interface ProvenUnit {
  readonly unitIndex: number;
  readonly prizeCents: number;
  readonly seed: string;
  readonly proof: readonly string[];
  readonly size: number;
  readonly root: string;
}

/** Whether this unit, with this prize and seed, stands in the committed block. False for malformed values too. */
export function verifyUnit(unit: ProvenUnit): boolean {
  try {
    const leaf = leafHash(unit.unitIndex, unit.prizeCents, fromHex(unit.seed, 16));
    const path = unit.proof.map((hash) => fromHex(hash, 32));
    return verifyPath(leaf, unit.unitIndex, unit.size, path, fromHex(unit.root, 32));
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}
