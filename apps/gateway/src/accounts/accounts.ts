import { Body, Controller, Get, Headers, HttpCode, Post, Res, UseGuards } from '@nestjs/common';
import { ApiBearerAuth, ApiCreatedResponse, ApiHeader, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { type AcceptResponse } from '#contracts';
import { Acceptance, AcceptedView, MeView, OpenedAccount } from '#contracts/http';
import { requestHash } from '#event-sourcing';
import { Problem } from '#service';
import { AnswersProblems, CALLER_PROBLEMS } from '../api-problems.ts';
import { Caller, PlayerGuard, PlayerId, TokenGuard } from '../callers/caller.ts';
import { Catalog } from '../games/catalog.ts';
import { type Identity, Wallet } from '../peers/wallet.ts';
import { readIdempotencyKey, WithoutBody } from '../request-form.ts';

@ApiTags('account')
@ApiBearerAuth()
@Controller('api/v1')
export class AccountsController {
  constructor(
    private readonly wallet: Wallet,
    private readonly catalog: Catalog,
  ) {}

  @Post('accounts')
  @UseGuards(TokenGuard, WithoutBody)
  @ApiOperation({ summary: 'Opens the caller’s account' })
  @ApiCreatedResponse({ type: OpenedAccount })
  @ApiOkResponse({ type: OpenedAccount, description: 'It was open already.' })
  @AnswersProblems('token-missing', 'token-refused', 'wrong-token-kind', 'issuer-away', 'wallet-away')
  async open(
    @Caller() { issuer, subject }: Identity,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<OpenedAccount> {
    const answer = await this.wallet.openAccount({ issuer, subject });
    reply.status(answer.opened ? 201 : 200);
    return { playerId: answer.playerId, opened: answer.opened };
  }

  @Get('me')
  @UseGuards(PlayerGuard)
  @ApiOperation({ summary: 'The caller’s account, and what he has still to accept' })
  @ApiOkResponse({ type: MeView })
  @AnswersProblems(...CALLER_PROBLEMS)
  async me(@PlayerId() playerId: string): Promise<MeView> {
    const { openedAt, accepted } = await this.wallet.account(playerId);
    const ids = new Set(accepted.map(({ regulation }) => regulation));
    return {
      playerId,
      state: 'open',
      openedAt,
      accepted: accepted.map(({ regulation, acceptedAt }) => ({ regulation, acceptedAt })),
      missing: this.catalog.toAccept.filter((id) => !ids.has(id)),
    };
  }

  @Post('acceptances')
  @HttpCode(200)
  @UseGuards(PlayerGuard)
  @ApiOperation({ summary: 'Accepts a version of a regulation; twice is like once' })
  @ApiHeader({ name: 'Idempotency-Key', required: false, schema: { type: 'string', format: 'uuid' } })
  @ApiOkResponse({ type: AcceptedView })
  @AnswersProblems(
    ...CALLER_PROBLEMS,
    'body-invalid',
    'idempotency-key-invalid',
    'regulation-unknown',
    'account-unknown',
    'idempotency-key-reused',
  )
  async accept(
    @PlayerId() playerId: string,
    @Headers('idempotency-key') header: string | undefined,
    @Body() { regulation }: Acceptance,
  ): Promise<AcceptedView> {
    const idempotencyKey = header === undefined ? null : readIdempotencyKey(header);
    if (!this.catalog.regulations.has(regulation)) throw regulationUnknown();
    const hash = idempotencyKey === null ? null : requestHash('POST /acceptances', { regulation });
    const answer = await this.wallet.accept({ playerId, regulation, idempotencyKey, requestHash: hash });
    if (answer.kind !== 'accepted') throw refusal(answer);
    return { regulation };
  }
}

function regulationUnknown(): Problem {
  return new Problem(404, 'regulation-unknown', 'No regulation has this id.');
}

function refusal({ kind, reason }: AcceptResponse): Problem {
  if (kind === 'key-reused') {
    return new Problem(422, 'idempotency-key-reused', 'This Idempotency-Key was used before for another request.');
  }
  if (reason === 'account-unknown') return new Problem(409, 'account-unknown', 'Open an account first.');
  return regulationUnknown();
}
