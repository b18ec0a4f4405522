import { Controller, Get, Header, Param } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { GamesView, GameView, type StakeView } from '#contracts/http';
import { canonical } from '#fairness';
import { hitRate, returnRate, type Stake, totals } from '#regulation';
import { Problem } from '#service';
import { AnswersProblems } from '../api-problems.ts';
import { Away } from '../peers/away.ts';
import { Catalog, type Game } from './catalog.ts';
import { type Sale, Sales } from './sales.ts';

type SaleAt = (game: string, stakeCents: number) => Sale | null | 'unknown';

@ApiTags('games')
@Controller('api/v1')
export class GamesController {
  constructor(
    private readonly catalog: Catalog,
    private readonly sales: Sales,
  ) {}

  @Get('games')
  @ApiOperation({ summary: 'The games, with their prize tables and sales', security: [] })
  @ApiOkResponse({ type: GamesView })
  @AnswersProblems('bad-request')
  async games(): Promise<GamesView> {
    const saleAt = await this.#saleAt();
    return { items: [...this.catalog.games.values()].map((game) => viewOf(game, saleAt)) };
  }

  @Get('games/:game')
  @ApiOperation({ summary: 'One game', security: [] })
  @ApiOkResponse({ type: GameView })
  @AnswersProblems('game-unknown')
  async game(@Param('game') name: string): Promise<GameView> {
    const game = this.catalog.games.get(name);
    if (game === undefined)
      throw new Problem(404, 'game-unknown', 'No game has this name; GET /api/v1/games lists them.');
    return viewOf(game, await this.#saleAt());
  }

  /** The canonical bytes, whose SHA-256 is the `regulationDigest` of every block sold under it. */
  @Get('regulations/:id')
  @Header('content-type', 'application/json; charset=utf-8')
  @ApiOperation({ summary: 'A regulation as data: what every commitment names by its digest', security: [] })
  @ApiOkResponse({ schema: { type: 'object', additionalProperties: true } })
  @AnswersProblems('regulation-unknown')
  regulation(@Param('id') id: string): string {
    const regulation = this.catalog.regulations.get(id);
    if (regulation === undefined) throw new Problem(404, 'regulation-unknown', 'No regulation has this id.');
    return canonical(regulation);
  }

  /** Tables and rules are shown whatever is away; then the sale is what it is, unknown. */
  async #saleAt(): Promise<SaleAt> {
    try {
      return await this.sales.current();
    } catch (error) {
      if (error instanceof Away) return () => 'unknown';
      throw error;
    }
  }
}

function viewOf({ regulation, modes }: Game, saleAt: SaleAt): GameView {
  const stakes = regulation.stakes.map((stake) =>
    stakeView(stake, regulation.blockSize, saleAt(regulation.game, stake.stakeCents)),
  );
  return {
    game: regulation.game,
    names: regulation.names,
    regulation: regulation.id,
    opensOn: regulation.opensOn,
    references: [...regulation.references],
    notice: stakes.find(({ status, notice }) => status !== 'open' && notice !== null)?.notice ?? null,
    modes: [...modes],
    blockSize: regulation.blockSize,
    stakes,
  };
}

function stakeView(stake: Stake, blockSize: number, sale: Sale | null | 'unknown'): StakeView {
  const { count, totalCents } = totals(stake);
  const known = sale === 'unknown' ? null : sale;
  return {
    stakeCents: stake.stakeCents,
    status: sale === 'unknown' ? 'unknown' : (known?.status ?? 'not-open'),
    notice: known?.notice ?? null,
    rows: stake.rows.map((row) => ({ count: row.count, prizeCents: row.prizeCents })),
    prizes: count,
    totalCents,
    returnRate: returnRate({ blockSize }, stake),
    winRate: hitRate({ blockSize }, stake),
  };
}
