import { Controller, Get, Param, Query } from '@nestjs/common';
import type { BlocksResponse, BlockView } from '#contracts';
import { streamOf } from '#event-sourcing';
import { EventSourced, Problem, UuidPipe, WholeNumberPipe } from '#service';
import { storedStates } from '../stored-states.ts';
import { type Block, blocks } from './block.ts';
import { type BlockCard, blockCards } from './commit-block.ts';
import { lineId, type Stock, stocks } from './stock.ts';

/** Takes no lock; one scan of the unique index on (stream, version), which has no gaps, over at most `limit` rows. */
const COMMITMENTS_FROM = `
  select data::text as data
    from events
   where stream = 'commitments'
     and version >= $1
   order by version
   limit $2`;

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
    const found = await this.#commitments(from, limit + 1);
    return { items: found.slice(0, limit), next: found.length > limit ? from + limit : null };
  }

  @Get(':id')
  async block(@Param('id', blockIdParam) blockId: string): Promise<BlockView> {
    const card = await this.#state<BlockCard>(streamOf(blockCards, blockId));
    const [commitment] = card === null ? [] : await this.#commitments(card.entry, 1);
    if (card === null || commitment === undefined) {
      throw new Problem(404, 'block-unknown', 'No block with this id has been committed.');
    }
    const stock = await this.#state<Stock>(streamOf(stocks, lineId(card)));
    const block = await this.#state<Block>(streamOf(blocks, blockId));
    const sold = block?.sold ?? 0;
    return { commitment, opening: openingOf(card), status: statusOf(card, stock ?? stocks.initial), sold };
  }

  async #commitments(from: number, limit: number): Promise<Record<string, unknown>[]> {
    const rows: { data: string }[] = await this.issuance.dataSource.query(COMMITMENTS_FROM, [from + 1, limit]);
    return rows.map(({ data }) => JSON.parse(data));
  }

  async #state<State>(id: string): Promise<State | null> {
    const states = await storedStates(this.issuance.dataSource, [id]);
    return (states.get(id) as State | undefined) ?? null;
  }
}

/** Blocks that an earlier version committed have none. */
function openingOf({ opening }: BlockCard): Record<string, unknown> | null {
  return (opening ?? null) as Record<string, unknown> | null;
}

function statusOf({ blockId }: BlockCard, { open, ready }: Stock): BlockView['status'] {
  if (open?.blockId === blockId) return 'open';
  const waiting = ready.find((one) => one.blockId === blockId);
  if (waiting === undefined) return 'exhausted';
  return waiting.waitsFor === 'opening' ? 'committed' : 'drawn';
}
