import type { Cents } from '#money';
import type { Mechanic } from '../mechanic.ts';
import { type Pharaon1Stake, pharaon1Regulation, pharaon1Stake, STONES, SYMBOLS } from '../parameters/pharaon-1.ts';
import { type Draws, SeededDraws } from './draws.ts';
import { prizeDraw } from './prize-draw.ts';

type Brick = (typeof SYMBOLS)[number] | (typeof STONES)[number] | null;

const SNAKE = SYMBOLS.indexOf('snake');
const MOST_OF_A_SYMBOL = 3;
const FURTHER = { least: 3, most: 6 } as const;

/** So many of a symbol (by its place in SYMBOLS) that show a prize. */
interface Shown {
  readonly symbol: number;
  readonly count: number;
}

/** What shows a row's prize: three snakes for so many of a thousand units, else one of its combinations. */
interface ShownBy {
  readonly bonusPerMille: number;
  readonly combinations: readonly Shown[];
}

const BONUS_GAME: Shown = { symbol: SNAKE, count: 3 };

/**
 * pharaon/1 as docs/mechanics.md draws it: a losing wall for every unit, and for a winning one what is missing of its
 * combination in place of empty bricks. A RangeError for a prize that is not of the stake's table.
 */
export const pharaon1Renderer: Mechanic['renderer'] = (regulation, stake) => {
  const parameters = pharaon1Stake.parse(stake.parameters);
  const { stones } = pharaon1Regulation.parse(regulation.parameters);
  const shownBy = stake.rows.map(({ prizeCents }) => shownByOf(parameters, prizeCents));
  const room = SYMBOLS.map((_, symbol) => smallestThatPays(parameters, symbol) - 1);
  const drawRow = prizeDraw(stake.rows);
  const draws = new SeededDraws();
  return (prizeCents, seed) => {
    draws.start(seed);
    const shown = drawShown(draws, shownBy[drawRow(prizeCents, draws)]!);
    const losing = [...drawSymbols(draws, room, shown.symbol), ...drawStones(draws, stones)];
    const missing = prizeCents === 0 ? 0 : shown.count - room[shown.symbol]!;
    const bricks = scatter(draws, losing, SYMBOLS[shown.symbol]!, missing, parameters.bricks);
    const byBonusGame = prizeCents !== 0 && shown === BONUS_GAME;
    return { bonusCents: byBonusGame ? prizeCents : null, bricks, mechanic: 'pharaon/1' };
  };
};

function shownByOf({ combinations, bonusPerMille }: Pharaon1Stake, prizeCents: Cents): ShownBy {
  const paying = combinations
    .filter((combination) => combination.prizeCents === prizeCents)
    .map(({ symbol, count }) => ({ symbol: SYMBOLS.indexOf(symbol), count }));
  const share = bonusPerMille.find((entry) => entry.prizeCents === prizeCents)?.perMille;
  if (share === undefined) throw new RangeError(`no share of the bonus game is given for ${prizeCents} cents`);
  if (share < 1000 && paying.length === 0) throw new RangeError(`no combination pays ${prizeCents} cents`);
  return { bonusPerMille: share, combinations: paying };
}

/** One more than may ever stand in a wall for a symbol that pays nothing. */
function smallestThatPays({ combinations }: Pharaon1Stake, symbol: number): number {
  if (symbol === SNAKE) return BONUS_GAME.count;
  const counts = combinations.filter((one) => one.symbol === SYMBOLS[symbol]).map(({ count }) => count);
  return Math.min(MOST_OF_A_SYMBOL + 1, ...counts);
}

function drawShown(draws: Draws, { bonusPerMille, combinations }: ShownBy): Shown {
  if (draws.below(1000) < bonusPerMille) return BONUS_GAME;
  return combinations.length === 1 ? combinations[0]! : combinations[draws.below(combinations.length)]!;
}

/** As many of one symbol as pay nothing, then three to six more one by one, as far as symbols are left that complete nothing. */
function drawSymbols(draws: Draws, room: readonly number[], base: number): Brick[] {
  const left = [...room];
  const drawn = new Array<Brick>(left[base]!).fill(SYMBOLS[base]!);
  left[base] = 0;
  const free = [0, 1, 2, 3, 4, 5].filter((symbol) => left[symbol]! > 0);
  let further = FURTHER.least + draws.below(FURTHER.most - FURTHER.least + 1);
  for (; further > 0 && free.length > 0; further--) {
    const place = draws.below(free.length);
    const symbol = free[place]!;
    drawn.push(SYMBOLS[symbol]!);
    if (--left[symbol]! === 0) free.splice(place, 1);
  }
  return drawn;
}

/** PHA-4.5. */
function drawStones(draws: Draws, { least, most }: { readonly least: number; readonly most: number }): Brick[] {
  const count = least + draws.below(most - least + 1);
  const drawn: Brick[] = [];
  while (drawn.length < count) drawn.push(STONES[draws.below(STONES.length)]!);
  return drawn;
}

/** An even order of all bricks. What is missing comes last, so that the rest of the wall lies as if it lost. */
function scatter(draws: Draws, losing: readonly Brick[], symbol: Brick, missing: number, bricks: number): Brick[] {
  const wall = new Array<Brick>(bricks).fill(null);
  const places = new Uint8Array(bricks);
  for (let place = 0; place < bricks; place++) places[place] = place;
  for (let i = 0; i < losing.length + missing; i++) {
    const other = i + draws.below(bricks - i);
    const place = places[other]!;
    places[other] = places[i]!;
    wall[place] = losing[i] ?? symbol;
  }
  return wall;
}
