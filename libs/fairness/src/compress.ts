/** SHA-256's constants (FIPS 180-4 §4.2.2 and §5.3.3): fractional parts of the roots of the first primes. */
export const ROUND_CONSTANTS = new Int32Array(64);
export const INITIAL = new Int32Array(8);

function primes(count: number): number[] {
  const found: number[] = [];
  for (let n = 2; found.length < count; n++) if (found.every((prime) => n % prime !== 0)) found.push(n);
  return found;
}

/** The first 32 bits of the fraction of n^(1/degree), exactly: the integer root of n shifted up by 32 bits a degree. */
function rootFraction(n: number, degree: 2 | 3): number {
  const power = BigInt(n) << BigInt(32 * degree);
  let low = 0n;
  let high = 1n << 40n;
  while (high - low > 1n) {
    const middle = (low + high) >> 1n;
    if (middle ** BigInt(degree) <= power) low = middle;
    else high = middle;
  }
  return Number(low & 0xffffffffn);
}

primes(64).forEach((prime, i) => {
  ROUND_CONSTANTS[i] = rootFraction(prime, 3);
  if (i < 8) INITIAL[i] = rootFraction(prime, 2);
});

/**
 * Fills words 16 to 63 of a message schedule whose words 0 to 15 hold one block, big-endian (FIPS 180-4 §6.2.2).
 * Written for messages of one or two blocks, where setting up a general hash costs more than the hashing.
 */
export function expand(schedule: Int32Array): void {
  for (let i = 16; i < 64; i++) {
    const x = schedule[i - 15]!;
    const y = schedule[i - 2]!;
    const s0 = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3);
    const s1 = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10);
    schedule[i] = (schedule[i - 16]! + schedule[i - 7]! + s0 + s1) | 0;
  }
}

export function reset(state: Int32Array): void {
  for (let i = 0; i < 8; i++) state[i] = INITIAL[i]!;
}

/** The 64 rounds of one block, added to the eight words of state. */
export function compress(state: Int32Array, schedule: Int32Array): void {
  let a = state[0]!;
  let b = state[1]!;
  let c = state[2]!;
  let d = state[3]!;
  let e = state[4]!;
  let f = state[5]!;
  let g = state[6]!;
  let h = state[7]!;
  for (let i = 0; i < 64; i++) {
    const s1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
    const t1 = (h + s1 + (g ^ (e & (f ^ g))) + ROUND_CONSTANTS[i]! + schedule[i]!) | 0;
    const s0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
    const t2 = (s0 + ((a & b) | (c & (a | b)))) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + t1) | 0;
    d = c;
    c = b;
    b = a;
    a = (t1 + t2) | 0;
  }
  state[0] = (state[0]! + a) | 0;
  state[1] = (state[1]! + b) | 0;
  state[2] = (state[2]! + c) | 0;
  state[3] = (state[3]! + d) | 0;
  state[4] = (state[4]! + e) | 0;
  state[5] = (state[5]! + f) | 0;
  state[6] = (state[6]! + g) | 0;
  state[7] = (state[7]! + h) | 0;
}

/** The first `count` big-endian words of these bytes. */
export function wordsOf(bytes: Uint8Array, count: number): Int32Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return Int32Array.from({ length: count }, (_, i) => view.getInt32(4 * i));
}

/** Words as bytes, big-endian. */
export function bytesOf(words: Int32Array): Uint8Array {
  const bytes = new Uint8Array(words.length * 4);
  const view = new DataView(bytes.buffer);
  words.forEach((word, i) => {
    view.setInt32(4 * i, word);
  });
  return bytes;
}
