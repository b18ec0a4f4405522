import { canonical } from '#fairness';
import { type Cents, cents } from '#money';
import type { Stake } from '#regulation';
import { evenly, fit, ONE_IN_A_MILLION, tally } from '../../../../test/statistics/chi-square.ts';
import { seedOf, soldGame } from '../../test/sold-games.ts';
import { pharaon1Stake, STONES, SYMBOLS } from '../parameters/pharaon-1.ts';
import { pharaon1Renderer } from './pharaon-1.ts';

const pharaon = soldGame('pharaon@2008-12-17');
const LOSING = cents(0);

interface Pharaon {
  readonly bricks: (string | null)[];
  readonly bonusCents: number | null;
}

function game(stake: Stake, regulation = pharaon) {
  const render = pharaon1Renderer(regulation, stake);
  return {
    parameters: pharaon1Stake.parse(stake.parameters),
    prizes: stake.rows.map((row) => row.prizeCents),
    render: (prize: Cents, n: number) => render(prize, seedOf(n)) as unknown as Pharaon,
  };
}
const games = pharaon.stakes.map((stake) => game(stake));
const first = games[0]!;

const isStone = (brick: string | null) => STONES.some((stone) => stone === brick);
const countOf = (script: Pharaon, symbol: string) => script.bricks.filter((brick) => brick === symbol).length;
const symbolsOf = (script: Pharaon) => SYMBOLS.flatMap((symbol) => new Array(countOf(script, symbol)).fill(symbol));

/** The smallest number of each symbol that pays, from article 4.3. */
const PAYS: Record<string, number> = { bird: 2, scarab: 2, cross: 2, head: 3, eye: 3, snake: 3 };

function* scripts(each: number) {
  for (const { prizes, render, parameters } of games) {
    for (const prizeCents of [LOSING, ...prizes]) {
      for (let n = 0; n < each; n++) yield { script: render(prizeCents, n), prizeCents, parameters };
    }
  }
}

/** What a wall shows, counted by hand from the combinations of the stake. */
function shownBy(
  { bricks, bonusCents }: Pharaon,
  combinations: ReturnType<typeof pharaon1Stake.parse>['combinations'],
) {
  const script = { bricks, bonusCents };
  const shown = SYMBOLS.filter((symbol) => countOf(script, symbol) >= PAYS[symbol]!);
  if (shown.length > 1) throw new Error(`more than one: ${shown}`);
  if (shown[0] === undefined) return 0;
  if (shown[0] === 'snake') return bonusCents;
  return combinations.find((one) => one.symbol === shown[0] && one.count === countOf(script, one.symbol))?.prizeCents;
}

test('the same prize and seed give the same script for ever, also from another renderer and after other units', () => {
  for (const stake of pharaon.stakes) {
    const { prizes, render } = game(stake);
    const other = game(stake);
    for (const prize of [LOSING, ...prizes]) {
      const script = canonical(render(prize, 1));
      render(LOSING, 2);
      expect(canonical(render(prize, 1))).toBe(script);
      expect(canonical(other.render(prize, 1))).toBe(script);
      expect(canonical(render(prize, 3))).not.toBe(script);
    }
  }
});

test('PHA-4.1.1: a wall has 27, 31 or 33 bricks', () => {
  expect(games.map(({ render, prizes }) => [LOSING, ...prizes].map((prize) => render(prize, 1).bricks.length))).toEqual(
    [27, 31, 33].map((bricks) => new Array(9).fill(bricks)),
  );
});

test('PHA-4.3: a wall has one combination or the bonus game, which pays the prize, or nothing when it loses', () => {
  for (const { script, prizeCents, parameters } of scripts(40)) {
    expect(shownBy(script, parameters.combinations)).toBe(prizeCents);
    for (const symbol of SYMBOLS) expect(countOf(script, symbol)).toBeLessThanOrEqual(3);
  }
});

test('REG-4.4: the bonus game is part of the one script of the unit, and names its prize', () => {
  let games = 0;
  for (const { script, prizeCents } of scripts(40)) {
    expect(Object.keys(script).sort()).toEqual(['bonusCents', 'bricks', 'mechanic']);
    const bonus = countOf(script, 'snake') === 3;
    expect(script.bonusCents).toBe(bonus ? prizeCents : null);
    if (bonus) games++;
  }
  expect(games).toBeGreaterThan(40);
});

test('a prize is shown by the bonus game in its share of a thousand units', () => {
  for (const { prizeCents, perMille } of first.parameters.bonusPerMille) {
    const scripts = Array.from({ length: 4_000 }, (_, n) => first.render(cents(prizeCents), n));
    const shares = new Map([
      [true, perMille],
      [false, 1000 - perMille],
    ]);
    const found = tally(scripts, ({ bonusCents }) => bonusCents !== null);
    expect(fit(found, shares).deviations).toBeLessThan(ONE_IN_A_MILLION);
  }
});

test('PHA-4.5: a wall holds none to three stones, each number alike, and each of the three stones alike', () => {
  for (const prize of [LOSING, cents(50), cents(375_000)]) {
    const stones = Array.from({ length: 4_000 }, (_, n) => first.render(prize, n).bricks.filter(isStone));
    expect(
      fit(
        tally(stones, ({ length }) => length),
        evenly([0, 1, 2, 3]),
      ).deviations,
    ).toBeLessThan(ONE_IN_A_MILLION);
    expect(
      fit(
        tally(stones.flat(), (stone) => stone),
        evenly(STONES),
      ).deviations,
    ).toBeLessThan(ONE_IN_A_MILLION);
  }
});

test('PHA-4.5: a regulation that gives other numbers of stones gets them', () => {
  const stones = { stones: { least: 2, most: 2 } };
  const { render } = game(pharaon.stakes[0]!, { ...pharaon, parameters: stones });
  for (let n = 0; n < 100; n++) expect(render(LOSING, n).bricks.filter(isStone)).toHaveLength(2);
});

/** How often each multiset of symbols stands in a losing wall that begins with this one, worked out step by step. */
function furtherSymbols(base: string): Map<string, number> {
  const room: Record<string, number> = Object.fromEntries(SYMBOLS.map((symbol) => [symbol, PAYS[symbol]! - 1]));
  const shares = new Map<string, number>();
  const step = (symbols: string[], further: number, share: number): void => {
    if (further === 0) {
      const kinds = symbols.toSorted().join(' ');
      shares.set(kinds, (shares.get(kinds) ?? 0) + share);
      return;
    }
    const free = SYMBOLS.filter((symbol) => symbols.filter((one) => one === symbol).length < room[symbol]!);
    for (const symbol of free) step([...symbols, symbol], further - 1, share / free.length);
  };
  for (const further of [3, 4, 5, 6]) step(new Array(room[base]).fill(base), further, 1 / 4);
  return shares;
}

test.each([
  ['cross', 50, 1],
  ['bird', 375_000, 2],
  ['eye', 500, 1],
] as const)(
  'a wall that shows a %s has three to six further symbols, one by one among those that complete nothing',
  (symbol, prize, missing) => {
    const walls = Array.from({ length: 6_000 }, (_, n) => first.render(cents(prize), n));
    const shown = walls.filter(({ bonusCents }) => bonusCents === null);
    const found = tally(shown, (script) => {
      const symbols: string[] = symbolsOf(script);
      for (let i = 0; i < missing; i++) symbols.splice(symbols.indexOf(symbol), 1);
      return symbols.toSorted().join(' ');
    });
    expect(fit(found, furtherSymbols(symbol)).deviations).toBeLessThan(ONE_IN_A_MILLION);
  },
);

test('every brick is as likely to hold a symbol, a stone, or one of the combination', () => {
  const walls = Array.from({ length: 6_000 }, (_, n) => first.render(cents(50), n)).filter((wall) => !wall.bonusCents);
  const places = Array.from({ length: 27 }, (_, place) => place);
  const kinds: ((brick: string | null) => boolean)[] = [
    isStone,
    (brick) => brick === 'cross',
    (brick) => brick === 'eye',
  ];
  for (const isKind of kinds) {
    const found = tally(
      walls.flatMap(({ bricks }) => places.filter((place) => isKind(bricks[place]!))),
      (place) => place,
    );
    expect(fit(found, evenly(places)).deviations).toBeLessThan(ONE_IN_A_MILLION);
  }
  const pairs = tally(walls, ({ bricks }) => `${bricks.indexOf('cross')} ${bricks.lastIndexOf('cross')}`);
  const all = places.flatMap((a) => places.filter((b) => b > a).map((b) => `${a} ${b}`));
  expect(fit(pairs, evenly(all)).deviations).toBeLessThan(ONE_IN_A_MILLION);
});

/** The empty bricks in which two walls may differ, or null where they differ in something else. */
function filledIn(losing: Pharaon, winning: Pharaon): string[] | null {
  const filled: string[] = [];
  for (const [place, brick] of winning.bricks.entries()) {
    if (brick === losing.bricks[place]) continue;
    if (brick === null || losing.bricks[place] !== null) return null;
    filled.push(brick);
  }
  return filled;
}

test('a losing wall is a winning one of the same seed with what is missing of its combination left empty', () => {
  for (const { prizes, render } of games) {
    const drawn = new Set<number>();
    for (let n = 0; n < 200; n++) {
      const losing = render(LOSING, n);
      const same = prizes.filter((prize) => filledIn(losing, render(prize, n)) !== null);
      for (const prize of same) {
        const filled = filledIn(losing, render(prize, n))!;
        expect([1, 2]).toContain(filled.length);
        expect(new Set(filled).size).toBe(1);
      }
      expect(same.length).toBeGreaterThan(0);
      for (const prize of same) drawn.add(prize);
    }
    expect(drawn.size).toBeGreaterThan(3);
  }
});

test('where few symbols are free, as many stand there as are allowed', () => {
  const stake: Stake = {
    ...pharaon.stakes[0]!,
    rows: [{ count: 1, prizeCents: cents(50) }],
    parameters: {
      bricks: 15,
      combinations: ['bird', 'scarab', 'cross', 'head', 'eye'].map((symbol) => ({ symbol, count: 2, prizeCents: 50 })),
      bonusPerMille: [{ prizeCents: 50, perMille: 0 }],
    },
  };
  const { render } = game(stake);
  const numbers = tally(
    Array.from({ length: 2_000 }, (_, n) => symbolsOf(render(LOSING, n)).length),
    (count) => count,
  );
  // One of each of five and two snakes: never more than seven, and one of them is there from the start.
  expect(fit(numbers, evenly([4, 5, 6, 7])).deviations).toBeLessThan(ONE_IN_A_MILLION);
  const two = { ...stake, parameters: { ...stake.parameters, bonusPerMille: [{ prizeCents: 50, perMille: 1000 }] } };
  const bonus = game(two);
  // Two snakes and one of each of five: with three or four further symbols some are left, with five or six none.
  const counts = tally(
    Array.from({ length: 2_000 }, (_, n) => symbolsOf(bonus.render(LOSING, n)).length),
    (count) => count,
  );
  expect(
    fit(
      counts,
      new Map([
        [5, 1],
        [6, 1],
        [7, 2],
      ]),
    ).deviations,
  ).toBeLessThan(ONE_IN_A_MILLION);
});

test('a row that no combination pays is shown by the bonus game alone, and a symbol that pays nothing stands at most three times', () => {
  const stake: Stake = {
    ...pharaon.stakes[0]!,
    rows: [{ count: 1, prizeCents: cents(700) }],
    parameters: { bricks: 15, combinations: [], bonusPerMille: [{ prizeCents: 700, perMille: 1000 }] },
  };
  const { render } = game(stake);
  for (let n = 0; n < 500; n++) {
    const script = render(cents(700), n);
    expect([script.bonusCents, countOf(script, 'snake')]).toEqual([700, 3]);
    for (const symbol of SYMBOLS) expect(countOf(script, symbol)).toBeLessThanOrEqual(3);
  }
  const none = { ...stake.parameters, bonusPerMille: [{ prizeCents: 700, perMille: 999 }] };
  expect(() => game({ ...stake, parameters: none })).toThrow(RangeError);
  expect(() => game({ ...stake, parameters: { ...none, bonusPerMille: [] } })).toThrow(RangeError);
});

test('an amount that is no prize of the stake and a seed that is none are refused', () => {
  const render = pharaon1Renderer(pharaon, pharaon.stakes[0]!);
  for (const prize of [1, 51, 750_000, -50]) expect(() => render(cents(prize), seedOf(1))).toThrow(RangeError);
  expect(() => render(LOSING, 'seed')).toThrow(RangeError);
});
