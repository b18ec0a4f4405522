import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ArrayMaxSize, IsArray, Matches } from 'class-validator';
import type { FindPlaysRequest, FindPlaysResponse, PlaysResponse, SeenRequest, SeenResponse } from '#contracts';
import { Problem, UUID, UuidPipe, WholeNumberPipe } from '#service';
import { FIND_LIMIT, PAGE_LIMIT, ReadPlays } from './read-plays.ts';
import { Seen } from './seen.ts';

class FindPlaysBody implements FindPlaysRequest {
  @IsArray()
  @ArrayMaxSize(FIND_LIMIT)
  @Matches(UUID, { each: true, message: 'playIds must be lower-case UUIDs' })
  playIds!: string[];
}

class SeenBody implements SeenRequest {
  @Matches(UUID, { message: 'playerId must be a lower-case UUID' })
  playerId!: string;
}

const playerIdParam = new UuidPipe('no-account');
const playIdParam = new UuidPipe('play-unknown');
const limitParam = new WholeNumberPipe('limit', { min: 1, max: PAGE_LIMIT, otherwise: 20 });
const beforeParam = new WholeNumberPipe('before', { min: 1, max: Number.MAX_SAFE_INTEGER, otherwise: null });

@Controller('internal/v1')
export class PlaysController {
  constructor(
    private readonly plays: ReadPlays,
    private readonly seen: Seen,
  ) {}

  @Get('players/:playerId/plays')
  page(
    @Param('playerId', playerIdParam) playerId: string,
    @Query('before', beforeParam) before: number | null,
    @Query('limit', limitParam) limit: number,
  ): Promise<PlaysResponse> {
    return this.plays.page(playerId, before, limit);
  }

  @Post('plays/find')
  @HttpCode(200)
  find(@Body() { playIds }: FindPlaysBody): Promise<FindPlaysResponse> {
    return this.plays.find(playIds);
  }

  @Post('plays/:playId/seen')
  @HttpCode(200)
  async markSeen(@Param('playId', playIdParam) playId: string, @Body() { playerId }: SeenBody): Promise<SeenResponse> {
    const seenAt = await this.seen.mark(playId, playerId);
    if (seenAt === null) throw new Problem(404, 'play-unknown', 'This player has no settled play with this id.');
    return { seenAt };
  }
}
