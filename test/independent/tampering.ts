import type { Script } from '#mechanics';

/** Numbers from a seed: the same seed gives the same scripts for ever. */
export type Random = (below: number) => number;

export function randomFrom(seed: number): Random {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below);
  };
}

type Json = null | boolean | number | string | Json[] | { [name: string]: Json };
type Place = { readonly of: Json[] | { [name: string]: Json }; readonly at: number | string };

/** What a forger may put in the place of anything. */
const VALUES: readonly Json[] = [
  ...[null, true, false, -1, 0, 1, 2, 9, 10, 13, 100, 1_000_000, Number.MAX_SAFE_INTEGER],
  ...['', 'clover', 'Clover', 'bird', 'scarab', 'cross', 'head', 'eye', 'snake', 'pink-stone', 'stone', '1', 'null'],
  ...[[], {}, [0], [1, 2], ['clover', 'clover'], ['clover', 4], [6, 6], [[]], { mechanic: 'sudoku/1' }],
  ...['sudoku/1', 'pharaon/1', 'match/1', 'sudoku/2'],
];
const NAMES = ['mechanic', 'gainCents', 'blocks', 'bricks', 'amounts', 'rolls', 'bonusCents', 'extra', '__proto__'];

/** A rendered script with one to four of its fields changed; many are valid still, and show another prize or the same. */
export function tamper(script: Script, random: Random): string {
  const copy = copied(script as Json) as { [name: string]: Json };
  for (let changes = 1 + random(4); changes > 0; changes--) change(copy, random);
  const text = JSON.stringify(copy);
  return random(20) === 0 ? tamperText(text, random) : text;
}

function copied(value: Json): Json {
  return JSON.parse(JSON.stringify(value));
}

function change(script: { [name: string]: Json }, random: Random): void {
  const places = placesOf(script);
  const place = places[random(places.length)];
  if (place === undefined) return;
  const { of, at } = place;
  const held = (of as Record<string, Json>)[at] as Json;
  switch (random(8)) {
    case 0:
      put(of, at, copied(VALUES[random(VALUES.length)] as Json));
      break;
    case 1:
      if (Array.isArray(of)) of.splice(Number(at), 1);
      else delete of[at];
      break;
    case 2:
      if (Array.isArray(of)) of.splice(Number(at), 0, copied(held));
      else put(of, NAMES[random(NAMES.length)] as string, copied(held));
      break;
    case 3:
      if (typeof held === 'number') put(of, at, held + (random(2) === 0 ? 1 : -1));
      break;
    case 4:
      if (held === 0 || held === 1) put(of, at, 1 - held);
      break;
    default:
      if (Array.isArray(of)) swap(of, Number(at), random(of.length));
  }
}

/** As a member of its own, also where the name is that of the prototype. */
function put(of: Place['of'], at: number | string, value: Json): void {
  Object.defineProperty(of, at, { value, enumerable: true, writable: true, configurable: true });
}

function swap(items: Json[], one: number, other: number): void {
  const held = items[one] as Json;
  items[one] = items[other] as Json;
  items[other] = held;
}

function placesOf(value: Json): Place[] {
  if (typeof value !== 'object' || value === null) return [];
  const inside = Array.isArray(value) ? [...value.keys()] : Object.keys(value);
  return inside.flatMap((at) => [{ of: value, at }, ...placesOf((value as Record<string, Json>)[at] as Json)]);
}

/** The same text as another reader might take it: what strict JSON is there to refuse. */
function tamperText(text: string, random: Random): string {
  const at = random(text.length + 1);
  const [before, after] = [text.slice(0, at), text.slice(at)];
  const first = /\d+/.exec(after)?.[0] ?? '1';
  const told = (number: string) => before + after.replace(first, number);
  const edits = [
    () => before,
    () => `${text}${['}', ',', ' 1', '//', '\u0000', '{}'][random(6)]}`,
    () => `\ufeff${text}`,
    () => ` \n\t${text}\r\n `,
    () => `\u00a0${text}`,
    () => told(`${first}.0`),
    () => told(`${first}e0`),
    () => told(`0${first}`),
    () => told(`-${first}`),
    () => told('-0'),
    () => told('9007199254740993'),
    () => told('1'.repeat(400)),
    () => told('NaN'),
    () => text.replace('{', '{"mechanic":"sudoku/1",'),
    () => text.replace('{', '{"mech\\u0061nic":"sudoku/1",'),
    () => text.replace('"mechanic"', '"mech\\u0061nic"'),
    () => text.replace('"mechanic"', "'mechanic'"),
    () => text.replace('{', '{"__proto__":{"mechanic":"sudoku/1"},'),
    () => text.replace('{', '{"constructor":null,'),
    () => text.replace('/1"', '/1\\ud800"'),
    () => text.replace('/1"', '\\/1"'),
    () => text.replace('/1"', '/1\t"'),
    () => `${before},${after}`,
  ];
  return (edits[random(edits.length)] as () => string)();
}

const rolls = (...faces: Json[][]) => faces;
const row = (from: number) => Array.from({ length: 9 }, (_, n) => ((from + n) % 9) + 1);
const sudoku = (changes: { [name: string]: Json } = {}): Json => ({
  mechanic: 'sudoku/1',
  gainCents: 100,
  blocks: Array.from({ length: 9 }, (_, n) => row(n)),
  uncovered: Array.from({ length: 9 }, () => [0, 0, 0, 1, 1, 1, 1, 1, 1]),
  rolls: rolls([1, 1], [1, 2], [1, 3]),
  ...changes,
});
const wall = (...found: string[]): Json => [...found, ...Array.from({ length: 31 - found.length }, () => null)];
const pharaon = (found: string[], bonusCents: Json = null): Json => ({
  mechanic: 'pharaon/1',
  bricks: wall(...found),
  bonusCents,
});
const times = (symbol: string, count: number) => Array.from({ length: count }, () => symbol);

/** Scripts that a forger would try first, at 1 EUR, each with its name; as text, since some are no JSON at all. */
export const HOSTILE: readonly (readonly [string, string])[] = [
  ...Object.entries({
    'two clovers': sudoku({ rolls: rolls(['clover', 'clover'], [1, 1], [1, 2], [1, 3], [1, 4]) }),
    'two clovers that grant nothing': sudoku({ rolls: rolls(['clover', 'clover'], [1, 1], [1, 2]) }),
    'a sum of 10': sudoku({ rolls: rolls([4, 6], [1, 1], [1, 2]) }),
    'a roll missing': sudoku({ rolls: rolls([1, 1], [1, 2]) }),
    'no roll': sudoku({ rolls: [] }),
    'a roll too many': sudoku({ rolls: rolls([1, 1], [1, 2], [1, 3], [1, 4]) }),
    'a clover that grants nothing': sudoku({ rolls: rolls(['clover', 1], [1, 1], [1, 2]) }),
    'a clover in the last roll': sudoku({ rolls: rolls([1, 1], [1, 2], ['clover', 3]) }),
    'seven clovers': sudoku({ rolls: [...Array.from({ length: 7 }, () => ['clover', 1]), [1, 1], [1, 2], [1, 3]] }),
    'six clovers': sudoku({ rolls: [...Array.from({ length: 6 }, () => ['clover', 1]), [1, 1], [1, 2], [1, 3]] }),
    'three faces': sudoku({ rolls: rolls([1, 1, 1], [1, 2], [1, 3]) }),
    'a face of 7': sudoku({ rolls: rolls([1, 7], [1, 2], [1, 3]) }),
    'ten digits': sudoku({ blocks: Array.from({ length: 9 }, () => [...row(0), 1]) }),
    'ten blocks': sudoku({ blocks: Array.from({ length: 10 }, (_, n) => row(n)) }),
    'a digit twice': sudoku({ blocks: Array.from({ length: 9 }, () => [1, 1, 2, 3, 4, 5, 6, 7, 8]) }),
    'a block without a mask': sudoku({ uncovered: Array.from({ length: 9 }, () => [1, 1, 1, 1, 1, 1, 1, 1, 1]) }),
    'one block without a mask': sudoku({
      uncovered: Array.from({ length: 9 }, (_, n) => (n === 4 ? Array(9).fill(1) : [0, 0, 0, 1, 1, 1, 0, 0, 0])),
    }),
    'half uncovered': sudoku({ uncovered: Array.from({ length: 9 }, () => [0, 2, 0, 1, 1, 1, 1, 1, 1]) }),
    'no gain': sudoku({ gainCents: 0 }),
    'less than no gain': sudoku({ gainCents: -100 }),
    'an amount that is not in the table': sudoku({
      gainCents: 101,
      uncovered: Array.from({ length: 9 }, () => [1, 0, 1, 1, 1, 1, 1, 1, 1]),
    }),
    'a losing wall': pharaon(['bird', 'head', 'head', 'eye', 'snake', 'snake', 'pink-stone']),
    'four of a symbol': pharaon(times('bird', 4)),
    'four snakes': pharaon(times('snake', 4)),
    'three birds': pharaon(times('bird', 3)),
    'two birds': pharaon(times('bird', 2)),
    'two combinations': pharaon([...times('cross', 2), ...times('scarab', 2)]),
    'a combination and the bonus game': pharaon([...times('cross', 2), ...times('snake', 3)], 100),
    'the bonus game': pharaon(times('snake', 3), 100),
    'the bonus game without an amount': pharaon(times('snake', 3)),
    'a bonus without its game': pharaon(['snake'], 100),
    'a bonus that is not in the table': pharaon(times('snake', 3), 101),
    'four stones': pharaon(['pink-stone', 'pink-stone', 'green-stone', 'blue-stone']),
    'three stones': pharaon(['pink-stone', 'green-stone', 'blue-stone']),
    'an unknown symbol': pharaon(['phoenix']),
    'a symbol in a list': {
      mechanic: 'pharaon/1',
      bricks: [['bird'], ...(wall() as Json[]).slice(1)],
      bonusCents: null,
    },
    'a brick too few': { mechanic: 'pharaon/1', bricks: (wall() as Json[]).slice(1), bonusCents: null },
    'half a million bricks': {
      mechanic: 'pharaon/1',
      bricks: Array.from({ length: 500_000 }, () => null),
      bonusCents: null,
    },
    'a name of a megabyte': { ['x'.repeat(1_000_000)]: 1 },
    'an inherited member': { mechanic: 'pharaon/1', bricks: wall(), toString: null },
  }).map(([name, script]) => [name, JSON.stringify(script)] as const),
  ['nothing', ''],
  ['null', 'null'],
  ['a list', '[]'],
  ['a word', '"sudoku/1"'],
  ['a million brackets', '['.repeat(1_000_000)],
  ['a thousand levels', `${'{"a":'.repeat(1_000)}1${'}'.repeat(1_000)}`],
  ['sixty-five levels', `${'['.repeat(65)}${']'.repeat(65)}`],
  ['a prototype', '{"__proto__":{"mechanic":"pharaon/1","bonusCents":null},"bricks":[]}'],
  ['a doubled member', JSON.stringify(pharaon([])).replace('{', '{"bonusCents":100,')],
  ['a large number', JSON.stringify(pharaon(times('snake', 3), 1)).replace(':1', `:${'9'.repeat(5_000)}`)],
  ['a fraction', JSON.stringify(pharaon(times('snake', 3), 100)).replace(':100', ':100.0')],
  ['an exponent', JSON.stringify(pharaon(times('snake', 3), 100)).replace(':100', ':1e2')],
  ['minus zero for a mask', JSON.stringify(sudoku()).replace('[0,', '[-0,')],
  ['minus zero', JSON.stringify(pharaon([])).replace('null}', '-0}')],
];
