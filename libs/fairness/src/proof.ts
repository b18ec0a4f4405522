import { seedOf } from './block-keys.ts';
import { fromHex, toHex } from './bytes.ts';
import { prizeOf } from './deck.ts';
import { COARSE_HEIGHT, nodesOf } from './prepare-block.ts';
import type { PrizeTable } from './table.ts';
import { leafHash, pathOf, verifyPath } from './tree.ts';

/** What the issuer keeps of a block to prove its units. */
export interface ProvableBlock {
  readonly table: PrizeTable;
  readonly deck: Uint8Array;
  readonly seedKey: Uint8Array;
  readonly coarseLevel: Uint8Array;
}

/**
 * The inclusion proof of unit n, hex, from leaf to root: one subtree of 1,024 units is computed again, the rest of the
 * path is in the stored level. A RangeError for a unit outside the block.
 */
export function proofOf(block: ProvableBlock, n: number): string[] {
  const width = 2 ** COARSE_HEIGHT;
  const from = n - (n % width);
  const leaves: Uint8Array[] = [];
  for (let i = from; i < Math.min(from + width, block.deck.length); i++) {
    leaves.push(leafHash(i, prizeOf(block.deck, block.table, i), seedOf(block.seedKey, i)));
  }
  const inside = pathOf(leaves, n - from);
  const above = pathOf(nodesOf(block.coarseLevel), from / width);
  return [...inside, ...above].map(toHex);
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
