import { Readable } from 'node:stream';
import { Controller, Get, Headers, Query, Res, UseGuards } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiOperation, ApiQuery, ApiTags, getSchemaPath } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { type EntriesResponse } from '#contracts';
import { EntriesPage, WalletView } from '#contracts/http';
import { badRequest, WholeNumberPipe } from '#service';
import { AnswersProblems, CALLER_PROBLEMS } from '../api-problems.ts';
import { PlayerGuard, PlayerId } from '../callers/caller.ts';
import { CursorPipe, cursorOf, cursorUnknown } from '../cursor.ts';
import { Wallet } from '../peers/wallet.ts';
import { csvOf, entryView } from './entries.ts';

const LIST = 'entries';

@ApiTags('wallet')
@ApiBearerAuth()
@Controller('api/v1/wallet')
@UseGuards(PlayerGuard)
export class WalletController {
  constructor(private readonly wallet: Wallet) {}

  @Get()
  @ApiOperation({ summary: 'The balances' })
  @ApiOkResponse({ type: WalletView })
  @AnswersProblems(...CALLER_PROBLEMS)
  async balances(@PlayerId() playerId: string): Promise<WalletView> {
    const { availableCents, reservedCents } = await this.wallet.account(playerId);
    return { availableCents, reservedCents, currency: 'EUR' };
  }

  @Get('entries')
  @ApiOperation({ summary: 'The statement, newest first; whole as CSV' })
  @ApiQuery({ name: 'cursor', required: false, type: String })
  @ApiQuery({ name: 'limit', required: false, schema: { type: 'integer', minimum: 1, maximum: 200, default: 50 } })
  @ApiQuery({ name: 'format', required: false, enum: ['json', 'csv'], description: 'Else the header Accept decides.' })
  @ApiOkResponse({
    description: 'A page, or the whole statement from the cursor on as CSV.',
    content: {
      'application/json': { schema: { $ref: getSchemaPath(EntriesPage) } },
      'text/csv': { schema: { type: 'string' } },
    },
  })
  @AnswersProblems(...CALLER_PROBLEMS, 'bad-request')
  async entries(
    @PlayerId() playerId: string,
    @Query('cursor', new CursorPipe(LIST)) before: number | null,
    @Query('limit', new WholeNumberPipe('limit', { min: 1, max: 200, otherwise: 50 })) limit: number,
    @Query('format') format: unknown,
    @Headers('accept') accept: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<EntriesPage | Readable> {
    if (wantsCsv(format, accept)) return this.#csv(playerId, before, reply);
    const page = await this.#page(playerId, before, limit);
    return { items: page.items.map(entryView), next: cursorOf(LIST, page.next) };
  }

  /** The first page is read before anything is answered, so that what is away is a problem and not half a file. */
  async #csv(playerId: string, before: number | null, reply: FastifyReply): Promise<Readable> {
    const page = (from: number | null) => this.#page(playerId, from, 200);
    const first = await page(before);
    reply.headers({
      'content-type': 'text/csv; charset=utf-8; header=present',
      'content-disposition': 'attachment; filename="entries.csv"',
    });
    return Readable.from(csvOf(first, page));
  }

  async #page(playerId: string, before: number | null, limit: number): Promise<EntriesResponse> {
    const page = await this.wallet.entries(playerId, before, limit);
    if (page === null) throw cursorUnknown();
    return page;
  }
}

function wantsCsv(format: unknown, accept: string | undefined): boolean {
  if (format === 'csv') return true;
  if (format !== undefined && format !== 'json') throw badRequest('The parameter format must be json or csv.');
  return format === undefined && /^\s*text\/csv\b/i.test(accept ?? '');
}
