import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { canonical } from '#fairness';
import { renderedDigest, scriptDigest, scriptsOf } from '#mechanics';
import { type Cents, cents, NO_CENTS } from '#money';
import type { GameRegulation, Stake } from '#regulation';
import { tinyRegulation } from '../../../test/fixtures/tiny-game.ts';

function regulationsIn(folder: URL): GameRegulation[] {
  return readdirSync(folder)
    .map((name) => JSON.parse(readFileSync(new URL(name, folder), 'utf8')))
    .filter((regulation) => 'game' in regulation);
}

const SOLD = regulationsIn(new URL('../../regulation/data/', import.meta.url));
const SMALL = regulationsIn(new URL('../../../test/fixtures/regulations/', import.meta.url));

/** match/1 at five amounts, the fewest that fill a losing grid, and at twenty. */
const MADE_UP = tinyRegulation({
  mechanic: 'match/1',
  stakes: [5, 20].map((amounts) => {
    const rows = Array.from({ length: amounts }, (_, n) => ({ count: n + 1, prizeCents: cents((amounts - n) * 100) }));
    const printed = { count: 0, totalCents: NO_CENTS };
    return { stakeCents: cents(amounts * 10), rows, printed, parameters: {} };
  }),
});

const STAKES = [
  ...SOLD.map((regulation) => ['sold', regulation] as const),
  ...SMALL.map((regulation) => ['small', regulation] as const),
  ['made up', MADE_UP] as const,
].flatMap(([kind, regulation]) =>
  regulation.stakes.map((stake) => ({
    name: `${regulation.id}, ${kind}, at ${stake.stakeCents} cents`,
    regulation,
    stake,
  })),
);

/** Every amount of the table, the rarest like the most frequent, and 0 for a losing unit. */
const prizesOf = (stake: Stake): Cents[] => [NO_CENTS, ...stake.rows.map(({ prizeCents }) => prizeCents)];

const seeds = fc.uint8Array({ minLength: 16, maxLength: 16 }).map((bytes) => Buffer.from(bytes).toString('hex'));

test('every mechanic is on trial here, with every stake that is sold', () => {
  expect(new Set(STAKES.map(({ regulation }) => regulation.mechanic))).toEqual(
    new Set(['sudoku/1', 'pharaon/1', 'match/1']),
  );
  expect(STAKES.filter(({ name }) => name.includes('sold'))).toHaveLength(6);
});

describe.each(STAKES)('$name', ({ regulation, stake }) => {
  const { render, judge } = scriptsOf(regulation, stake.stakeCents);

  test.each(prizesOf(stake))(
    'REG-4.3: from any seed a script of %p cents shows that amount to the referee',
    (prizeCents) => {
      fc.assert(
        fc.property(seeds, (seed) => expect(judge(render(prizeCents, seed))).toEqual({ prizeCents })),
        { numRuns: 100 },
      );
    },
  );

  test('a script that has been through JSON is the same to referee and digest', () => {
    fc.assert(
      fc.property(seeds, fc.constantFrom(...prizesOf(stake)), (seed, prizeCents) => {
        const script = render(prizeCents, seed);
        const read = JSON.parse(JSON.stringify(script));
        expect(judge(read)).toEqual({ prizeCents });
        expect(scriptDigest(read)).toBe(scriptDigest(script));
      }),
    );
  });

  test('a script is rendered in canonical order, so that its digest needs no other writer', () => {
    fc.assert(
      fc.property(seeds, fc.constantFrom(...prizesOf(stake)), (seed, prizeCents) => {
        const script = render(prizeCents, seed);
        expect(JSON.stringify(script)).toBe(canonical(script));
        expect(renderedDigest(script)).toBe(scriptDigest(script));
      }),
    );
  });

  test('the same seed gives the same script, also from a renderer made anew', () => {
    const again = scriptsOf(regulation, stake.stakeCents);
    fc.assert(
      fc.property(seeds, fc.constantFrom(...prizesOf(stake)), (seed, prizeCents) => {
        expect(again.render(prizeCents, seed)).toEqual(render(prizeCents, seed));
      }),
    );
  });
});

test('a stake that the regulation does not have has no scripts', () => {
  expect(() => scriptsOf(MADE_UP, 75)).toThrow(RangeError);
});
