import type { Lane, Work } from '#event-sourcing';
import { blockKeys, prizeTable } from '#fairness';
import { decided } from '../in-lane.ts';
import type { RegulationsOnFile } from '../regulations/on-file.ts';
import { type BlockCard, blockCards } from './commit-block.ts';
import type { PrepareBlock } from './prepare-in-worker.ts';
import type { OpenedSeal, SealedStore } from './sealed-block.ts';
import { blocksOf, type Line, lineId, type Stock, type StockedBlock, stocks } from './stock.ts';
import type { UnsealedBlock, Vault } from './vault.ts';

export interface LoadContext {
  readonly opened: { readonly lane: Lane };
  readonly sealed: SealedStore;
  readonly vault: Vault;
  readonly regulations: RegulationsOnFile;
}

const PAGE = 100;

/**
 * Settles what a crash has left between sealing and committing: a block that was committed gets its entry, one that was
 * not is forgotten.
 */
export async function settleSealedBlocks({ opened, sealed }: LoadContext): Promise<void> {
  for (;;) {
    const blockIds = await sealed.withoutEntry(PAGE);
    if (blockIds.length === 0) return;
    const cards = await decided(opened.lane, blockIds.map(readCard));
    for (const [i, blockId] of blockIds.entries()) {
      const card = cards[i];
      if (card) await sealed.setEntry(blockId, card.entry);
      else await sealed.discard(blockId);
    }
  }
}

/** Derives the decks that are missing again, from their secrets. Rejects for a block whose regulation is not on file. */
export async function sealMissingDecks(
  { sealed, regulations }: Pick<LoadContext, 'sealed' | 'regulations'>,
  prepare: PrepareBlock,
  stopping: AbortSignal,
): Promise<void> {
  for (;;) {
    const seals = await sealed.withoutDeck(PAGE);
    if (seals.length === 0) return;
    for (const { blockId, regulation, stakeCents, secret } of seals) {
      const prepared = await prepare({ tables: regulations.get(regulation), stakeCents, blockId, secret }, stopping);
      await sealed.sealDeck(blockId, prepared.deck);
      secret.fill(0);
    }
  }
}

/**
 * Puts every block that is open or waits into the vault. Rejects when one of them cannot be opened, and when the
 * regulation of an emission that is not used up is not on file.
 */
export async function loadVault({ opened, sealed, vault, regulations }: LoadContext): Promise<void> {
  const lines = regulations.lines();
  const loaded = await decided(opened.lane, lines.map(readStock));
  const wanted = new Map<string, { block: StockedBlock; line: Line }>();
  for (const [i, line] of lines.entries()) {
    const stock = loaded[i] ?? stocks.initial;
    for (const emission of stock.emissions) regulations.get(emission.regulation);
    for (const block of blocksOf(stock)) wanted.set(block.blockId, { block, line });
  }
  for (const seal of await sealed.open([...wanted.keys()])) {
    const of = wanted.get(seal.blockId);
    if (of) vault.put(unsealed(seal, of.block, of.line, regulations));
  }
  const missing = [...wanted.keys()].find((blockId) => !vault.has(blockId));
  if (missing) throw new Error(`the block ${missing} is committed, but its sealed contents are not in the database`);
}

/** What sales need of a block; the secret is wiped. */
export function unsealed(
  seal: OpenedSeal,
  block: { readonly emissionId: string; readonly regulation: string },
  line: Line,
  regulations: RegulationsOnFile,
): UnsealedBlock {
  const regulation = regulations.get(block.regulation);
  const { seedKey, shuffleKey } = blockKeys(seal.secret, seal.blockId);
  shuffleKey.fill(0);
  seal.secret.fill(0);
  return {
    blockId: seal.blockId,
    emissionId: block.emissionId,
    line,
    table: prizeTable(regulation, line.stakeCents),
    mechanic: regulation.mechanic,
    deck: seal.deck,
    seedKey,
  };
}

function readCard(blockId: string): Work<BlockCard | null> {
  return {
    states: [{ subject: blockCards, id: blockId }],
    decide: (draft) => ({ answer: draft.state(blockCards, blockId) }),
  };
}

function readStock(line: Line): Work<Stock> {
  const id = lineId(line);
  return { states: [{ subject: stocks, id }], decide: (draft) => ({ answer: draft.state(stocks, id) }) };
}
