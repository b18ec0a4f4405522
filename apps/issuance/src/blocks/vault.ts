import type { StateRef } from '#event-sourcing';
import { type PrizeTable, prizesOf, seedOf, toHex } from '#fairness';
import type { Cents } from '#money';
import { emissions } from '../emissions/emission.ts';
import { sales } from '../sales/sale.ts';
import { blocks } from './block.ts';
import { type Line, lineId, stocks } from './stock.ts';

/** A block whose contents are at hand: what its sales need of it, in clear. */
export interface UnsealedBlock {
  readonly blockId: string;
  readonly emissionId: string;
  readonly line: Line;
  readonly table: PrizeTable;
  readonly mechanic: string;
  /** One byte a unit: the row of the table from 1, 0 for a losing unit. */
  readonly deck: Uint8Array;
  readonly seedKey: Uint8Array;
}

/** One unit as the vault knows it. */
export interface Unit {
  readonly prizeCents: Cents;
  readonly seed: string;
  readonly mechanic: string;
}

/**
 * The contents, in memory, of the blocks that may be sold from: the open one of each line and those that wait. A block
 * is put in before the append that commits it and wiped after the one that exhausted it is stored, so what it names
 * is all that a decision on a line can touch.
 */
export class Vault {
  readonly #blocks = new Map<string, { readonly block: UnsealedBlock; readonly prizes: readonly Cents[] }>();
  readonly #refs = new Map<string, readonly StateRef[]>();

  put(block: UnsealedBlock): void {
    this.#blocks.set(block.blockId, { block, prizes: prizesOf(block.table) });
    this.#refs.delete(lineId(block.line));
  }

  has(blockId: string): boolean {
    return this.#blocks.has(blockId);
  }

  /** A RangeError for a block that is not in the vault and for a unit outside it. */
  unit(blockId: string, unitIndex: number): Unit {
    const held = this.#blocks.get(blockId);
    const row = held?.block.deck[unitIndex];
    const prizeCents = row === undefined ? undefined : held?.prizes[row];
    if (held === undefined || prizeCents === undefined)
      throw new RangeError(`no unit ${unitIndex} of block ${blockId}`);
    return { prizeCents, seed: toHex(seedOf(held.block.seedKey, unitIndex)), mechanic: held.block.mechanic };
  }

  /** Every state that the sale of a unit of this line may read or change. The same array until a block comes or goes. */
  states(line: Line): readonly StateRef[] {
    const id = lineId(line);
    const known = this.#refs.get(id);
    if (known !== undefined) return known;
    const held = [...this.#blocks.values()].map(({ block }) => block).filter((block) => lineId(block.line) === id);
    const refs = statesOf(line, held);
    if (held.length > 0) this.#refs.set(id, refs);
    return refs;
  }

  /** Overwrites and forgets every block but these. */
  keepOnly(blockIds: ReadonlySet<string>): void {
    for (const [blockId, { block }] of this.#blocks) {
      if (blockIds.has(blockId)) continue;
      block.deck.fill(0);
      block.seedKey.fill(0);
      this.#blocks.delete(blockId);
      this.#refs.delete(lineId(block.line));
    }
  }
}

function statesOf(line: Line, held: readonly UnsealedBlock[]): StateRef[] {
  const emissionIds = new Set(held.map((block) => block.emissionId));
  return [
    { subject: sales, id: line.game },
    { subject: stocks, id: lineId(line) },
    ...held.map((block) => ({ subject: blocks, id: block.blockId })),
    ...[...emissionIds].map((emissionId) => ({ subject: emissions, id: emissionId })),
  ];
}
