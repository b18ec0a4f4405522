/** How far counts lie from where they should, and how surprising that is. */
export interface Comparison {
  readonly chiSquare: number;
  readonly degrees: number;
  /** In standard deviations of a normal variable (Wilson and Hilferty's cube root). */
  readonly deviations: number;
}

/** Exceeded by chance about once in a million: the upper tail of a normal variable at 4.75 is 1.0e-6. */
export const ONE_IN_A_MILLION = 4.75;

/** Fewer expected than this and a category is counted together with the other rare ones. */
const LEAST_EXPECTED = 5;

/** Counts against what is expected of each category; what is not expected at all must not occur. */
export function fit(observed: ReadonlyMap<unknown, number>, shares: ReadonlyMap<unknown, number>): Comparison {
  const strange = Array.from(observed.keys()).find((category) => !shares.has(category));
  if (strange !== undefined) return { chiSquare: Infinity, degrees: 1, deviations: Infinity };
  const total = sum(observed.values());
  const all = sum(shares.values());
  const pairs = [...shares].map(([category, share]) => [observed.get(category) ?? 0, (share / all) * total] as const);
  const pooled = pool(pairs, ([, expected]) => expected);
  return comparison(pooled.map(([count, expected]) => (count - expected) ** 2 / expected));
}

/** Two samples against each other: were they drawn from one distribution? */
export function compare(one: ReadonlyMap<unknown, number>, other: ReadonlyMap<unknown, number>): Comparison {
  const ofOne = sum(one.values());
  const ofOther = sum(other.values());
  const categories = new Set([...one.keys(), ...other.keys()]);
  const pairs = Array.from(categories, (category) => [one.get(category) ?? 0, other.get(category) ?? 0] as const);
  const smaller = Math.min(ofOne, ofOther) / (ofOne + ofOther);
  const pooled = pool(pairs, ([a, b]) => (a + b) * smaller);
  const ratio = Math.sqrt(ofOther / ofOne);
  return comparison(pooled.map(([a, b]) => (a * ratio - b / ratio) ** 2 / (a + b)));
}

/** How often each category occurs. */
export function tally<Item>(
  items: Iterable<Item>,
  categoryOf: (item: Item, n: number) => unknown,
): Map<unknown, number> {
  const counts = new Map<unknown, number>();
  let n = 0;
  for (const item of items) {
    const category = categoryOf(item, n++);
    counts.set(category, (counts.get(category) ?? 0) + 1);
  }
  return counts;
}

/** All these categories alike. */
export function evenly(categories: Iterable<unknown>): Map<unknown, number> {
  return new Map(Array.from(categories, (category) => [category, 1]));
}

function pool(pairs: (readonly [number, number])[], expectedOf: (pair: readonly [number, number]) => number) {
  const kept = pairs.filter((pair) => expectedOf(pair) >= LEAST_EXPECTED);
  const rare = pairs.filter((pair) => expectedOf(pair) < LEAST_EXPECTED);
  const rest = [sum(rare.map(([a]) => a)), sum(rare.map(([, b]) => b))] as const;
  return expectedOf(rest) >= LEAST_EXPECTED ? [...kept, rest] : kept;
}

function comparison(terms: readonly number[]): Comparison {
  const degrees = terms.length - 1;
  if (degrees < 1) throw new RangeError('one category compares nothing');
  const chiSquare = sum(terms);
  const spread = 2 / (9 * degrees);
  return { chiSquare, degrees, deviations: (Math.cbrt(chiSquare / degrees) - (1 - spread)) / Math.sqrt(spread) };
}

function sum(numbers: Iterable<number>): number {
  let total = 0;
  for (const number of numbers) total += number;
  return total;
}
