import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { Command, CommandBus, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Matches, ValidateIf } from 'class-validator';
import type { AcceptRequest, AcceptResponse } from '#contracts';
import type { LaneAnswer, Work } from '#event-sourcing';
import { bodyInvalid, EventSourced, LINE, RegulationRegistry, runOneInLane, UUID } from '#service';
import { acceptRegulation, accounts } from './account.ts';
import { SHA_256 } from './forms.ts';

/** What is stored with the player's key. */
export type AcceptAnswer = { readonly accepted: string } | { readonly refused: AcceptRefusal };
type AcceptRefusal = 'regulation-unknown' | 'account-unknown';

/**
 * One acceptance as the lane takes it, under the player's key where there is one. A regulation that is not on record is
 * refused; accepting twice is answered like once.
 */
export function acceptWork(request: AcceptRequest, regulations: Pick<RegulationRegistry, 'has'>): Work<AcceptAnswer> {
  const { playerId, regulation, idempotencyKey, requestHash } = request;
  return {
    states: [{ subject: accounts, id: playerId }],
    ...(idempotencyKey !== null && requestHash !== null
      ? { key: { owner: playerId, key: idempotencyKey, requestHash } }
      : {}),
    decide(draft) {
      const decision = acceptRegulation(draft.state(accounts, playerId), { playerId, regulation, at: draft.at });
      if ('refused' in decision) return { answer: { refused: decision.refused }, spendsKey: false };
      if (!regulations.has(regulation)) return { answer: { refused: 'regulation-unknown' } };
      for (const event of decision.events) draft.emit(accounts, playerId, event);
      return { answer: { accepted: regulation } };
    },
  };
}

export class AcceptRegulation extends Command<AcceptResponse> {
  constructor(readonly request: AcceptRequest) {
    super();
  }
}

@CommandHandler(AcceptRegulation)
export class AcceptRegulationHandler implements ICommandHandler<AcceptRegulation> {
  constructor(
    private readonly wallet: EventSourced,
    private readonly regulations: RegulationRegistry,
  ) {}

  async execute({ request }: AcceptRegulation): Promise<AcceptResponse> {
    return acceptResponse(await runOneInLane(this.wallet.lane, acceptWork(request, this.regulations)));
  }
}

/** What the gateway is told. */
export function acceptResponse(answer: Exclude<LaneAnswer<AcceptAnswer>, { kind: 'failed' }>): AcceptResponse {
  if (answer.kind === 'key-reused') return { kind: 'key-reused' };
  return 'refused' in answer.answer ? { kind: 'refused', reason: answer.answer.refused } : { kind: 'accepted' };
}

class AcceptBody implements AcceptRequest {
  @Matches(UUID)
  playerId!: string;

  @Matches(LINE)
  regulation!: string;

  @ValidateIf((body: AcceptBody) => body.idempotencyKey !== null)
  @Matches(UUID)
  idempotencyKey!: string | null;

  @ValidateIf((body: AcceptBody) => body.requestHash !== null)
  @Matches(SHA_256)
  requestHash!: string | null;
}

@Controller('internal/v1/acceptances')
export class AcceptancesController {
  constructor(private readonly commands: CommandBus) {}

  @Post()
  @HttpCode(200)
  accept(@Body() body: AcceptBody): Promise<AcceptResponse> {
    if ((body.idempotencyKey === null) !== (body.requestHash === null)) {
      throw bodyInvalid([{ path: 'requestHash', message: 'requestHash and idempotencyKey are null together' }]);
    }
    return this.commands.execute(new AcceptRegulation(body));
  }
}
