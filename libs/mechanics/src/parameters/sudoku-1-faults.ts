import * as z from 'zod';
import { doubled, type Fault, listOf, orNaN, partly, rule } from '#regulation';
import type { Mechanic } from '../mechanic.ts';
import { oneForEachRow, readablePrize, readableRows } from './each-row.ts';

const PLACE = 'parameters.blocksPerPrize';

const entry = partly({ prizeCents: readablePrize, blocks: listOf(orNaN(z.int().min(1).max(9))) });
const stake = partly({ rows: readableRows, parameters: partly({ blocksPerPrize: listOf(entry) }) });

/**
 * Each prize has an entry, and each number of blocks in it divides the prize into whole cents: SUD-4.3.3, the prize is the
 * gain box times the winning blocks.
 */
export const sudoku1Faults: Mechanic['faults'] = {
  regulation: () => [],
  stake: rule(stake, ({ rows, parameters: { blocksPerPrize } }) => [
    ...oneForEachRow(rows, blocksPerPrize, PLACE),
    ...blocksPerPrize.flatMap(faultsOfEntry),
  ]),
};

function faultsOfEntry({ prizeCents, blocks }: ReturnType<typeof entry.parse>, e: number): Fault[] {
  const at = (i: number, message: string): Fault => ({ place: `${PLACE}[${e}].blocks[${i}]`, message });
  return [
    ...doubled(blocks).map((i) => at(i, 'stands there before')),
    ...blocks.flatMap((count, i) =>
      prizeCents % count > 0 ? [at(i, `does not divide ${prizeCents} cents into whole cents`)] : [],
    ),
  ];
}
