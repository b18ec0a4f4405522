import { Controller, Get, Param, Query } from '@nestjs/common';
import type { BlocksResponse, BlockView } from '#contracts';
import { streamOf } from '#event-sourcing';
import type { Commitment, Opening } from '#fairness';
import { EventSourced, Problem, UuidPipe, WholeNumberPipe } from '#service';
import { storedStates } from '../stored-states.ts';
import { type Block, blocks } from './block.ts';
import type { BlockCard } from './commit-block.ts';
import { lineId, type Stock, stocks } from './stock.ts';
import { commitmentsFrom, committedBlock } from './stored-blocks.ts';

const fromParam = new WholeNumberPipe('from', { min: 0, max: Number.MAX_SAFE_INTEGER - 1, otherwise: 0 });
const limitParam = new WholeNumberPipe('limit', { min: 1, max: 100, otherwise: 50 });
const blockIdParam = new UuidPipe('block-unknown');

@Controller('internal/v1/blocks')
export class ReadBlocksController {
  constructor(private readonly issuance: EventSourced) {}

  /** The list of commitments as signed, in order of entry. */
  @Get()
  async list(
    @Query('from', fromParam) from: number,
    @Query('limit', limitParam) limit: number,
  ): Promise<BlocksResponse> {
    const found = await commitmentsFrom(this.issuance.dataSource, from, limit + 1);
    return { items: found.slice(0, limit).map(asPublished), next: found.length > limit ? from + limit : null };
  }

  @Get(':id')
  async block(@Param('id', blockIdParam) blockId: string): Promise<BlockView> {
    const committed = await committedBlock(this.issuance.dataSource, blockId);
    if (committed === null) throw new Problem(404, 'block-unknown', 'No block with this id has been committed.');
    const { card, commitment } = committed;
    const stock = await this.#state<Stock>(streamOf(stocks, lineId(card)));
    const block = await this.#state<Block>(streamOf(blocks, blockId));
    const sold = block?.sold ?? 0;
    return {
      commitment: asPublished(commitment),
      // Blocks that an earlier version committed have none.
      opening: card.opening ? asPublished(card.opening) : null,
      status: statusOf(card, stock ?? stocks.initial),
      sold,
    };
  }

  async #state<State>(id: string): Promise<State | null> {
    const states = await storedStates(this.issuance.dataSource, [id]);
    return (states.get(id) as State | undefined) ?? null;
  }
}

function asPublished(object: Commitment | Opening): Record<string, unknown> {
  return { ...object };
}

function statusOf({ blockId }: BlockCard, { open, ready }: Stock): BlockView['status'] {
  if (open?.blockId === blockId) return 'open';
  const waiting = ready.find((one) => one.blockId === blockId);
  if (waiting === undefined) return 'exhausted';
  return waiting.waitsFor === 'opening' ? 'committed' : 'drawn';
}
