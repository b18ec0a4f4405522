import type { Subject, Work } from '#event-sourcing';
import type { Commitment, Opening, SigningKey } from '#fairness';
import type { Beacon } from '../beacon/beacon.ts';
import { type BlockToCommit, commitments, nextCommitment } from './commitments.ts';
import { type Line, lineId, nextWanted, type StockedBlock, stocks, withBlock } from './stock.ts';
import type { Vault } from './vault.ts';

/** What a committed block is, beside its sales and its place in the stock. */
export interface BlockCard extends Line {
  readonly blockId: string;
  /** Its place in the list of commitments. */
  readonly entry: number;
  readonly commitment: Commitment;
  /** Null before its opening, and for ever without a public contribution. */
  readonly opening: Opening | null;
}

/** Kept in the append that commits the block: a block that has a card is committed. */
export const blockCards: Subject<BlockCard | null, never> = {
  name: 'block-card',
  initial: null,
  evolve: (card) => card,
};

export interface CommitContext {
  readonly vault: Vault;
  readonly key: SigningKey;
  readonly beacon: Beacon;
}

export type BlockOfEmission = BlockToCommit & { readonly emissionId: string };

/**
 * Puts a sealed block of the vault into the public list and into its line's stock, where it waits for its opening.
 * Answers its entry, the same when it is committed already, and null when its emission wants no more blocks.
 */
export function commitBlock(
  block: BlockOfEmission,
  line: Line,
  { vault, key, beacon }: CommitContext,
): Work<number | null> {
  const { emissionId, ...toCommit } = block;
  const { blockId, regulation, size } = block;
  return {
    get states() {
      return [{ subject: commitments, id: '' }, { subject: blockCards, id: blockId }, ...vault.states(line)];
    },
    decide(draft) {
      const card = draft.state(blockCards, blockId);
      if (card !== null) return { answer: card.entry };
      const stock = draft.state(stocks, lineId(line));
      if (nextWanted(stock)?.emissionId !== emissionId) return { answer: null };
      const committed = nextCommitment(draft.state(commitments, ''), toCommit, draft.at, beacon.promise, key);
      const { type: _, ...commitment } = committed;
      const stocked: StockedBlock = { blockId, emissionId, regulation, size, start: 0, waitsFor: 'opening' };
      const { entry } = commitment;
      draft.emit(commitments, '', committed);
      draft.put(blockCards, blockId, { ...line, blockId, entry, commitment, opening: null });
      draft.put(stocks, lineId(line), withBlock(stock, stocked));
      return { answer: entry };
    },
  };
}
