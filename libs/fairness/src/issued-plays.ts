import { DIGEST_DIGITS, type Disclosure } from './disclosure.ts';

/** A double holds 52 bits of a digest exactly, so that a million of them can be sorted as numbers. */
const PREFIX_DIGITS = 13;

/** How many plays got a unit. */
export function issuedCount({ issued }: Disclosure): number {
  return issued.length / DIGEST_DIGITS;
}

/** The digest of the play that sale number `sequence` (below `issuedCount`) sold to, hex. */
export function issuedPlay({ issued }: Disclosure, sequence: number): string {
  return issued.slice(sequence * DIGEST_DIGITS, (sequence + 1) * DIGEST_DIGITS);
}

/** A play digest that stands twice among a disclosure's sales and refusals, or null. No object is made for each sale. */
export function doubledPlay(disclosure: Disclosure): string | null {
  const prefixes = prefixesOf(disclosure).sort();
  const suspects = new Set<number>();
  for (let i = 1; i < prefixes.length; i++) {
    if (prefixes[i] === prefixes[i - 1]) suspects.add(prefixes[i]!);
  }
  return suspects.size === 0 ? null : doubledAmong(disclosure, suspects);
}

function prefixesOf(disclosure: Disclosure): Float64Array {
  const sales = issuedCount(disclosure);
  const prefixes = new Float64Array(sales + disclosure.refusals.length);
  for (let i = 0; i < sales; i++) {
    const at = i * DIGEST_DIGITS;
    prefixes[i] = Number.parseInt(disclosure.issued.slice(at, at + PREFIX_DIGITS), 16);
  }
  disclosure.refusals.forEach(({ play }, i) => {
    prefixes[sales + i] = prefixOf(play);
  });
  return prefixes;
}

function prefixOf(play: string): number {
  return Number.parseInt(play.slice(0, PREFIX_DIGITS), 16);
}

/** Different plays may share a prefix, by chance or by intent: only whole digests decide. */
function doubledAmong(disclosure: Disclosure, suspects: ReadonlySet<number>): string | null {
  const seen = new Set<string>();
  for (const play of playsOf(disclosure)) {
    if (!suspects.has(prefixOf(play))) continue;
    if (seen.has(play)) return play;
    seen.add(play);
  }
  return null;
}

function* playsOf(disclosure: Disclosure): Generator<string> {
  const sales = issuedCount(disclosure);
  for (let i = 0; i < sales; i++) yield issuedPlay(disclosure, i);
  for (const { play } of disclosure.refusals) yield play;
}
