import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ArrayMaxSize, IsArray, Matches } from 'class-validator';
import type { AccountView, DebitsResponse, EntriesResponse, FindDebitsRequest, FindDebitsResponse } from '#contracts';
import { badRequest, Problem, UUID, UuidPipe, WholeNumberPipe } from '#service';
import { PAGE_LIMIT, Statement } from './statement.ts';

class FindDebitsBody implements FindDebitsRequest {
  @IsArray()
  @ArrayMaxSize(PAGE_LIMIT)
  @Matches(UUID, { each: true, message: 'playIds must be lower-case UUIDs' })
  playIds!: string[];
}

const playerIdParam = new UuidPipe('no-account');
const limitParam = new WholeNumberPipe('limit', { min: 1, max: PAGE_LIMIT, otherwise: 50 });
const beforeParam = new WholeNumberPipe('before', { min: 1, max: Number.MAX_SAFE_INTEGER, otherwise: null });
const aboveParam = new WholeNumberPipe('above', { min: 0, max: Number.MAX_SAFE_INTEGER, otherwise: 0 });

@Controller('internal/v1')
export class ReadAccountController {
  constructor(private readonly statement: Statement) {}

  @Get('accounts/:playerId')
  async account(@Param('playerId', playerIdParam) playerId: string): Promise<AccountView> {
    const account = await this.statement.account(playerId);
    if (account === null) throw new Problem(404, 'no-account', 'There is no account with this player id.');
    return account;
  }

  @Get('accounts/:playerId/entries')
  async entries(
    @Param('playerId', playerIdParam) playerId: string,
    @Query('before', beforeParam) before: number | null,
    @Query('limit', limitParam) limit: number,
  ): Promise<EntriesResponse> {
    const page = await this.statement.entries(playerId, before, limit);
    if (page === null) throw badRequest('The parameter before must be the `next` of the page before.');
    return page;
  }

  @Get('accounts/:playerId/debits')
  debits(
    @Param('playerId', playerIdParam) playerId: string,
    @Query('above', aboveParam) above: number,
    @Query('limit', limitParam) limit: number,
  ): Promise<DebitsResponse> {
    return this.statement.debitsAbove(playerId, above, limit);
  }

  @Post('debits/find')
  @HttpCode(200)
  async findDebits(@Body() body: FindDebitsBody): Promise<FindDebitsResponse> {
    return { items: await this.statement.debitsOfPlays(body.playIds) };
  }
}
