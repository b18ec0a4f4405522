import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { Command, CommandBus, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Type } from 'class-transformer';
import { IsObject, Matches, MaxLength, ValidateIf, ValidateNested } from 'class-validator';
import type { Notice, ResumeSaleRequest, SaleOrderResponse, SuspendSaleRequest } from '#contracts';
import type { Draft, Work } from '#event-sourcing';
import { EventSourced, Problem } from '#service';
import { changeSale } from '../blocks/open-block.ts';
import { type Line, lineId, stocks } from '../blocks/stock.ts';
import { runInLane } from '../in-lane.ts';
import { RegulationsOnFile } from '../regulations/on-file.ts';
import { type Offer, resumeSale, type SaleEvent, sales, suspendSale } from './sale.ts';

/** Suspends every stake of a game (REG-1.1); answers the stakes, in cents, whose sale changed. */
export function suspensionWork(game: string, notice: Notice | null, regulations: RegulationsOnFile): Work<number[]> {
  const newest = regulations.newestOf(game);
  const stakes = (newest?.stakes ?? []).map(({ stakeCents }) => ({ stakeCents, regulation: newest?.id ?? '' }));
  return {
    states: [{ subject: sales, id: game }],
    decide: (draft) => ordered(draft, game, suspendSale(draft.state(sales, game), { game, notice }, stakes)),
  };
}

/** Ends a game's suspension; answers the stakes, in cents, whose sale changed. */
export function resumptionWork(game: string, regulations: RegulationsOnFile): Work<number[]> {
  const lines = regulations.lines().filter((line) => line.game === game);
  return {
    states: [{ subject: sales, id: game }, ...lines.map((line) => ({ subject: stocks, id: lineId(line) }))],
    decide(draft) {
      const offers = lines.flatMap((line) => offerOf(draft, line, regulations));
      return ordered(draft, game, resumeSale(draft.state(sales, game), game, offers, draft.at));
    },
  };
}

function offerOf(draft: Draft, line: Line, regulations: RegulationsOnFile): Offer[] {
  const { open } = draft.state(stocks, lineId(line));
  if (open === null) return [];
  return [{ ...line, regulation: open.regulation, opensOn: regulations.get(open.regulation).opensOn }];
}

function ordered(draft: Draft, game: string, events: readonly SaleEvent[]): { answer: number[] } {
  changeSale(draft, game, events);
  return { answer: events.map((event) => event.stakeCents) };
}

export class SuspendSale extends Command<SaleOrderResponse> {
  constructor(
    readonly game: string,
    readonly notice: Notice | null,
  ) {
    super();
  }
}

@CommandHandler(SuspendSale)
export class SuspendSaleHandler implements ICommandHandler<SuspendSale> {
  constructor(
    private readonly issuance: EventSourced,
    private readonly regulations: RegulationsOnFile,
  ) {}

  async execute({ game, notice }: SuspendSale): Promise<SaleOrderResponse> {
    known(game, this.regulations);
    return { changed: await runInLane(this.issuance.lane, suspensionWork(game, notice, this.regulations)) };
  }
}

export class ResumeSale extends Command<SaleOrderResponse> {
  constructor(readonly game: string) {
    super();
  }
}

@CommandHandler(ResumeSale)
export class ResumeSaleHandler implements ICommandHandler<ResumeSale> {
  constructor(
    private readonly issuance: EventSourced,
    private readonly regulations: RegulationsOnFile,
  ) {}

  async execute({ game }: ResumeSale): Promise<SaleOrderResponse> {
    known(game, this.regulations);
    return { changed: await runInLane(this.issuance.lane, resumptionWork(game, this.regulations)) };
  }
}

function known(game: string, regulations: RegulationsOnFile): void {
  if (regulations.newestOf(game) === null)
    throw new Problem(404, 'game-unknown', 'No regulation on file has this game.');
}

const GAME = /^[a-z][a-z0-9-]{0,63}$/;
/** Text that JSON and PostgreSQL keep as it is: no U+0000, no half of a surrogate pair. */
const TEXT = /^[^\0\p{Cs}]+$/u;

class NoticeBody implements Notice {
  @Matches(TEXT)
  @MaxLength(2_000)
  fr!: string;

  @Matches(TEXT)
  @MaxLength(2_000)
  en!: string;
}

class SuspendBody implements SuspendSaleRequest {
  @Matches(GAME)
  game!: string;

  @ValidateIf((_, value) => value !== null)
  @IsObject()
  @ValidateNested()
  @Type(() => NoticeBody)
  notice!: NoticeBody | null;
}

class ResumeBody implements ResumeSaleRequest {
  @Matches(GAME)
  game!: string;
}

@Controller('internal/v1/sales')
export class OrderSalesController {
  constructor(private readonly commands: CommandBus) {}

  @Post('suspend')
  @HttpCode(200)
  suspend(@Body() { game, notice }: SuspendBody): Promise<SaleOrderResponse> {
    return this.commands.execute(new SuspendSale(game, notice && { fr: notice.fr, en: notice.en }));
  }

  @Post('resume')
  @HttpCode(200)
  resume(@Body() { game }: ResumeBody): Promise<SaleOrderResponse> {
    return this.commands.execute(new ResumeSale(game));
  }
}
