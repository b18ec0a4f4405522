import { wordsOf } from './compress.ts';
import { LANES, type LaneHash, laneHash } from './lanes.ts';

const PADDING = 0x80;

// Which area of the lanes' words holds which message; an inner node's 65 bytes take two blocks.
const SEED = 0;
const LEAF = 1;
const NODE = 2;
const NODE_END = 3;
const AREA_WORDS = 64 * LANES;

/**
 * Seeds, leaves and inner nodes of one block as words in arrays, four at a time and without an allocation per hash: the
 * same values as `seedOf`, `leafHash` and `nodeHash`, made for hundreds of thousands.
 */
export class UnitHashes {
  private readonly hash: LaneHash;

  constructor(seedKey: Uint8Array, hash: LaneHash = laneHash()) {
    this.hash = hash;
    wordsOf(seedKey, 8).forEach((word, i) => {
      this.fill(SEED, i, word);
    });
    this.fill(SEED, 9, PADDING << 24);
    this.fill(SEED, 15, 36 * 8);
    this.fill(LEAF, 15, 25 * 8);
    this.fill(NODE_END, 15, 65 * 8);
  }

  /** Hashes of `count` leaves from n on, with these prizes in cents, into `into` from its start, eight words each. */
  leaves(n: number, count: number, prizeAt: (n: number) => number, into: Int32Array): void {
    for (let i = 0; i < count; i += LANES) {
      this.seeds(n + i);
      for (let lane = 0; lane < LANES; lane++) {
        this.writeLeaf(lane, n + i + lane, i + lane < count ? prizeAt(n + i + lane) : 0);
      }
      this.hash.compress(LEAF, false);
      this.read(into, i, Math.min(LANES, count - i));
    }
  }

  /** Folds a level of `count` nodes into the level above, in place; a last one without a partner goes up as it is. */
  levelAbove(level: Int32Array, count: number): number {
    const pairs = count >>> 1;
    for (let i = 0; i < pairs; i += LANES) {
      const width = Math.min(LANES, pairs - i);
      for (let lane = 0; lane < width; lane++) this.writeNode(lane, level, (i + lane) * 16);
      this.hash.compress(NODE, false);
      this.hash.compress(NODE_END, true);
      this.read(level, i, width);
    }
    if (count % 2 === 1) level.copyWithin(pairs * 8, (count - 1) * 8, count * 8);
    return pairs + (count % 2);
  }

  private fill(area: number, word: number, value: number): void {
    const at = area * AREA_WORDS + word * LANES;
    this.hash.words.fill(value, at, at + LANES);
  }

  /** The seeds of four units are the first four words of the state. */
  private seeds(n: number): void {
    const at = SEED * AREA_WORDS + 8 * LANES;
    for (let lane = 0; lane < LANES; lane++) this.hash.words[at + lane] = n + lane;
    this.hash.compress(SEED, false);
  }

  private writeLeaf(lane: number, n: number, prizeCents: number): void {
    const { words, state } = this.hash;
    const at = LEAF * AREA_WORDS + lane;
    const s0 = state[lane]!;
    const s1 = state[LANES + lane]!;
    const s2 = state[2 * LANES + lane]!;
    const s3 = state[3 * LANES + lane]!;
    words[at] = n >>> 8;
    words[at + LANES] = (n << 24) | (prizeCents >>> 8);
    words[at + 2 * LANES] = (prizeCents << 24) | (s0 >>> 8);
    words[at + 3 * LANES] = (s0 << 24) | (s1 >>> 8);
    words[at + 4 * LANES] = (s1 << 24) | (s2 >>> 8);
    words[at + 5 * LANES] = (s2 << 24) | (s3 >>> 8);
    words[at + 6 * LANES] = (s3 << 24) | (PADDING << 16);
  }

  /** The inner node over the two nodes in `level` from `left` on, sixteen words. */
  private writeNode(lane: number, level: Int32Array, left: number): void {
    const { words } = this.hash;
    let before = 1;
    for (let i = 0; i < 16; i++) {
      const word = level[left + i]!;
      words[NODE * AREA_WORDS + i * LANES + lane] = (before << 24) | (word >>> 8);
      before = word;
    }
    words[NODE_END * AREA_WORDS + lane] = (before << 24) | (PADDING << 16);
  }

  private read(into: Int32Array, first: number, width: number): void {
    const { state } = this.hash;
    for (let lane = 0; lane < width; lane++) {
      for (let i = 0; i < 8; i++) into[(first + lane) * 8 + i] = state[i * LANES + lane]!;
    }
  }
}
