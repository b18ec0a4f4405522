import { Body, Controller, Get, HttpCode, Inject, Post, Query } from '@nestjs/common';
import type { ParkedResponse, PublishAgainResponse, SendAgainResponse } from '#contracts';
import type { ParkedRecord } from '#event-sourcing';
import { badRequest, bodyInvalid, WholeNumberPipe } from './validation.ts';

/** What a service with positions offers to operators: its parked records. */
export interface ParkedRecords {
  /** In order of source and position; of one key where it is given. At most `limit`. */
  parked(filter: {
    readonly key?: string;
    readonly limit: number;
  }): Promise<(ParkedRecord & { readonly parkedAt: string })[]>;
  sendAgain(key: string): Promise<SendAgainResponse>;
}

/** Injection token of a service's ParkedRecords. */
export const PARKED_RECORDS = Symbol('parked records');

/** `GET /internal/v1/parked` and `POST /internal/v1/parked/send-again`. */
@Controller('internal/v1/parked')
export class ParkedController {
  constructor(@Inject(PARKED_RECORDS) private readonly records: ParkedRecords) {}

  @Get()
  async list(
    @Query('key') key: unknown,
    @Query('limit', new WholeNumberPipe('limit', { min: 1, max: 1_000, otherwise: 100 })) limit: number,
  ): Promise<ParkedResponse> {
    if (key !== undefined && typeof key !== 'string') throw badRequest('Give the parameter key once.');
    const rows = await this.records.parked(key === undefined ? { limit } : { key, limit });
    return {
      items: rows.map(({ source, position, key, record, error, parkedAt }) => ({
        source,
        position,
        key,
        type: record.type,
        error,
        parkedAt,
      })),
    };
  }

  @Post('send-again')
  @HttpCode(200)
  sendAgain(@Body() body: unknown): Promise<SendAgainResponse> {
    const { key } = body as { key?: unknown };
    if (typeof key !== 'string' || key === '') throw bodyInvalid([{ path: 'key', message: 'must be a text' }]);
    return this.records.sendAgain(key);
  }
}

/** What a service with a log offers to its consumers: records that the bus has lost, once more. */
export interface Publisher {
  /** Whatever comes after this position is published again; false where it still will be anyway, or there is no relay. */
  publishAgain(position: number): Promise<boolean>;
}

/** Injection token of a service's Publisher. */
export const PUBLISHER = Symbol('publisher');

/** `POST /internal/v1/publish-again`. */
@Controller('internal/v1/publish-again')
export class PublishAgainController {
  constructor(@Inject(PUBLISHER) private readonly publisher: Publisher) {}

  @Post()
  @HttpCode(200)
  async publishAgain(@Body() body: unknown): Promise<PublishAgainResponse> {
    const { position } = body as { position?: unknown };
    if (!Number.isSafeInteger(position) || (position as number) < 0) {
      throw bodyInvalid([{ path: 'position', message: 'must be a position, from 0' }]);
    }
    return { moved: await this.publisher.publishAgain(position as number) };
  }
}
