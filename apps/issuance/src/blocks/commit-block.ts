import type { Subject, Work } from '#event-sourcing';
import type { SigningKey } from '#fairness';
import { type BlockToCommit, commitments, nextCommitment } from './commitments.ts';
import { type OpeningDates, openNextBlock } from './open-block.ts';
import { type Line, lineId, nextWanted, type StockedBlock, stocks, withBlock } from './stock.ts';
import type { Vault } from './vault.ts';

/** What a committed block is, beside its sales; `entry` is its place in the list of commitments. */
export interface BlockCard extends StockedBlock, Line {
  readonly entry: number;
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
  readonly opensOn: OpeningDates;
}

export type BlockOfEmission = BlockToCommit & { readonly emissionId: string };

/**
 * Puts a sealed block of the vault into the public list and into its line's stock, and opens it there if nothing is open.
 * Answers its entry, the same when it is committed already, and null when its emission wants no more blocks.
 */
export function commitBlock(
  block: BlockOfEmission,
  line: Line,
  { vault, key, opensOn }: CommitContext,
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
      const committed = nextCommitment(draft.state(commitments, ''), toCommit, draft.at, key);
      const stocked: StockedBlock = { blockId, emissionId, regulation, size, start: 0 };
      draft.emit(commitments, '', committed);
      draft.put(blockCards, blockId, { ...stocked, ...line, entry: committed.entry });
      draft.put(stocks, lineId(line), withBlock(stock, stocked));
      openNextBlock(draft, line, opensOn);
      return { answer: committed.entry };
    },
  };
}
