import { Controller, Get } from '@nestjs/common';
import type { SalesResponse, SaleView } from '#contracts';
import { streamOf } from '#event-sourcing';
import { EventSourced } from '#service';
import { RegulationsOnFile } from '../regulations/on-file.ts';
import { storedStates } from '../stored-states.ts';
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
    const ids = games.map((game) => streamOf(sales, game));
    const states = await storedStates(this.issuance.dataSource, ids);
    const saleOf = (game: string) => (states.get(streamOf(sales, game)) as Sale | undefined) ?? sales.initial;
    return { sales: games.flatMap((game) => saleViews(game, saleOf(game))) };
  }
}

function saleViews(game: string, sale: Sale): SaleView[] {
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
