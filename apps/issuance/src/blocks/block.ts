import type { EventOf } from '#contracts';
import type { Subject } from '#event-sourcing';
import { unitIndex } from '#fairness';

/** A block is its sales alone: version n of the stream `block-<id>` is the sale with sequence n - 1 (REG-2.1). */
export interface Block {
  readonly sold: number;
}

export const blocks: Subject<Block, EventOf<'UnitIssued'>> = {
  name: 'block',
  initial: { sold: 0 },
  evolve: (block) => ({ sold: block.sold + 1 }),
};

/** Where the sales of a block begin, and how many there are. */
export interface BlockShape {
  readonly start: number;
  readonly size: number;
}

export function isExhausted(block: Block, { size }: BlockShape): boolean {
  return block.sold >= size;
}

/** The unit that the next sale sells, or null when all are sold. */
export function nextUnit(block: Block, { start, size }: BlockShape): { sequence: number; unitIndex: number } | null {
  if (isExhausted(block, { start, size })) return null;
  return { sequence: block.sold, unitIndex: unitIndex(start, block.sold, size) };
}
