import { Controller, Get } from '@nestjs/common';
import type { SalesResponse, SaleView } from '#contracts';
import { streamOf } from '#event-sourcing';
import { EventSourced } from '#service';
import { RegulationsOnFile } from '../regulations/on-file.ts';
import { type Sale, sales } from './sale.ts';

/** The sales of every game that has ever been on sale, or was suspended before it was. */
@Controller('internal/v1/sales')
export class ReadSalesController {
  constructor(
    private readonly issuance: EventSourced,
    private readonly regulations: RegulationsOnFile,
  ) {}

  @Get()
  async sales(): Promise<SalesResponse> {
    const games = this.regulations.games();
    const { states } = await this.issuance.log.load(
      games.map((game) => streamOf(sales, game)),
      [],
    );
    const byId = new Map(states.map(({ id, state }) => [id, state as Sale | null]));
    return { sales: games.flatMap((game) => saleViews(game, byId.get(streamOf(sales, game)) ?? sales.initial)) };
  }
}

export function saleViews(game: string, sale: Sale): SaleView[] {
  return Object.entries(sale.stakes)
    .map(([stake, { status, regulation, notice }]) => ({
      game,
      stakeCents: Number(stake),
      regulation,
      status,
      notice,
    }))
    .sort((a, b) => a.stakeCents - b.stakeCents);
}
