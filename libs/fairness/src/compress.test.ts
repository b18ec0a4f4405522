import { sha256 } from '@noble/hashes/sha2.js';
import fc from 'fast-check';
import { blockKeys, leafHash, nodeHash, seedOf } from '#fairness';
import { bytesOf, compress, expand, reset, wordsOf } from './compress.ts';
import { scalarLanes, vectorLanes } from './lanes.ts';
import { UnitHashes } from './unit-hashes.ts';

const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length });

/** SHA-256 of any message over the compression function: padding as FIPS 180-4 §5.1.1 says. */
function hash(message: Uint8Array): Uint8Array {
  const padded = new Uint8Array(Math.ceil((message.length + 9) / 64) * 64);
  padded.set(message);
  padded[message.length] = 0x80;
  new DataView(padded.buffer).setUint32(padded.length - 4, message.length * 8);
  const state = new Int32Array(8);
  const schedule = new Int32Array(64);
  reset(state);
  for (let at = 0; at < padded.length; at += 64) {
    schedule.set(wordsOf(padded.subarray(at, at + 64), 16));
    expand(schedule);
    compress(state, schedule);
  }
  return bytesOf(state);
}

test('the compression function hashes any message as @noble/hashes does', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (message) => {
      expect(hash(message)).toEqual(sha256(message));
    }),
    { numRuns: 300 },
  );
});

test('this machine hashes with vector instructions', () => {
  expect(vectorLanes()).not.toBeNull();
});

describe.each([
  ['vector', () => vectorLanes()!],
  ['scalar', scalarLanes],
])('with %s lanes', (_, lanes) => {
  test('four messages of one or two blocks side by side are hashed as by themselves', () => {
    const hashes = lanes();
    const four = fc.tuple(
      fc.nat(3),
      fc.array(bytes(64), { minLength: 4, maxLength: 4 }),
      fc.array(bytes(64), { minLength: 4, maxLength: 4 }),
    );
    fc.assert(
      fc.property(four, ([area, first, second]) => {
        for (const [blocks, goingOn] of [
          [first, false],
          [second, true],
        ] as const) {
          blocks.forEach((block, lane) => {
            wordsOf(block, 16).forEach((word, i) => {
              hashes.words[area * 256 + i * 4 + lane] = word;
            });
          });
          hashes.compress(area, goingOn);
        }
        for (let lane = 0; lane < 4; lane++) {
          const state = new Int32Array(8);
          reset(state);
          for (const block of [first[lane]!, second[lane]!]) {
            const schedule = new Int32Array(64);
            schedule.set(wordsOf(block, 16));
            expand(schedule);
            compress(state, schedule);
          }
          expect(Array.from({ length: 8 }, (_, i) => hashes.state[i * 4 + lane])).toEqual([...state]);
        }
      }),
    );
  });

  test('leaves made in place are the leaves of the format, and nothing beside them is touched', () => {
    const u32 = fc.integer({ min: 0, max: 2 ** 32 - 1 });
    const prizes = fc.array(u32, { minLength: 1, maxLength: 11 });
    fc.assert(
      fc.property(bytes(32), fc.integer({ min: 0, max: 2 ** 32 - 16 }), prizes, (seedKey, n, amounts) => {
        const into = new Int32Array(amounts.length * 8 + 8).fill(7);
        new UnitHashes(seedKey, lanes()).leaves(n, amounts.length, (unit) => amounts[unit - n]!, into);
        amounts.forEach((amount, i) => {
          const leaf = bytesOf(into.subarray(8 * i, 8 * i + 8));
          expect(leaf).toEqual(leafHash(n + i, amount, seedOf(seedKey, n + i)));
        });
        expect([...into.subarray(amounts.length * 8)]).toEqual(new Array(8).fill(7));
      }),
    );
  });

  test('a level folded in place is the level above', () => {
    const hashes = new UnitHashes(new Uint8Array(32), lanes());
    fc.assert(
      fc.property(fc.array(bytes(32), { minLength: 1, maxLength: 21 }), (nodes) => {
        const level = Int32Array.from(nodes.flatMap((node) => [...wordsOf(node, 8)]));
        const count = hashes.levelAbove(level, nodes.length);
        const above = Array.from({ length: count }, (_, i) => bytesOf(level.subarray(8 * i, 8 * i + 8)));
        const expected: Uint8Array[] = [];
        for (let i = 0; i < nodes.length; i += 2) {
          expected.push(nodes[i + 1] ? nodeHash(nodes[i]!, nodes[i + 1]!) : nodes[i]!);
        }
        expect(above).toEqual(expected);
      }),
    );
  });
});

test('another id gives another pair of keys, and a secret of another length is refused', () => {
  const secret = new Uint8Array(32).fill(1);
  const a = blockKeys(secret, '0197f3c0-1234-7abc-8def-0123456789ab');
  const b = blockKeys(secret, '0197f3c0-1234-7abc-8def-0123456789ac');
  expect(a.seedKey).not.toEqual(b.seedKey);
  expect(a.shuffleKey).not.toEqual(b.shuffleKey);
  expect(() => blockKeys(secret.subarray(1), '0197f3c0-1234-7abc-8def-0123456789ab')).toThrow(/32 bytes, not 31/);
  expect(() => blockKeys(secret, '0197F3C0-1234-7abc-8def-0123456789ab')).toThrow(/UUID/);
});
