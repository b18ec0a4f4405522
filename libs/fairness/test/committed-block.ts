import { type CommittedBlock, signingKey } from '#fairness';
import { cents } from '#money';

/** A key for tests of what is signed with purpose `blocks`. */
export const blocksKey = signingKey(new Uint8Array(32).fill(1));

/** What a commitment says of a made-up block; when it was made and what it promises is the test's to say. */
export function committedBlock(changes: Pick<CommittedBlock, 'contribution' | 'committedAt'>): CommittedBlock {
  return {
    blockId: '0197f3c0-1234-7abc-8def-0123456789ab',
    regulation: 'sudoku@2009-01-26',
    regulationDigest: 'aa'.repeat(32),
    stakeCents: cents(100),
    size: 1_280_000,
    tableDigest: 'bb'.repeat(32),
    mechanic: 'sudoku/1',
    root: 'cc'.repeat(32),
    ...changes,
  };
}
