import { type BlockKeys, blockKeys } from './block-keys.ts';
import { toHex } from './bytes.ts';
import { bytesOf } from './compress.ts';
import { shuffle, shuffleWords, sortedDeck } from './deck.ts';
import { type PrizeTable, prizesOf, prizeTable, type RegulationTables, tableDigest } from './table.ts';
import { rootOf } from './tree.ts';
import { UnitHashes } from './unit-hashes.ts';

/** The level of the tree that is stored stands this many above the leaves: one node over 1,024 units. */
export const COARSE_HEIGHT = 10;

export interface PreparedBlock {
  /** One byte a unit: the row of the table from 1, 0 for a losing unit. As secret as the block's secret. */
  readonly deck: Uint8Array;
  /** Root of the tree over the units, hex. */
  readonly root: string;
  /** Nodes of the stored level in order, 32 bytes each: what a proof needs beside one small subtree. */
  readonly coarseLevel: Uint8Array;
  readonly tableDigest: string;
  readonly size: number;
}

/** Told the share done, 0 to 1, a few hundred times a block. */
export type Progress = (share: number) => void;

/**
 * Everything that follows from a block's secret: deck, root and the stored level of its tree. Takes about a second of a
 * core for 1,280,000 units: call it in a worker (arguments and result can be passed as messages).
 * Refuses with a RangeError: a stake the regulation does not have, a secret that is not 32 bytes, an id that is no UUID.
 */
export function prepareBlock(
  regulation: RegulationTables,
  stakeCents: number,
  blockId: string,
  secret: Uint8Array,
  progress: Progress = () => {},
): PreparedBlock {
  const table = prizeTable(regulation, stakeCents);
  const keys = blockKeys(secret, blockId);
  const deck = deckOf(table, keys);
  const coarseLevel = coarseLevelOf(table, deck, keys, progress);
  return {
    deck,
    root: toHex(rootOf(nodesOf(coarseLevel))),
    coarseLevel,
    tableDigest: tableDigest(table),
    size: table.size,
  };
}

/** The deck of a table under a block's keys, shuffled. */
export function deckOf(table: PrizeTable, keys: BlockKeys): Uint8Array {
  const deck = sortedDeck(table);
  shuffle(deck, shuffleWords(keys.shuffleKey));
  return deck;
}

function coarseLevelOf(table: PrizeTable, deck: Uint8Array, keys: BlockKeys, progress: Progress): Uint8Array {
  const hashes = new UnitHashes(keys.seedKey);
  const prizes = prizesOf(table);
  const width = 2 ** COARSE_HEIGHT;
  const subtree = new Int32Array(width * 8);
  const coarse = new Int32Array(Math.ceil(deck.length / width) * 8);
  for (let from = 0; from < deck.length; from += width) {
    let count = Math.min(width, deck.length - from);
    hashes.leaves(from, count, (n) => prizes[deck[n]!]!, subtree);
    while (count > 1) count = hashes.levelAbove(subtree, count);
    coarse.set(subtree.subarray(0, 8), (from / width) * 8);
    progress(Math.min(1, (from + width) / deck.length));
  }
  return bytesOf(coarse);
}

/** The 32-byte nodes of a stored level. */
export function nodesOf(level: Uint8Array): Uint8Array[] {
  return Array.from({ length: level.length / 32 }, (_, i) => level.subarray(32 * i, 32 * i + 32));
}
