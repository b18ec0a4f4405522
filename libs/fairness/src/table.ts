import { type Cents, cents, NO_CENTS } from '#money';
import { toHex } from './bytes.ts';
import { canonicalDigest } from './digest.ts';

export interface PrizeRow {
  /** Winning units of a block that have this prize. */
  readonly count: number;
  readonly prizeCents: Cents;
}

/** What a block of one regulation version and stake contains: the winning rows in the regulation's order; the rest lose. */
export interface PrizeTable {
  /** The regulation's id, `sudoku@2009-01-26`. */
  readonly regulation: string;
  readonly stakeCents: Cents;
  /** Units of a block. */
  readonly size: number;
  readonly rows: readonly PrizeRow[];
}

/** As much of a regulation as a block needs; `GameRegulation` of `#regulation` is one. */
export interface RegulationTables {
  readonly id: string;
  readonly blockSize: number;
  readonly stakes: readonly { readonly stakeCents: Cents; readonly rows: readonly PrizeRow[] }[];
}

/** A deck holds the row's number in one byte, 0 for a losing unit. */
export const MAX_ROWS = 255;

/** The table of one stake (cents) of a regulation; a RangeError for a stake that the regulation does not have. */
export function prizeTable(regulation: RegulationTables, stakeCents: number): PrizeTable {
  const stake = regulation.stakes.find((candidate) => candidate.stakeCents === stakeCents);
  if (!stake) throw new RangeError(`${regulation.id} has no stake of ${stakeCents} cents`);
  return soundTable({
    regulation: regulation.id,
    stakeCents: cents(stakeCents),
    size: regulation.blockSize,
    rows: stake.rows,
  });
}

/** The same table, or a RangeError when no block can be made of it. */
export function soundTable(table: PrizeTable): PrizeTable {
  if (!isCount(table.size)) throw new RangeError(`a block cannot have ${table.size} units`);
  if (table.rows.length > MAX_ROWS)
    throw new RangeError(`a table has at most ${MAX_ROWS} rows, not ${table.rows.length}`);
  for (const row of table.rows) {
    if (!isCount(row.count)) throw new RangeError(`a row cannot have ${row.count} prizes`);
    if (!isCount(row.prizeCents)) throw new RangeError(`a prize cannot be ${row.prizeCents} cents`);
  }
  const winning = table.rows.reduce((sum, row) => sum + row.count, 0);
  if (winning > table.size) throw new RangeError(`${winning} prizes do not fit in ${table.size} units`);
  return table;
}

function isCount(value: number): boolean {
  return value > 0 && value === value >>> 0;
}

/** SHA-256, hex, of canonical `{regulation, stakeCents, size, rows: [{count, prizeCents}]}`. */
export function tableDigest(table: PrizeTable): string {
  const rows = table.rows.map(({ count, prizeCents }) => ({ count, prizeCents }));
  const { regulation, stakeCents, size } = table;
  return toHex(canonicalDigest({ regulation, stakeCents, size, rows }));
}

/** SHA-256, hex, of a regulation's canonical form, exactly as it is served. */
export function regulationDigest(regulation: object): string {
  return toHex(canonicalDigest(regulation));
}

/** Prize of each value that a deck of this table may hold: 0 for value 0, then the rows' prizes. */
export function prizesOf(table: PrizeTable): readonly Cents[] {
  return [NO_CENTS, ...table.rows.map((row) => row.prizeCents)];
}
