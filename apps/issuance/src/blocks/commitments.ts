import type { DomainEvent, Subject } from '#event-sourcing';
import { type Commitment, type CommittedBlock, type SigningKey, signCommitment } from '#fairness';
import type { Beacon } from '../beacon/beacon.ts';

export type BlockCommitted = DomainEvent & { readonly type: 'BlockCommitted' } & Commitment;

/** The platform's list of commitments, on the stream `commitments`: entry n is the event of version n + 1. */
export interface Commitments {
  readonly newest: Commitment | null;
}

export const commitments: Subject<Commitments, BlockCommitted> = {
  name: 'commitments',
  initial: { newest: null },
  evolve: (_list, { type: _, ...commitment }) => ({ newest: commitment }),
};

/** What becomes of a prepared block in the public list. */
export type BlockToCommit = Omit<CommittedBlock, 'committedAt' | 'contribution'>;

/**
 * The next entry of the list, signed, after the entry before it. `at` is the time now; a clock that has gone back does
 * not make committedAt fall.
 */
export function nextCommitment(
  list: Commitments,
  block: BlockToCommit,
  at: string,
  promise: Beacon['promise'],
  key: SigningKey,
): BlockCommitted {
  const { newest } = list;
  const committedAt = newest !== null && newest.committedAt > at ? newest.committedAt : at;
  const committed = { ...block, contribution: promise(committedAt), committedAt };
  return { type: 'BlockCommitted', ...signCommitment(committed, newest, key) };
}
