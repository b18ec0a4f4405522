import { canonical } from './canonical.ts';
import { type Commitment, entryDigest } from './commitment.ts';
import type { Receipt } from './receipt.ts';

/** What two documents contradict each other about; any of them proves that the signer was dishonest or broken. */
export type Contradiction =
  /** One unit, or one place among the sales, for two plays. */
  | 'unit-sold-twice'
  /** One play with two units, or two stories about its unit. */
  | 'play-told-twice'
  /** One entry of the list of commitments shown in two versions. */
  | 'lists-differ'
  /** One block committed to in two entries, or in two versions of one. */
  | 'block-committed-twice'
  /** Two openings of one block. */
  | 'block-opened-twice'
  /** A commitment, or a list head, that is not in the list which everybody is shown. */
  | 'not-in-the-list';

export interface Disagreement {
  readonly kind: Contradiction;
  /** Places of the two receipts among those given, from 0; one alone where it contradicts the list. */
  readonly receipts: readonly number[];
  readonly detail: string;
}

/**
 * Receipts against each other, each verified by itself before, and against the list of commitments where that is given:
 * from entry 0, verified by `verifyCommitments`. Empty when nothing contradicts. The same receipt twice, or two of one
 * play signed at different times, is no contradiction.
 */
export function compareReceipts(
  receipts: readonly Receipt[],
  list: readonly Commitment[] | null = null,
): Disagreement[] {
  const seen = new Claims();
  receipts.forEach((receipt, i) => {
    for (const claim of claimsOf(receipt)) seen.add(claim, i);
  });
  const against = list ? receipts.flatMap((receipt, i) => againstList(receipt, i, list)) : [];
  return [...seen.disagreements, ...(list ? withinList(list) : []), ...against];
}

/** That about this subject, this is so. Two claims of one subject that say different things contradict each other. */
interface Claim {
  readonly kind: Contradiction;
  readonly subject: string;
  readonly says: string;
}

class Claims {
  readonly disagreements: Disagreement[] = [];
  readonly #first = new Map<string, { readonly says: string; readonly receipt: number }>();

  add({ kind, subject, says }: Claim, receipt: number): void {
    const first = this.#first.get(`${kind} ${subject}`);
    if (!first) {
      this.#first.set(`${kind} ${subject}`, { says, receipt });
    } else if (first.says !== says) {
      this.disagreements.push({ kind, receipts: [first.receipt, receipt], detail: `${subject}: ${WHY[kind]}` });
    }
  }
}

const WHY: Readonly<Record<Contradiction, string>> = {
  'unit-sold-twice': 'sold to two plays',
  'play-told-twice': 'two receipts tell different things',
  'lists-differ': 'shown in two versions',
  'block-committed-twice': 'committed to in two versions',
  'block-opened-twice': 'opened twice',
  'not-in-the-list': 'not in the list',
};

function claimsOf(receipt: Receipt): Claim[] {
  const { playId, sequence, unitIndex, commitment, opening } = receipt;
  const { blockId } = commitment;
  return [
    { kind: 'unit-sold-twice', subject: `sale ${sequence} of block ${blockId}`, says: playId },
    { kind: 'unit-sold-twice', subject: `unit ${unitIndex} of block ${blockId}`, says: playId },
    { kind: 'play-told-twice', subject: `play ${playId}`, says: storyOf(receipt) },
    ...entriesOf(receipt).map(({ entry, digest }) => ({
      kind: 'lists-differ' as const,
      subject: `entry ${entry} of the list`,
      says: digest,
    })),
    { kind: 'block-committed-twice', subject: `block ${blockId}`, says: entryDigest(commitment) },
    { kind: 'block-opened-twice', subject: `block ${blockId}`, says: canonical(opening) },
  ];
}

/** What must be the same in all receipts of one play. */
function storyOf(receipt: Receipt): string {
  const { listHead: _, signedAt: _at, keyId: _key, signature: _signature, ...story } = receipt;
  return canonical(story);
}

interface Entry {
  readonly entry: number;
  readonly digest: string;
}

/** Every entry of the list that a receipt speaks of. */
function entriesOf({ commitment, listHead }: Receipt): Entry[] {
  const own = { entry: commitment.entry, digest: entryDigest(commitment) };
  const before = commitment.previous === null ? [] : [{ entry: commitment.entry - 1, digest: commitment.previous }];
  const isOwn = listHead.entry === own.entry && listHead.digest === own.digest;
  return [own, ...before, ...(isOwn ? [] : [listHead])];
}

function againstList(receipt: Receipt, i: number, list: readonly Commitment[]): Disagreement[] {
  const wrong = entriesOf(receipt).filter(({ entry, digest }) => {
    const listed = list[entry];
    return !listed || entryDigest(listed) !== digest;
  });
  const entries = [...new Set(wrong.map(({ entry }) => entry))];
  return entries.map((entry) => ({
    kind: 'not-in-the-list',
    receipts: [i],
    detail:
      entry < list.length
        ? `entry ${entry}, as the receipt has it, is not the one in the list`
        : `the receipt speaks of entry ${entry}, and the list ends before entry ${list.length}`,
  }));
}

function withinList(list: readonly Commitment[]): Disagreement[] {
  const first = new Map<string, number>();
  return list.flatMap(({ blockId, entry }) => {
    const before = first.get(blockId);
    first.set(blockId, before ?? entry);
    if (before === undefined) return [];
    return [
      {
        kind: 'block-committed-twice' as const,
        receipts: [],
        detail: `block ${blockId}: committed to in entries ${before} and ${entry} of the list`,
      },
    ];
  });
}
