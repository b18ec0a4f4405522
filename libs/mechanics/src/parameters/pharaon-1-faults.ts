import * as z from 'zod';
import { allOf, doubled, type Fault, faultIf, listOf, orNaN, partly, rule } from '#regulation';
import type { Mechanic } from '../mechanic.ts';
import { oneForEachRow, onlyRows, readablePrize, readableRows } from './each-row.ts';

const combination = partly({
  symbol: z.string().nullable().catch(null),
  count: orNaN(z.int()),
  prizeCents: readablePrize,
});
const share = partly({ prizeCents: readablePrize, perMille: orNaN(z.int()) });
const stake = partly({
  rows: readableRows,
  parameters: partly({ combinations: listOf(combination), bonusPerMille: listOf(share) }),
});
const stones = partly({ least: orNaN(z.int()), most: orNaN(z.int()) });

type ReadableStake = ReturnType<typeof stake.parse>;

/** Each prize is shown by one combination of its own or by the bonus game (PHA-4.3). */
export const pharaon1Faults: Mechanic['faults'] = {
  regulation: rule(
    partly({ parameters: partly({ stones }) }),
    ({
      parameters: {
        stones: { least, most },
      },
    }) => faultIf(least > most, 'parameters.stones', `at least ${least} and at most ${most}`),
  ),
  stake: allOf(rule(stake, faultsOfCombinations), rule(stake, faultsOfShares)),
};

function faultsOfCombinations({ rows, parameters: { combinations } }: ReadableStake): Fault[] {
  const place = 'parameters.combinations';
  const shown = combinations.map(({ symbol, count }) =>
    symbol === null || Number.isNaN(count) ? null : `${count} ${symbol}`,
  );
  return [
    ...onlyRows(rows, combinations, place),
    ...doubled(combinations.map(({ prizeCents }) => prizeCents)).map((i) => ({
      place: `${place}[${i}].prizeCents`,
      message: 'is paid by a combination before this',
    })),
    ...doubled(shown).map((i) => ({ place: `${place}[${i}]`, message: `${shown[i]} stand there before` })),
  ];
}

function faultsOfShares({ rows, parameters: { combinations, bonusPerMille } }: ReadableStake): Fault[] {
  const place = 'parameters.bonusPerMille';
  return [...oneForEachRow(rows, bonusPerMille, place), ...bonusPerMille.flatMap(unshown)];

  function unshown({ prizeCents, perMille }: (typeof bonusPerMille)[number], i: number): Fault[] {
    const isRow = rows.some((row) => row.prizeCents === prizeCents);
    const mayBePaid = combinations.some((one) => one.prizeCents === prizeCents || Number.isNaN(one.prizeCents));
    const message = `must be 1000, since no combination pays ${prizeCents} cents`;
    return faultIf(isRow && !mayBePaid && perMille < 1000, `${place}[${i}].perMille`, message);
  }
}
