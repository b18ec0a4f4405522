import { doubled, type Fault, fourBytes, listOf, orNaN, partly, ROWS } from '#regulation';

/** An amount in cents, or NaN where it cannot be read. */
export const readablePrize = orNaN(fourBytes);

/** The prizes of a stake's table, as far as they can be read. */
export const readableRows = listOf(partly({ prizeCents: readablePrize }), ROWS);

interface OfPrize {
  readonly prizeCents: number;
}

/**
 * A list at this place that holds exactly one entry for each row of the table, in any order. A missing entry is a fault
 * of its row; what cannot be read on one side might be what the other side lacks, and is left out.
 */
export function oneForEachRow(rows: readonly OfPrize[], entries: readonly OfPrize[], place: string): Fault[] {
  const prizes = entries.map(({ prizeCents }) => prizeCents);
  const missing = prizes.includes(Number.NaN) ? [] : rows.flatMap(lacking(prizes, `has no entry in ${place}`, 'rows'));
  const again = doubled(prizes).map((i) => ({
    place: `${place}[${i}].prizeCents`,
    message: 'has an entry before this',
  }));
  return [...missing, ...again, ...onlyRows(rows, entries, place)];
}

/** A list at this place that holds entries for rows of the table only. */
export function onlyRows(rows: readonly OfPrize[], entries: readonly OfPrize[], place: string): Fault[] {
  const prizes = rows.map(({ prizeCents }) => prizeCents);
  return prizes.includes(Number.NaN) ? [] : entries.flatMap(lacking(prizes, 'is no prize of the table', place));
}

function lacking(prizes: readonly number[], message: string, place: string): (one: OfPrize, i: number) => Fault[] {
  return ({ prizeCents }, i) =>
    Number.isNaN(prizeCents) || prizes.includes(prizeCents) ? [] : [{ place: `${place}[${i}].prizeCents`, message }];
}
