import type { DataSource } from 'typeorm';
import { type EventBody, parseEvent } from '#contracts';
import { type Clock, timeText } from '#event-sourcing';
import {
  blockKeys,
  type Commitment,
  entryDigest,
  holderOf,
  type Opening,
  type PrizeTable,
  prizeTable,
  proofOf,
  type Receipt,
  type SigningKey,
  signReceipt,
} from '#fairness';
import { issuedScript, type JudgeScript } from '#mechanics';
import type { SealedBlocks } from '../blocks/sealed-block.ts';
import { committedBlock, newestCommitment } from '../blocks/stored-blocks.ts';
import type { RegulationsOnFile } from '../regulations/on-file.ts';

/** By the unique index on (stream, version): a block's n-th sale is version n of its stream. It takes no lock. */
const SALE = `
  select schema_version as "schemaVersion",
         data::text as data
    from events
   where stream = $1
     and version = $2`;

export interface ReceiptContext {
  readonly opened: { readonly dataSource: DataSource };
  readonly sealed: Pick<SealedBlocks, 'openStretch'>;
  readonly regulations: RegulationsOnFile;
  readonly scriptOf: JudgeScript;
  readonly key: SigningKey;
  readonly clock: Clock;
}

interface PublicBlock {
  readonly commitment: Commitment;
  readonly opening: Opening | null;
  readonly table: PrizeTable;
}

/** Public parts of blocks that are kept at hand: some kilobytes each. */
const MOST_BLOCKS = 500;

/** Receipts of issued units, made and signed when they are asked for. */
export class Receipts {
  readonly #blocks = new Map<string, PublicBlock>();

  constructor(private readonly context: ReceiptContext) {}

  /**
   * The receipt of a block's sale (`sequence` from 0), null where there was none. Rejects when the block's contents
   * cannot be opened, and when the clock stands before what it would sign.
   */
  async of(blockId: string, sequence: number): Promise<Receipt | null> {
    const { opened, clock, key } = this.context;
    const unit = await this.#sale(blockId, sequence);
    if (unit === null) return null;
    const { commitment, opening, table } = await this.#block(blockId);
    const [head, proof] = await Promise.all([newestCommitment(opened.dataSource), this.#proof(unit, table)]);
    const newest = head ?? commitment;
    return signReceipt(
      {
        playId: unit.playId,
        holder: holderOf(unit.playId, unit.playerId),
        game: unit.game,
        stakeCents: unit.stakeCents,
        prizeCents: unit.prizeCents,
        sequence: unit.sequence,
        unitIndex: unit.unitIndex,
        seed: unit.seed,
        mechanic: unit.mechanic,
        ...this.#script(unit),
        commitment,
        opening,
        proof,
        listHead: { entry: newest.entry, digest: entryDigest(newest) },
        placedAt: unit.placedAt,
        unitIssuedAt: unit.issuedAt,
        signedAt: timeText(Math.max(clock.now(), Date.parse(unit.issuedAt))),
      },
      key,
    );
  }

  async #sale(blockId: string, sequence: number): Promise<EventBody<'UnitIssued'> | null> {
    const [row] = await this.context.opened.dataSource.query<{ schemaVersion: number; data: string }[]>(SALE, [
      `block-${blockId}`,
      sequence + 1,
    ]);
    return row === undefined ? null : parseEvent('UnitIssued', row.schemaVersion, JSON.parse(row.data));
  }

  async #block(blockId: string): Promise<PublicBlock> {
    const known = this.#blocks.get(blockId);
    if (known !== undefined) return known;
    const found = await committedBlock(this.context.opened.dataSource, blockId);
    if (found === null) throw new Error(`block ${blockId} sold a unit and is not in the list`);
    const { commitment, card } = found;
    const regulation = this.context.regulations.get(commitment.regulation);
    const block = { commitment, opening: card.opening ?? null, table: prizeTable(regulation, commitment.stakeCents) };
    const [oldest] = this.#blocks.keys();
    if (this.#blocks.size >= MOST_BLOCKS && oldest !== undefined) this.#blocks.delete(oldest);
    this.#blocks.set(blockId, block);
    return block;
  }

  async #proof({ blockId, unitIndex }: EventBody<'UnitIssued'>, table: PrizeTable): Promise<string[]> {
    const stretch = await this.context.sealed.openStretch(blockId, unitIndex);
    if (stretch === null) throw new Error(`the contents of block ${blockId} are not in the database`);
    const { seedKey, shuffleKey } = blockKeys(stretch.secret, blockId);
    try {
      return proofOf({ table, deck: stretch.deck, seedKey, coarseLevel: stretch.coarseLevel }, unitIndex);
    } finally {
      for (const secret of [stretch.secret, stretch.deck, seedKey, shuffleKey]) secret.fill(0);
    }
  }

  /** As it was issued; null where it was withheld then, and where it is no longer what was issued. */
  #script(unit: EventBody<'UnitIssued'>): Pick<Receipt, 'script' | 'scriptDigest'> {
    const { scriptDigest } = unit;
    const issued = scriptDigest === null ? null : issuedScript(unit, scriptDigest, this.context.scriptOf);
    if (issued === null || 'differs' in issued) return { script: null, scriptDigest: null };
    return { script: issued.script, scriptDigest };
  }
}
