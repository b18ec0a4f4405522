import { createHash } from 'node:crypto';
import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { Command, CommandBus, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { IsInt, Matches, Max, Min } from 'class-validator';
import type { AdjustRequest, AdjustResponse } from '#contracts';
import type { LaneAnswer, Work } from '#event-sourcing';
import { cents } from '#money';
import { EventSourced, LINE, Problem, runOneInLane, UUID } from '#service';
import { accounts, adjust } from './account.ts';

/** 100 million euros: whatever is above is a mistake, and no number of adjustments leaves the safe integers. */
const MOST_CENTS = 10_000_000_000;

/** What is stored under the adjustment's id. */
export type AdjustAnswer = { readonly adjustmentId: string } | { readonly refused: AdjustRefusal };
type AdjustRefusal = 'account-unknown' | 'balance-too-low';

/** One correction as the lane takes it: exactly once per adjustmentId, and always the same one. */
export function adjustWork(request: AdjustRequest): Work<AdjustAnswer> {
  const { adjustmentId, playerId, reason } = request;
  return {
    states: [{ subject: accounts, id: playerId }],
    // An adjustment's id is the owner of its own name space: so it counts once over all accounts, and never meets a
    // player's keys, which are owned by a player id that was made at random here.
    key: { owner: adjustmentId, key: adjustmentId, requestHash: hashOf(request) },
    decide(draft) {
      const amountCents = cents(request.amountCents);
      const account = draft.state(accounts, playerId);
      const decision = adjust(account, { adjustmentId, playerId, amountCents, reason, at: draft.at });
      if ('refused' in decision) {
        return { answer: { refused: decision.refused }, spendsKey: decision.refused !== 'account-unknown' };
      }
      for (const event of decision.events) draft.emit(accounts, playerId, event);
      return { answer: { adjustmentId } };
    },
  };
}

function hashOf({ playerId, amountCents, reason }: AdjustRequest): string {
  return createHash('sha256')
    .update(JSON.stringify([playerId, amountCents, reason]))
    .digest('hex');
}

export class AdjustAccount extends Command<AdjustResponse> {
  constructor(readonly request: AdjustRequest) {
    super();
  }
}

@CommandHandler(AdjustAccount)
export class AdjustAccountHandler implements ICommandHandler<AdjustAccount> {
  constructor(private readonly wallet: EventSourced) {}

  async execute({ request }: AdjustAccount): Promise<AdjustResponse> {
    return adjustResponse(await runOneInLane(this.wallet.lane, adjustWork(request)));
  }
}

function adjustResponse(answer: Exclude<LaneAnswer<AdjustAnswer>, { kind: 'failed' }>): AdjustResponse {
  if (answer.kind === 'key-reused') {
    throw new Problem(422, 'key-reused', 'This adjustmentId was used for another player, amount or reason.');
  }
  if ('refused' in answer.answer) return { kind: 'refused', reason: answer.answer.refused };
  return { kind: answer.kind === 'repeated' ? 'repeated' : 'adjusted' };
}

class AdjustBody implements AdjustRequest {
  @Matches(UUID)
  adjustmentId!: string;

  @Matches(UUID)
  playerId!: string;

  @IsInt()
  @Min(-MOST_CENTS)
  @Max(MOST_CENTS)
  amountCents!: number;

  @Matches(LINE)
  reason!: string;
}

@Controller('internal/v1/adjustments')
export class AdjustmentsController {
  constructor(private readonly commands: CommandBus) {}

  @Post()
  @HttpCode(200)
  adjust(@Body() body: AdjustBody): Promise<AdjustResponse> {
    return this.commands.execute(new AdjustAccount(body));
  }
}
