import type { Script } from '#mechanics';
import { oneIn, type Watched } from './leaks.ts';

/** What a Sudoku shows before the first roll, and a masked set of digits for each block (bit d - 1 for digit d). */
export interface SudokuView {
  readonly gainCents: number;
  readonly blocks: readonly (readonly number[])[];
  readonly masks: readonly number[];
  /** The three digits that hold the most blocks' masks, and which blocks. */
  readonly three: number;
  readonly within: readonly boolean[];
}

export function sudokuView(script: Script): SudokuView {
  const { gainCents, blocks, uncovered } = script as unknown as {
    gainCents: number;
    blocks: number[][];
    uncovered: number[][];
  };
  const masks = blocks.map((digits, block) => {
    let mask = 0;
    for (let cell = 0; cell < 9; cell++) if (uncovered[block]![cell] === 0) mask |= 1 << (digits[cell]! - 1);
    return mask;
  });
  return { gainCents, blocks, ...withThree(masks) };
}

const SIZES = Array.from({ length: 512 }, (_, set) => set.toString(2).replaceAll('0', '').length);
const THREES = [...SIZES.keys()].filter((set) => SIZES[set] === 3);
const PAIRS = [...SIZES.keys()].filter((set) => SIZES[set] === 2);

const masked = ({ masks }: SudokuView): number => {
  let count = 0;
  for (const mask of masks) count += SIZES[mask]!;
  return count;
};

function withThree(masks: readonly number[]): Pick<SudokuView, 'masks' | 'three' | 'within'> {
  let best = 0;
  let most = -1;
  for (const three of THREES) {
    let blocks = 0;
    for (const mask of masks) if ((mask & ~three) === 0) blocks++;
    if (blocks > most) {
      best = three;
      most = blocks;
    }
  }
  return { masks, three: best, within: masks.map((mask) => (mask & ~best) === 0) };
}

const withMasks = (view: SudokuView, masks: readonly number[]): SudokuView => ({ ...view, ...withThree(masks) });
const mostWithin = ({ within }: SudokuView): number => within.filter(Boolean).length;
const equalMasks = ({ masks }: SudokuView): number => 9 - new Set(masks).size;
const sizes = ({ masks }: SudokuView): string =>
  [2, 3, 4].map((size) => masks.filter((mask) => SIZES[mask] === size).length).join(' ');

/** The gain boxes of other winning units: alone they look right, with the rest of the view they do not. */
const gainsOfOthers = (views: readonly SudokuView[]): readonly SudokuView[] =>
  views.map((view, n) => ({ ...view, gainCents: views[(n + 1) % views.length]!.gainCents }));

const oneMoreMasked = (view: SudokuView): SudokuView => {
  const digit = [0, 1, 2, 3, 4, 5, 6, 7, 8].find((d) => ((view.masks[0]! >> d) & 1) === 0)!;
  return withMasks(view, view.masks.with(0, view.masks[0]! | (1 << digit)));
};

const oneMoreWithin = (view: SudokuView): SudokuView => {
  const outside = view.within.indexOf(false);
  if (outside < 0) return view;
  return withMasks(view, view.masks.with(outside, PAIRS.find((pair) => (pair & ~view.three) === 0)!));
};

const twoEqual = (view: SudokuView): SudokuView => withMasks(view, view.masks.with(8, view.masks[0]!));

const completableFirst = (view: SudokuView): SudokuView => {
  const place = view.within.indexOf(true);
  return withMasks(view, view.masks.with(0, view.masks[place]!).with(place, view.masks[0]!));
};

/** Where 1 is masked and 5 is not, 5 is masked instead. */
const fiveForOne = (view: SudokuView): SudokuView =>
  withMasks(
    view,
    view.masks.map((mask) => ((mask & 1) === 1 && (mask & 16) === 0 ? mask ^ 17 : mask)),
  );

/** A masked digit comes into the first cell of every block. */
const maskedFirst = (view: SudokuView): SudokuView => ({
  ...view,
  blocks: view.blocks.map((digits, block) => {
    const place = digits.findIndex((digit) => (view.masks[block]! >> (digit - 1)) & 1);
    return digits.with(0, digits[place]!).with(place, digits[0]!);
  }),
});

/** Nines come into the last cell of every block. */
const nineLast = (view: SudokuView): SudokuView => ({
  ...view,
  blocks: view.blocks.map((digits) => digits.with(digits.indexOf(9), digits[8]!).with(8, 9)),
});

/** The gain box shows half of what it would, as if the prize were in twice as many blocks. */
const smallerGain = (view: SudokuView): SudokuView => ({ ...view, gainCents: Math.ceil(view.gainCents / 50) * 25 });

export const SUDOKU: Readonly<Record<string, Watched<SudokuView>>> = {
  'the gain box': { feature: ({ gainCents }) => gainCents, plant: oneIn(10, smallerGain) },
  'number of masked cells': { feature: masked, plant: oneIn(5, oneMoreMasked) },
  'gain box and number of masked cells': {
    feature: (view) => `${view.gainCents} ${masked(view)}`,
    plant: oneIn(5, oneMoreMasked),
  },
  'gain box and most masks within any three digits': {
    feature: (view) => `${view.gainCents} ${mostWithin(view)}`,
    plant: oneIn(20, oneMoreWithin),
  },
  'gain box and most masks within any three digits, together only': {
    feature: (view) => `${view.gainCents} ${mostWithin(view)}`,
    plant: gainsOfOthers,
  },
  'gain box and blocks with equal masks': {
    feature: (view) => `${view.gainCents} ${equalMasks(view)}`,
    plant: oneIn(10, twoEqual),
  },
  'gain box, sizes of the masks and blocks with equal masks': {
    feature: (view) => `${view.gainCents} ${sizes(view)} ${equalMasks(view)}`,
    plant: oneIn(10, oneMoreMasked),
  },
  'the three digits that hold the most masks, and their blocks': {
    feature: (view) => `${view.three} ${mostWithin(view)}`,
    plant: oneIn(4, fiveForOne),
  },
  'the blocks whose masks lie within three digits': {
    feature: ({ within }) => within.join(),
    plant: oneIn(20, completableFirst),
  },
  'how often a digit is masked': {
    feature: ({ masks }, n) => `${n % 9} ${masks.filter((mask) => (mask >> (n % 9)) & 1).length}`,
    plant: oneIn(4, fiveForOne),
  },
  "a block's mask": {
    feature: ({ masks }, n) => (n % 9) * 512 + masks[n % 9]!,
    plant: oneIn(4, fiveForOne),
  },
  "a cell's digit, and whether it is masked": {
    feature: ({ blocks, masks }, n) => {
      const block = n % 9;
      const cell = Math.floor(n / 9) % 9;
      const digit = blocks[block]![cell]!;
      return `${block} ${cell} ${digit} ${(masks[block]! >> (digit - 1)) & 1}`;
    },
    plant: oneIn(2, maskedFirst),
  },
  'places of the masked cells in a block': {
    feature: ({ blocks, masks }, n) => blocks[n % 9]!.map((digit) => (masks[n % 9]! >> (digit - 1)) & 1).join(''),
    plant: oneIn(2, maskedFirst),
  },
  'place of a digit': {
    feature: ({ blocks }, n) => `${n % 9} ${blocks[Math.floor(n / 9) % 9]!.indexOf((n % 9) + 1)}`,
    plant: oneIn(4, nineLast),
  },
};
