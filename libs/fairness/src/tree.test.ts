import fc from 'fast-check';
import { leafHash, nodeHash, toHex } from '#fairness';
import { pathOf, rootOf, verifyPath } from './tree.ts';

const leaves = (count: number) => Array.from({ length: count }, (_, n) => leafHash(n, 0, new Uint8Array(16)));

/** RFC 9162 §2.1.1 word for word: split at the largest power of two below the number of leaves. */
function mth(nodes: readonly Uint8Array[]): Uint8Array {
  if (nodes.length === 1) return nodes[0]!;
  const k = splitOf(nodes.length);
  return nodeHash(mth(nodes.slice(0, k)), mth(nodes.slice(k)));
}

/** RFC 9162 §2.1.3.1 word for word. */
function path(m: number, nodes: readonly Uint8Array[]): Uint8Array[] {
  if (nodes.length === 1) return [];
  const k = splitOf(nodes.length);
  return m < k
    ? [...path(m, nodes.slice(0, k)), mth(nodes.slice(k))]
    : [...path(m - k, nodes.slice(k)), mth(nodes.slice(0, k))];
}

function splitOf(count: number): number {
  let k = 1;
  while (k * 2 < count) k *= 2;
  return k;
}

test('root and paths are those of the RFC for every size up to 40', () => {
  for (let size = 1; size <= 40; size++) {
    const tree = leaves(size);
    const root = rootOf(tree);
    expect(toHex(root)).toBe(toHex(mth(tree)));
    for (let n = 0; n < size; n++) {
      const steps = pathOf(tree, n);
      expect(steps).toEqual(path(n, tree));
      expect(verifyPath(tree[n]!, n, size, steps, root)).toBe(true);
    }
  }
});

test('a path verifies for its own leaf, index and size only', () => {
  const sizes = fc
    .integer({ min: 1, max: 40 })
    .chain((size) => fc.tuple(fc.constant(size), fc.nat(size - 1), fc.nat(60), fc.nat(60)));
  fc.assert(
    fc.property(sizes, ([size, n, otherIndex, otherSize]) => {
      const tree = leaves(size);
      const root = rootOf(tree);
      const steps = pathOf(tree, n);
      if (otherIndex !== n) expect(verifyPath(tree[n]!, otherIndex, size, steps, root)).toBe(false);
      if (steps.length > 0) expect(verifyPath(tree[n]!, n, size, steps.slice(1), root)).toBe(false);
      expect(verifyPath(tree[n]!, n, size, [...steps, root], root)).toBe(false);
      // Another size may share the shape of the path, but never fewer leaves than the index needs.
      if (otherSize <= n) expect(verifyPath(tree[n]!, n, otherSize, steps, root)).toBe(false);
    }),
  );
});

test('a path that ends below the root, or goes on above it, proves nothing whatever it arrives at', () => {
  for (const size of [2, 3, 7, 8]) {
    const tree = leaves(size);
    for (let n = 0; n < size; n++) {
      const steps = pathOf(tree, n);
      for (let kept = 0; kept < steps.length; kept++) {
        expect(
          verifyPath(tree[n]!, n, size, steps.slice(0, kept), arrivalOf(tree[n]!, n, size, steps.slice(0, kept))),
        ).toBe(false);
      }
      const root = rootOf(tree);
      const extra = tree[0]!;
      for (const above of [nodeHash(root, extra), nodeHash(extra, root)]) {
        expect(verifyPath(tree[n]!, n, size, [...steps, extra], above)).toBe(false);
      }
    }
  }
});

/** Where a path arrives by the rule of the RFC, without asking whether it has reached the top. */
function arrivalOf(leaf: Uint8Array, index: number, size: number, steps: readonly Uint8Array[]): Uint8Array {
  let at = index;
  let last = size - 1;
  let hash = leaf;
  for (const step of steps) {
    const fromLeft = at % 2 === 1 || at === last;
    hash = fromLeft ? nodeHash(step, hash) : nodeHash(hash, step);
    while (fromLeft && at % 2 === 0 && at !== 0) {
      at >>>= 1;
      last >>>= 1;
    }
    at >>>= 1;
    last >>>= 1;
  }
  return hash;
}

test('no tree has no leaves, and no leaf stands outside it', () => {
  expect(() => rootOf([])).toThrow(RangeError);
  expect(() => pathOf(leaves(3), 3)).toThrow(RangeError);
  expect(verifyPath(leaves(1)[0]!, 0.5, 1, [], leaves(1)[0]!)).toBe(false);
});
