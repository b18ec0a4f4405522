import { Body, Controller, Get, Header, Headers, HttpCode, Param, Post, Query, Res, UseGuards } from '@nestjs/common';
import {
  ApiAcceptedResponse,
  ApiBearerAuth,
  ApiBody,
  ApiCreatedResponse,
  ApiHeader,
  ApiOkResponse,
  ApiOperation,
  ApiQuery,
  ApiTags,
} from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { PlaceablePlay, PlaysPage, PlayView, SeenView } from '#contracts/http';
import { canonical } from '#fairness';
import { UuidPipe, WholeNumberPipe } from '#service';
import { AnswersProblems, CALLER_PROBLEMS } from '../api-problems.ts';
import { PlayerGuard, PlayerId } from '../callers/caller.ts';
import { CursorPipe, cursorOf } from '../cursor.ts';
import { Catalog } from '../games/catalog.ts';
import { readIdempotencyKey, WithoutBody } from '../request-form.ts';
import { PlacePlay } from './place-play.ts';
import { readPlayRequest } from './play-request.ts';
import { PlayViews } from './play-view.ts';
import { ReadPlays } from './read-plays.ts';
import { Receipts } from './receipts.ts';
import { Seen } from './seen.ts';

const LIST = 'plays';
const playIdParam = new UuidPipe('play-unknown');

@ApiTags('plays')
@ApiBearerAuth()
@Controller('api/v1/plays')
@UseGuards(PlayerGuard)
export class PlaysController {
  constructor(
    private readonly catalog: Catalog,
    private readonly placePlay: PlacePlay,
    private readonly plays: ReadPlays,
    private readonly seen: Seen,
    private readonly receipts: Receipts,
    private readonly views: PlayViews,
  ) {}

  @Post()
  @ApiOperation({ summary: 'Places a play: debits the stake and answers with its outcome' })
  @ApiHeader({ name: 'Idempotency-Key', required: true, schema: { type: 'string', format: 'uuid' } })
  @ApiBody({ type: PlaceablePlay })
  @ApiCreatedResponse({ type: PlayView, description: 'It is settled.' })
  @ApiAcceptedResponse({ type: PlayView, description: 'It is pending; `Location` is where its outcome will stand.' })
  @AnswersProblems(
    ...CALLER_PROBLEMS,
    'body-invalid',
    'idempotency-key-invalid',
    'stake-unknown',
    'mode-unknown',
    'game-unknown',
    'sale-not-open',
    'sale-suspended',
    'sale-closed',
    'regulation-not-accepted',
    'balance-too-low',
    'account-unknown',
    'idempotency-key-reused',
    'outcome-unknown',
    'outcomes-delayed',
    'play-pending',
    'stake-failed',
    'too-busy',
  )
  async place(
    @PlayerId() playerId: string,
    @Headers('idempotency-key') header: string | undefined,
    @Body() body: object,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<PlayView> {
    const request = readPlayRequest(body, this.catalog);
    const play = await this.placePlay.place(playerId, readIdempotencyKey(header), request);
    reply.status(play.status === 'pending' ? 202 : 201).header('location', `/api/v1/plays/${play.playId}`);
    return this.views.of(play);
  }

  @Get()
  @ApiOperation({ summary: 'The player’s history, newest first' })
  @ApiQuery({ name: 'cursor', required: false, type: String })
  @ApiQuery({ name: 'limit', required: false, schema: { type: 'integer', minimum: 1, maximum: 100, default: 20 } })
  @ApiOkResponse({ type: PlaysPage })
  @AnswersProblems(...CALLER_PROBLEMS, 'bad-request', 'history-away', 'history-behind')
  async page(
    @PlayerId() playerId: string,
    @Query('cursor', new CursorPipe(LIST)) before: number | null,
    @Query('limit', new WholeNumberPipe('limit', { min: 1, max: 100, otherwise: 20 })) limit: number,
  ): Promise<PlaysPage> {
    const { items, next } = await this.plays.page(playerId, before, limit);
    return { items: items.map(this.views.of), next: cursorOf(LIST, next) };
  }

  @Get('last')
  @ApiOperation({ summary: 'The last play: where a player checks whether a unit won that he could not see (REG-4.2)' })
  @ApiOkResponse({ type: PlayView })
  @AnswersProblems(...CALLER_PROBLEMS, 'no-play-yet', 'history-away', 'history-behind')
  async last(@PlayerId() playerId: string): Promise<PlayView> {
    return this.views.of(await this.plays.last(playerId));
  }

  @Get(':id')
  @ApiOperation({ summary: 'One play' })
  @ApiOkResponse({ type: PlayView })
  @AnswersProblems(...CALLER_PROBLEMS, 'play-unknown', 'history-away')
  async one(@PlayerId() playerId: string, @Param('id', playIdParam) playId: string): Promise<PlayView> {
    return this.views.of(await this.plays.one(playerId, playId));
  }

  /** The canonical bytes, as they were signed. */
  @Get(':id/receipt')
  @Header('content-type', 'application/json; charset=utf-8')
  @ApiOperation({ summary: 'What proves the unit of a settled play, to anybody and without us' })
  @ApiOkResponse({
    schema: { type: 'object', additionalProperties: true, description: '`enjeu-receipt/1`, as signed.' },
  })
  @AnswersProblems(
    ...CALLER_PROBLEMS,
    'play-unknown',
    'play-not-settled',
    'play-refunded',
    'history-away',
    'issuance-away',
  )
  async receipt(@PlayerId() playerId: string, @Param('id', playIdParam) playId: string): Promise<string> {
    return canonical(await this.receipts.of(playerId, playId));
  }

  @Post(':id/seen')
  @HttpCode(200)
  @UseGuards(WithoutBody)
  @ApiOperation({ summary: 'Marks a play as shown to its end; the first time counts' })
  @ApiOkResponse({ type: SeenView })
  @AnswersProblems(...CALLER_PROBLEMS, 'play-unknown', 'play-not-settled', 'history-away', 'history-behind')
  async markSeen(@PlayerId() playerId: string, @Param('id', playIdParam) playId: string): Promise<SeenView> {
    return { seenAt: await this.seen.mark(playerId, playId) };
  }
}
