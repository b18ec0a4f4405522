import { compress, expand, reset, wordsOf } from './compress.ts';

const PADDING = 0x80;

/** The second block of every inner node holds one byte of the message: its 256 schedules are made once. */
function lastByteSchedules(): Int32Array {
  const schedules = new Int32Array(256 * 64);
  for (let byte = 0; byte < 256; byte++) {
    const schedule = schedules.subarray(byte * 64, byte * 64 + 64);
    schedule[0] = (byte << 24) | (PADDING << 16);
    schedule[15] = 65 * 8;
    expand(schedule);
  }
  return schedules;
}

/**
 * Seeds, leaves and inner nodes of one block as words in arrays, without an allocation per hash: the same values as
 * `seedOf`, `leafHash` and `nodeHash`, made for hundreds of thousands at a time.
 */
export class UnitHashes {
  private readonly schedule = new Int32Array(64);
  private readonly state = new Int32Array(8);
  private readonly seedKey: Int32Array;
  private readonly lastByte = lastByteSchedules();

  constructor(seedKey: Uint8Array) {
    this.seedKey = wordsOf(seedKey, 8);
  }

  /** Hash of leaf n into the eight words of `into` from `at`. */
  leaf(n: number, prizeCents: number, into: Int32Array, at: number): void {
    this.seed(n);
    const { schedule, state } = this;
    const s0 = state[0]!;
    const s1 = state[1]!;
    const s2 = state[2]!;
    const s3 = state[3]!;
    schedule[0] = n >>> 8;
    schedule[1] = (n << 24) | (prizeCents >>> 8);
    schedule[2] = (prizeCents << 24) | (s0 >>> 8);
    schedule[3] = (s0 << 24) | (s1 >>> 8);
    schedule[4] = (s1 << 24) | (s2 >>> 8);
    schedule[5] = (s2 << 24) | (s3 >>> 8);
    schedule[6] = (s3 << 24) | (PADDING << 16);
    for (let i = 7; i < 15; i++) schedule[i] = 0;
    schedule[15] = 25 * 8;
    this.hash(into, at);
  }

  /** The seed of unit n is the first four words of the state. */
  private seed(n: number): void {
    const { schedule, seedKey, state } = this;
    for (let i = 0; i < 8; i++) schedule[i] = seedKey[i]!;
    schedule[8] = n;
    schedule[9] = PADDING << 24;
    for (let i = 10; i < 15; i++) schedule[i] = 0;
    schedule[15] = 36 * 8;
    expand(schedule);
    reset(state);
    compress(state, schedule);
  }

  private hash(into: Int32Array, at: number): void {
    const { schedule, state } = this;
    expand(schedule);
    reset(state);
    compress(state, schedule);
    for (let i = 0; i < 8; i++) into[at + i] = state[i]!;
  }

  /** Hash of the inner node over the two nodes in `level` from `left` on (sixteen words), into `into` from `at`. */
  private node(level: Int32Array, left: number, into: Int32Array, at: number): void {
    const { schedule, state } = this;
    schedule[0] = (1 << 24) | (level[left]! >>> 8);
    for (let i = 1; i < 16; i++) schedule[i] = (level[left + i - 1]! << 24) | (level[left + i]! >>> 8);
    expand(schedule);
    reset(state);
    compress(state, schedule);
    compress(state, this.lastByte, (level[left + 15]! & 0xff) * 64);
    for (let i = 0; i < 8; i++) into[at + i] = state[i]!;
  }

  /** Folds a level of `count` nodes into the level above, in place; a last one without a partner goes up as it is. */
  levelAbove(level: Int32Array, count: number): number {
    const pairs = count >>> 1;
    for (let i = 0; i < pairs; i++) this.node(level, i * 16, level, i * 8);
    if (count % 2 === 1) level.copyWithin(pairs * 8, (count - 1) * 8, count * 8);
    return pairs + (count % 2);
  }
}
