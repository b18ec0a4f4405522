import fc from 'fast-check';
import { mechanicFaults, scriptsOf } from '#mechanics';
import { cents, NO_CENTS } from '#money';
import { type GameRegulation, totals } from '#regulation';
import { tinyRegulation } from '../../../test/fixtures/tiny-game.ts';

type Parameters = GameRegulation['parameters'];

const seeds = fc.uint8Array({ minLength: 16, maxLength: 16 }).map((bytes) => Buffer.from(bytes).toString('hex'));
const amounts = (arbitrary: fc.Arbitrary<number>, most: number) =>
  fc.uniqueArray(arbitrary, { minLength: 1, maxLength: most });

function regulationOf(
  mechanic: string,
  prizes: number[],
  ofStake: Parameters,
  ofGame: Parameters = {},
): GameRegulation {
  const rows = prizes.map((prize, i) => ({ count: i + 1, prizeCents: cents(prize) }));
  const stake = { stakeCents: cents(50), rows, printed: totals({ rows }), parameters: ofStake };
  return tinyRegulation({ mechanic, parameters: ofGame, blockSize: 10_000, stakes: [stake] });
}

const sudoku = amounts(
  fc.integer({ min: 1, max: 200 }).map((n) => n * 25),
  20,
).chain((prizes) =>
  fc
    .tuple(
      ...prizes.map((prizeCents) => {
        const dividing = [1, 2, 3, 4, 5, 6, 7, 8, 9].filter((count) => prizeCents % count === 0);
        return fc.subarray(dividing, { minLength: 1 }).map((blocks) => ({ prizeCents, blocks }));
      }),
    )
    .map((blocksPerPrize) => regulationOf('sudoku/1', prizes, { blocksPerPrize })),
);

const PAYING = ['bird', 'scarab', 'cross', 'head', 'eye'].flatMap((symbol) =>
  [2, 3].map((count) => ({ symbol, count })),
);

/** Some of the combinations pay the first rows; the bonus game shows the others. */
const pharaon = fc
  .record({
    prizes: amounts(fc.integer({ min: 1, max: 9_999 }), 14),
    paying: fc.shuffledSubarray(PAYING),
    shares: fc.array(fc.integer({ min: 0, max: 1000 }), { minLength: 14, maxLength: 14 }),
    bricks: fc.integer({ min: 15, max: 99 }),
    stones: fc.tuple(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 0, max: 3 })),
  })
  .map(({ prizes, paying, shares, bricks, stones }) => {
    const combinations = paying.slice(0, prizes.length).map((shown, i) => ({ ...shown, prizeCents: prizes[i]! }));
    const perMille = (i: number) => (i < combinations.length ? shares[i]! : 1000);
    const bonusPerMille = prizes.map((prizeCents, i) => ({ prizeCents, perMille: perMille(i) }));
    const ofGame = { stones: { least: Math.min(...stones), most: Math.max(...stones) } };
    return regulationOf('pharaon/1', prizes, { bricks, combinations, bonusPerMille }, ofGame);
  });

const match = amounts(fc.integer({ min: 1, max: 9_999 }), 12).map((prizes) => regulationOf('match/1', prizes, {}));

test.each([
  ['sudoku/1', sudoku],
  ['pharaon/1', pharaon],
  ['match/1', match],
])('whatever regulation of %s has no fault, each of its prizes can be shown, and a loss', (_, regulations) => {
  let shown = 0;
  fc.assert(
    fc.property(regulations, seeds, (regulation, seed) => {
      fc.pre(mechanicFaults(regulation).length === 0);
      const { render, judge } = scriptsOf(regulation, 50);
      for (const prizeCents of [NO_CENTS, ...regulation.stakes[0]!.rows.map((row) => row.prizeCents)]) {
        expect(judge(render(prizeCents, seed))).toEqual({ prizeCents });
        shown++;
      }
    }),
    { numRuns: 200 },
  );
  expect(shown).toBeGreaterThan(1_000);
});
