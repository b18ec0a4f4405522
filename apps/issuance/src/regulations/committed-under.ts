import type { DataSource } from 'typeorm';
import type { RegulationsOnFile } from './on-file.ts';

/** Takes no lock; one scan over the list of commitments by the unique index on (stream, version). */
const COMMITTED_UNDER = `
  select data->>'regulation' as regulation, data->>'regulationDigest' as digest
    from events
   where stream = 'commitments'
   group by 1, 2
   order by 1`;

/**
 * Rejects when a regulation under which blocks were committed is not on file, or is not what it was then: their units
 * could neither be sold nor shown, and no receipt would verify.
 */
export async function checkCommittedUnder(dataSource: DataSource, onFile: RegulationsOnFile): Promise<void> {
  const rows: { regulation: string; digest: string }[] = await dataSource.query(COMMITTED_UNDER);
  for (const { regulation, digest } of rows) {
    if (onFile.find(regulation) === null) {
      throw new Error(`blocks were committed under ${regulation}, which is not on file; put its file back`);
    }
    if (onFile.digestOf(regulation) !== digest) {
      throw new Error(
        `blocks were committed under ${regulation}, and its file is another one now; put the old one back`,
      );
    }
  }
}
