import type { DataSource } from 'typeorm';

/** By the primary key; it takes no lock, and runs beside the writer's connection, which is left to money. */
const STATES_OF = `
  select id, state
    from states
   where id = any($1)`;

/** The states of these names as they are stored; one that does not exist is left out. */
export async function storedStates(dataSource: DataSource, ids: readonly string[]): Promise<Map<string, unknown>> {
  const rows: { id: string; state: unknown }[] = await dataSource.query(STATES_OF, [ids]);
  return new Map(rows.map(({ id, state }) => [id, state]));
}
