import type { DataSource } from 'typeorm';
import { streamOf } from '#event-sourcing';
import type { Commitment } from '#fairness';
import { storedStates } from '../stored-states.ts';
import { type BlockCard, blockCards } from './commit-block.ts';

/** Takes no lock; one scan of the unique index on (stream, version), which has no gaps, over at most `limit` rows. */
const COMMITMENTS_FROM = `
  select data::text as data
    from events
   where stream = 'commitments'
     and version >= $1
   order by version
   limit $2`;

/** The same index, from its end. */
const NEWEST_COMMITMENT = `
  select data::text as data
    from events
   where stream = 'commitments'
   order by version desc
   limit 1`;

/** Entries of the list of commitments as signed, in order, from entry `from` on. */
export async function commitmentsFrom(dataSource: DataSource, from: number, limit: number): Promise<Commitment[]> {
  const rows: { data: string }[] = await dataSource.query(COMMITMENTS_FROM, [from + 1, limit]);
  return rows.map(({ data }) => JSON.parse(data));
}

/** The newest entry of the list, null while there is none. */
export async function newestCommitment(dataSource: DataSource): Promise<Commitment | null> {
  const [row]: { data: string }[] = await dataSource.query(NEWEST_COMMITMENT);
  return row === undefined ? null : JSON.parse(row.data);
}

/** A committed block's card and its entry as signed; null for a block that is not committed. */
export async function committedBlock(
  dataSource: DataSource,
  blockId: string,
): Promise<{ readonly card: BlockCard; readonly commitment: Commitment } | null> {
  const id = streamOf(blockCards, blockId);
  const card = (await storedStates(dataSource, [id])).get(id) as BlockCard | undefined;
  if (card === undefined) return null;
  const [commitment] = await commitmentsFrom(dataSource, card.entry, 1);
  return commitment === undefined ? null : { card, commitment };
}
