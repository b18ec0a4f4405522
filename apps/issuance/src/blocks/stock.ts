import type { Subject } from '#event-sourcing';
import type { Cents } from '#money';
import type { EmissionOrder } from '../emissions/emission.ts';

/** What is sold together: the units of one game at one stake. */
export interface Line {
  readonly game: string;
  readonly stakeCents: Cents;
}

export function lineId({ game, stakeCents }: Line): string {
  return `${game}-${stakeCents}`;
}

export interface StockedEmission extends EmissionOrder {
  /** Blocks committed so far. */
  readonly committed: number;
  readonly exhausted: number;
}

export interface StockedBlock {
  readonly blockId: string;
  readonly emissionId: string;
  readonly regulation: string;
  readonly size: number;
  /** The unit that its first sale sells; 0 until its opening. */
  readonly start: number;
  /** What must come before it can be sold: its opening, then that the bus has acknowledged it. Absent: nothing. */
  readonly waitsFor?: 'opening' | 'bus';
}

/**
 * What a line has to sell: its emissions in the order of approval, until they are used up, the block that is open, and
 * those that are committed and wait their turn. It is kept beside the events that change it, in the same append.
 */
export interface Stock {
  readonly emissions: readonly StockedEmission[];
  readonly open: StockedBlock | null;
  readonly ready: readonly StockedBlock[];
}

export const stocks: Subject<Stock, never> = {
  name: 'stock',
  initial: { emissions: [], open: null, ready: [] },
  evolve: (stock) => stock,
};

export function withEmission(stock: Stock, order: EmissionOrder): Stock {
  return { ...stock, emissions: [...stock.emissions, { ...order, committed: 0, exhausted: 0 }] };
}

/** Takes in a committed block of an emission that still wants one; others are refused with a RangeError. */
export function withBlock(stock: Stock, block: StockedBlock): Stock {
  const wanted = nextWanted(stock);
  if (wanted?.emissionId !== block.emissionId) throw new RangeError(`no block of ${block.emissionId} is wanted`);
  const emissions = stock.emissions.map((one) =>
    one.emissionId === block.emissionId ? { ...one, committed: one.committed + 1 } : one,
  );
  return { ...stock, emissions, ready: [...stock.ready, block] };
}

/** The emission whose next block is to be prepared, or null when all blocks that were approved are committed. */
export function nextWanted(stock: Stock): StockedEmission | null {
  return stock.emissions.find((emission) => emission.committed < emission.blocks) ?? null;
}

/** A block that waits goes on: it has its opening, and starts at this unit; the bus has still to acknowledge it. */
export function withOpening(stock: Stock, blockId: string, start: number): Stock {
  return withReady(stock, blockId, (block) => ({ ...block, start, waitsFor: 'bus' }));
}

/** A block that waits goes on: nothing keeps it from being sold but its turn. */
export function withAcknowledgement(stock: Stock, blockId: string): Stock {
  return withReady(stock, blockId, ({ waitsFor: _, ...block }) => block);
}

function withReady(stock: Stock, blockId: string, change: (block: StockedBlock) => StockedBlock): Stock {
  return { ...stock, ready: stock.ready.map((block) => (block.blockId === blockId ? change(block) : block)) };
}

/**
 * The first block that waits becomes the open one; nothing changes while one is open or the first cannot be sold yet:
 * blocks are sold in the order of the list.
 */
export function opensNext(stock: Stock): Stock {
  const [next, ...ready] = stock.ready;
  if (stock.open !== null || next === undefined || next.waitsFor !== undefined) return stock;
  return { ...stock, open: next, ready };
}

/** The open block is sold out; an emission whose last block it was leaves the stock. */
export function exhausted(stock: Stock): Stock {
  const emissions = stock.emissions
    .map((one) => (one.emissionId === stock.open?.emissionId ? { ...one, exhausted: one.exhausted + 1 } : one))
    .filter((one) => one.exhausted < one.blocks);
  return { ...stock, emissions, open: null };
}

/** Nothing is open, nothing waits, and nothing more was approved. */
export function isUsedUp(stock: Stock): boolean {
  return stock.emissions.length === 0 && stock.open === null;
}

/** The blocks that units come from now or next. */
export function blocksOf({ open, ready }: Stock): StockedBlock[] {
  return open === null ? [...ready] : [open, ...ready];
}

/** Units that can be issued before another block is prepared, or one that waits can be sold. */
export function unitsLeft(stock: Stock, soldOfOpen: number): number {
  const open = stock.open === null ? 0 : stock.open.size - soldOfOpen;
  const waiting = stock.ready.findIndex(({ waitsFor }) => waitsFor !== undefined);
  const next = waiting < 0 ? stock.ready : stock.ready.slice(0, waiting);
  return next.reduce((sum, block) => sum + block.size, open);
}

/** More units will come, of a block that waits or of one that is still to be prepared. */
export function awaitsBlock(stock: Stock): boolean {
  return nextWanted(stock) !== null || stock.ready.some(({ waitsFor }) => waitsFor !== undefined);
}

/**
 * How urgently a line wants its next block: null when none is to be prepared, above 1 when sales wait for it, else the
 * share of the open block that is sold. One block is always kept waiting behind the open one.
 */
export function urgency(stock: Stock, soldOfOpen: number, askedFor: boolean): number | null {
  if (nextWanted(stock) === null) return null;
  if (askedFor) return 3;
  if (stock.ready.length > 0) return null;
  return stock.open === null ? 2 : soldOfOpen / stock.open.size;
}
