import type { Queryable } from './queryable.ts';

const READ_CURSOR = `
  select cursor
    from relay`;

/** Locks the cursor's one row; of two movers from the same place the second finds it moved. */
const MOVE_CURSOR = `
  update relay
     set cursor = $2
   where cursor = $1`;

/** Position of the last event that the relay has published, 0 before the first. */
export async function readRelayCursor(database: Queryable): Promise<number> {
  const { rows } = await database.query(READ_CURSOR);
  return Number(rows[0].cursor);
}

/** Moves the cursor by compare-and-set, in either direction; false when it was not at `from`. */
export async function moveRelayCursor(database: Queryable, from: number, to: number): Promise<boolean> {
  const { rowCount } = await database.query(MOVE_CURSOR, [from, to]);
  return rowCount === 1;
}
