import * as z from 'zod';
import { listOf, orNaN, partly } from './rule.ts';
import { fourBytes, ROWS, sumCents } from './shapes.ts';

const readableRow = partly({ count: orNaN(fourBytes), prizeCents: orNaN(fourBytes) });

const readableText = z.string().min(1).nullable().catch(null);
const readableErratum = partly({ article: readableText, printed: readableText, read: readableText });

/** What can be read of the tables of a game and their errata, sound or not. */
export const readableTables = partly({
  blockSize: orNaN(fourBytes),
  stakes: listOf(
    partly({
      stakeCents: orNaN(fourBytes),
      rows: listOf(readableRow, ROWS),
      printed: partly({ count: orNaN(fourBytes), totalCents: orNaN(sumCents) }),
    }),
    { min: 1 },
  ),
  errata: listOf(readableErratum),
});

export type ReadableTables = ReturnType<typeof readableTables.parse>;
export type ReadableStake = ReadableTables['stakes'][number];
/** Null what cannot be read. */
export type ReadableErratum = ReturnType<typeof readableErratum.parse>;
type Row = ReturnType<typeof readableRow.parse>;

/** Prizes of a block; NaN when a row's count cannot be read. */
export function countOf(rows: readonly Row[]): number {
  return rows.reduce((sum, { count }) => sum + count, 0);
}

/** Cents of all prizes of a block; NaN when a row cannot be read. Above the safe integers it is about right. */
export function centsOf(rows: readonly Row[]): number {
  return rows.reduce((sum, { count, prizeCents }) => sum + count * prizeCents, 0);
}
