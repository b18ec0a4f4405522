import type { Script } from '#mechanics';
import type { GameRegulation } from '#regulation';
import { oneIn, type Watched } from './leaks.ts';
import { SECRET } from './units.ts';

const SYMBOLS = ['bird', 'scarab', 'cross', 'head', 'eye', 'snake'] as const;
type Combination = { readonly symbol: string; readonly count: number };

/** A wall whose deciding bricks are emptied, and what they held; null for a losing one. */
export interface PharaonView {
  readonly bricks: readonly (string | null)[];
  readonly decidedBy: string | null;
}

/** Views at one stake. Which of equal symbols decided is not to be seen: those to be emptied are drawn evenly. */
export function pharaonViews(regulation: GameRegulation, stakeCents: number): (script: Script) => PharaonView {
  const { parameters } = regulation.stakes.find((stake) => stake.stakeCents === stakeCents)!;
  const combinations: Combination[] = [
    ...(parameters['combinations'] as unknown as Combination[]),
    { symbol: 'snake', count: 3 },
  ];
  const pays = new Map<string, number>();
  for (const { symbol, count } of combinations) pays.set(symbol, Math.min(count, pays.get(symbol) ?? count));
  const below = randomFrom(Number.parseInt(SECRET.slice(0, 8), 16));
  return (script) => {
    const bricks = [...(script['bricks'] as readonly (string | null)[])];
    let decidedBy: string | null = null;
    for (const [symbol, least] of pays) {
      const places = placesOf(bricks, symbol);
      while (places.length >= least) {
        bricks[places.splice(below(places.length), 1)[0]!] = null;
        decidedBy = symbol;
      }
    }
    return { bricks, decidedBy };
  };
}

/** mulberry32: the test draws from another source than what it tests. */
function randomFrom(seed: number): (n: number) => number {
  let state = seed;
  return (n) => {
    state = (state + 0x6d2b79f5) | 0;
    let word = Math.imul(state ^ (state >>> 15), 1 | state);
    word = (word + Math.imul(word ^ (word >>> 7), 61 | word)) ^ word;
    return Math.floor((((word ^ (word >>> 14)) >>> 0) / 2 ** 32) * n);
  };
}

function placesOf(bricks: readonly (string | null)[], symbol: string): number[] {
  const places: number[] = [];
  for (let place = 0; place < bricks.length; place++) if (bricks[place] === symbol) places.push(place);
  return places;
}

const isStone = (brick: string | null) => brick?.endsWith('-stone') ?? false;
const isSymbol = (brick: string | null) => brick !== null && !isStone(brick);
const symbolsIn = ({ bricks }: PharaonView) => bricks.filter(isSymbol);
const stonesIn = ({ bricks }: PharaonView) => bricks.filter(isStone);
const kinds = ({ bricks }: PharaonView) => bricks.filter(isSymbol).toSorted().join(' ');

function swapped(view: PharaonView, a: number, b: number): PharaonView {
  if (a < 0 || b < 0) return view;
  return { ...view, bricks: view.bricks.with(a, view.bricks[b]!).with(b, view.bricks[a]!) };
}

function filled(view: PharaonView, brick: string): PharaonView {
  return { ...view, bricks: view.bricks.with(view.bricks.indexOf(null), brick) };
}

/** What the combination is made of lies before every other symbol. */
const combinationFirst = (view: PharaonView) =>
  swapped(view, view.bricks.findIndex(isSymbol), view.bricks.indexOf(view.decidedBy));

const oneMoreSymbol = (view: PharaonView) => (placesOf(view.bricks, 'eye').length < 2 ? filled(view, 'eye') : view);
const oneMoreStone = (view: PharaonView) => (stonesIn(view).length < 3 ? filled(view, 'pink-stone') : view);

const noStonesAmongMany = (view: PharaonView): PharaonView =>
  symbolsIn(view).length < 6 ? view : { ...view, bricks: view.bricks.map((brick) => (isStone(brick) ? null : brick)) };

/** Two equal symbols come to lie side by side. */
const sideBySide = (view: PharaonView): PharaonView => {
  const [first, second] = twins(view);
  return second === undefined ? view : swapped(view, first! + 1, second);
};

/** The places of the first symbol that stands there twice. */
function twins({ bricks }: PharaonView): number[] {
  return SYMBOLS.map((symbol) => placesOf(bricks, symbol)).find((places) => places.length === 2) ?? [];
}

const placeOfFirst = (symbol: string): Watched<PharaonView> => ({
  feature: ({ bricks }) => bricks.indexOf(symbol),
  plant: oneIn(10, (view) => swapped(view, 0, view.bricks.indexOf(symbol))),
});

export const PHARAON: Readonly<Record<string, Watched<PharaonView>>> = {
  'order of the first three symbols': {
    feature: (view) => symbolsIn(view).slice(0, 3).join(' '),
    plant: oneIn(10, combinationFirst),
  },
  'order of the last two symbols': {
    feature: (view) => symbolsIn(view).slice(-2).join(' '),
    plant: oneIn(10, (view) =>
      swapped(view, view.bricks.findLastIndex(isSymbol), view.bricks.lastIndexOf(view.decidedBy)),
    ),
  },
  ...Object.fromEntries(SYMBOLS.map((symbol) => [`place of the first ${symbol}`, placeOfFirst(symbol)])),
  'number and kinds of symbols': { feature: kinds, plant: oneIn(10, oneMoreSymbol) },
  'number of symbols': { feature: (view) => symbolsIn(view).length, plant: oneIn(10, oneMoreSymbol) },
  'number and kinds of stones': {
    feature: (view) => stonesIn(view).toSorted().join(' '),
    plant: oneIn(10, oneMoreStone),
  },
  'stones in their order, and where the first lies': {
    feature: (view) => `${stonesIn(view).join(' ')} ${view.bricks.findIndex(isStone)}`,
    plant: oneIn(5, (view) => swapped(view, 0, view.bricks.findIndex(isStone))),
  },
  'number of symbols and of stones': {
    feature: (view) => `${symbolsIn(view).length} ${stonesIn(view).length}`,
    plant: oneIn(10, noStonesAmongMany),
  },
  'what lies in a brick': {
    feature: ({ bricks }, n) => `${n % bricks.length} ${bricks[n % bricks.length]}`,
    plant: oneIn(2, (view) => swapped(view, 0, view.bricks.findLastIndex(isSymbol))),
  },
  'distance of two equal symbols': {
    feature: (view) => twins(view).reduce((first, second) => second - first, 0),
    plant: oneIn(10, sideBySide),
  },
};
