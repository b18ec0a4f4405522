import { compress, expand, INITIAL, ROUND_CONSTANTS } from './compress.ts';
import {
  add,
  addIndex,
  and,
  type Code,
  constant,
  exportsOf,
  get,
  load,
  loadSplat,
  loopUntil,
  moduleOf,
  or,
  set,
  shiftLeft,
  shiftRight,
  store,
  xor,
} from './wasm.ts';

/** Messages hashed side by side. */
export const LANES = 4;

/** Words of one area for a block's schedule: 64, of which a message fills the first 16, four lanes each. */
const AREA_WORDS = 64 * LANES;
const AREAS = 4;
const STATE = AREAS * AREA_WORDS;
const START = STATE + 8 * LANES;
const CONSTANTS = START + 8 * LANES;
const MEMORY_WORDS = CONSTANTS + 64;

/**
 * SHA-256 of four messages at once. Word i of the block of lane l stands at `words[area * 256 + i * 4 + l]`; there are
 * four areas, so that the parts of a message which never change need writing once.
 */
export interface LaneHash {
  readonly words: Int32Array;
  /** Word i of the state of lane l at `state[i * 4 + l]`. */
  readonly state: Int32Array;
  /** Compresses the area's block, from SHA-256's initial state or going on from the present one. */
  compress(area: number, goingOn: boolean): void;
}

/** With vector instructions where the machine has them; else the same, lane after lane. */
export function laneHash(): LaneHash {
  return vectorLanes() ?? scalarLanes();
}

interface VectorProgram {
  readonly memory: { readonly buffer: ArrayBuffer };
  /** Addresses in bytes of the schedule and of the state to start from. */
  readonly compress: (area: number, from: number) => void;
}

/** Null where WebAssembly or its vector instructions are missing, or forbidden by a page's policy. */
export function vectorLanes(): LaneHash | null {
  const vector = vectorProgram();
  if (!vector) return null;
  const all = new Int32Array(vector.memory.buffer, 0, MEMORY_WORDS);
  all.set(ROUND_CONSTANTS, CONSTANTS);
  for (let i = 0; i < 8 * LANES; i++) all[START + i] = INITIAL[Math.floor(i / LANES)]!;
  return {
    words: all.subarray(0, STATE),
    state: all.subarray(STATE, START),
    compress: (area, goingOn) => vector.compress(area * AREA_WORDS * 4, (goingOn ? STATE : START) * 4),
  };
}

function vectorProgram(): VectorProgram | null {
  try {
    return exportsOf(moduleOf('compress', 2, 2, 10, program())) as VectorProgram;
  } catch {
    return null;
  }
}

/** The same one lane after the other, with the compression function in plain JavaScript. */
export function scalarLanes(): LaneHash {
  const words = new Int32Array(STATE);
  const state = new Int32Array(8 * LANES);
  const schedule = new Int32Array(64);
  const single = new Int32Array(8);
  const compressLane = (area: number, lane: number, goingOn: boolean) => {
    for (let i = 0; i < 16; i++) schedule[i] = words[area * AREA_WORDS + i * LANES + lane]!;
    for (let i = 0; i < 8; i++) single[i] = goingOn ? state[i * LANES + lane]! : INITIAL[i]!;
    expand(schedule);
    compress(single, schedule);
    for (let i = 0; i < 8; i++) state[i * LANES + lane] = single[i]!;
  };
  return {
    words,
    state,
    compress: (area, goingOn) => {
      for (let lane = 0; lane < LANES; lane++) compressLane(area, lane, goingOn);
    },
  };
}

// Parameters and locals of the vector program: addresses first, then the eight working variables and two more.
const AREA = 0;
const FROM = 1;
const WORD = 2;
const CONSTANT = 3;
const VARIABLES = [4, 5, 6, 7, 8, 9, 10, 11] as const;
const TEMPORARY = 12;
const OTHER = 13;
const ROW = 4 * LANES;

const rotated = (local: number, bits: number): Code => [
  ...get(local),
  ...constant(bits),
  ...shiftRight,
  ...get(local),
  ...constant(32 - bits),
  ...shiftLeft,
  ...or,
];
const shifted = (local: number, bits: number): Code => [...get(local), ...constant(bits), ...shiftRight];
const xorOf = (a: Code, b: Code, c: Code): Code => [...a, ...b, ...xor, ...c, ...xor];
const advance = (local: number, by: number): Code => [...get(local), ...constant(by), ...addIndex, ...set(local)];

/** FIPS 180-4 §6.2.2, four lanes wide: the schedule in memory, then eight rounds a turn, then the sums. */
function program(): Code {
  const loaded = VARIABLES.flatMap((local, i) => [...get(FROM), ...load(i * ROW), ...set(local)]);
  const summed = VARIABLES.flatMap((local, i) => [
    ...constant(0),
    ...get(local),
    ...get(FROM),
    ...load(i * ROW),
    ...add,
    ...store(STATE * 4 + i * ROW),
  ]);
  return [...expansion(), ...loaded, ...rounds(), ...summed];
}

/** WORD runs over the 48 rows that the rest of the schedule is made from. */
function expansion(): Code {
  const row = (i: number): Code => [...get(WORD), ...load(i * ROW)];
  const s0 = xorOf(rotated(TEMPORARY, 7), rotated(TEMPORARY, 18), shifted(TEMPORARY, 3));
  const s1 = xorOf(rotated(OTHER, 17), rotated(OTHER, 19), shifted(OTHER, 10));
  const body = [
    ...[...row(1), ...set(TEMPORARY), ...row(14), ...set(OTHER)],
    ...get(WORD),
    ...[...row(0), ...row(9), ...add, ...s0, ...add, ...s1, ...add],
    ...store(16 * ROW),
    ...advance(WORD, ROW),
    ...advance(CONSTANT, ROW),
  ];
  return [...get(AREA), ...set(WORD), ...constant(0), ...set(CONSTANT), ...loopUntil(CONSTANT, 48 * ROW, body)];
}

function rounds(): Code {
  const body: number[] = [];
  for (let i = 0; i < 8; i++) {
    const at = (variable: number) => VARIABLES[(variable + 8 - i) % 8]!;
    body.push(...round(i, at));
  }
  const turn = [...body, ...advance(WORD, 8 * ROW), ...advance(CONSTANT, 8 * 4)];
  const limit = (CONSTANTS + 64) * 4;
  return [
    ...get(AREA),
    ...set(WORD),
    ...constant(CONSTANTS * 4),
    ...set(CONSTANT),
    ...loopUntil(CONSTANT, limit, turn),
  ];
}

/** One round; instead of moving the eight variables along, the next round names them anew. */
function round(i: number, at: (variable: number) => number): Code {
  const [a, b, c, d, e, f, g, h] = [0, 1, 2, 3, 4, 5, 6, 7].map(at) as [
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const choice = [...get(g), ...get(e), ...get(f), ...get(g), ...xor, ...and, ...xor];
  const majority = [...get(a), ...get(b), ...and, ...get(c), ...get(a), ...get(b), ...or, ...and, ...or];
  return [
    ...[...get(h), ...xorOf(rotated(e, 6), rotated(e, 11), rotated(e, 25)), ...add, ...choice, ...add],
    ...[...get(CONSTANT), ...loadSplat(i * 4), ...add, ...get(WORD), ...load(i * ROW), ...add, ...set(TEMPORARY)],
    ...[...get(d), ...get(TEMPORARY), ...add, ...set(d)],
    ...[
      ...get(TEMPORARY),
      ...xorOf(rotated(a, 2), rotated(a, 13), rotated(a, 22)),
      ...add,
      ...majority,
      ...add,
      ...set(h),
    ],
  ];
}
