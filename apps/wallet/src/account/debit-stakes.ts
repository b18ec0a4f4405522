import { Body, Controller, HttpCode, Logger, Post } from '@nestjs/common';
import { Command, CommandBus, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { PlayMode, StakeDecision, StakeRefusal, StakesResponse, StakeToDebit } from '#contracts';
import type { LaneAnswer, Work } from '#event-sourcing';
import { cents } from '#money';
import { bodyInvalid, EventSourced, isUuid, RegulationRegistry, runInLane } from '#service';
import { saleCopies, saleOf } from '../sales/sale-copy.ts';
import { accounts, debitStake } from './account.ts';
import { NAME, SHA_256 } from './forms.ts';

/** Stakes of one call at most. */
const STAKES_LIMIT = 1_000;

/** What is stored with the player's key, and answered again to whoever repeats it. */
export type StakeAnswer = { readonly playId: string } | { readonly refused: StakeRefusal; readonly detail: string };

/** One stake as the lane takes it: decided on the account and the sale, once under the player's key. */
export function stakeWork(stake: StakeToDebit, generalRegulation: string): Work<StakeAnswer> {
  const { playId, playerId, game } = stake;
  const mode = stake.mode as PlayMode;
  return {
    states: [
      { subject: accounts, id: playerId },
      { subject: saleCopies, id: game },
    ],
    key: { owner: playerId, key: stake.idempotencyKey, requestHash: stake.requestHash },
    decide(draft) {
      const decision = debitStake(
        draft.state(accounts, playerId),
        { playId, playerId, game, stakeCents: cents(stake.stakeCents), mode, at: draft.at },
        { sale: saleOf(draft.state(saleCopies, game), stake.stakeCents), generalRegulation },
      );
      if ('refused' in decision) {
        // Where there is no account there is no player, and nobody whose key could be spent.
        return { answer: decision, spendsKey: decision.refused !== 'account-unknown' };
      }
      for (const event of decision.events) draft.emit(accounts, playerId, event, playId);
      return { answer: { playId } };
    },
  };
}

const NOT_DECIDED = 'The stake could not be decided; nothing was debited.';

/** What the gateway is told of one stake. */
export function stakeDecision(answer: LaneAnswer<StakeAnswer>): StakeDecision {
  switch (answer.kind) {
    case 'key-reused':
      return { kind: 'key-reused' };
    case 'failed':
      return { kind: 'failed', detail: NOT_DECIDED };
    default:
      if ('refused' in answer.answer) {
        return { kind: 'refused', reason: answer.answer.refused, detail: answer.answer.detail };
      }
      return { kind: 'debited', playId: answer.answer.playId, repeated: answer.kind === 'repeated' };
  }
}

/** Debits the stakes of one turn of the gateway's loop: one decision each, in order. */
export class DebitStakes extends Command<readonly LaneAnswer<StakeAnswer>[]> {
  constructor(readonly stakes: readonly StakeToDebit[]) {
    super();
  }
}

@CommandHandler(DebitStakes)
export class DebitStakesHandler implements ICommandHandler<DebitStakes> {
  constructor(
    private readonly wallet: EventSourced,
    private readonly regulations: RegulationRegistry,
  ) {}

  execute({ stakes }: DebitStakes): Promise<LaneAnswer<StakeAnswer>[]> {
    return runInLane(
      this.wallet.lane,
      stakes.map((stake) => stakeWork(stake, this.regulations.general.id)),
    );
  }
}

@Controller('internal/v1/stakes')
export class StakesController {
  readonly #logger = new Logger('stakes');

  constructor(private readonly commands: CommandBus) {}

  /** A stake that has not the form of one fails alone: the others in the call are somebody else's. */
  @Post()
  @HttpCode(200)
  async debit(@Body() body: unknown): Promise<StakesResponse> {
    const stakes = stakesOf(body).map((stake) => (isStake(stake) ? stake : null));
    const answers = await this.commands.execute(new DebitStakes(stakes.filter((stake) => stake !== null)));
    this.#logFailures(answers);
    const decisions = answers.map(stakeDecision).values();
    return { decisions: stakes.map((stake) => (stake === null ? MALFORMED : decisions.next().value!)) };
  }

  #logFailures(answers: readonly LaneAnswer<StakeAnswer>[]): void {
    for (const answer of answers) {
      if (answer.kind === 'failed') this.#logger.error({ err: answer.error }, 'a stake could not be decided');
    }
  }
}

const MALFORMED: StakeDecision = {
  kind: 'failed',
  detail: 'This is not a stake of the internal API; nothing was debited.',
};

function stakesOf(body: unknown): readonly unknown[] {
  const { stakes } = body as { readonly stakes?: unknown };
  if (!Array.isArray(stakes) || stakes.length > STAKES_LIMIT) {
    throw bodyInvalid([{ path: 'stakes', message: `stakes must be an array of at most ${STAKES_LIMIT}` }]);
  }
  return stakes;
}

function isStake(value: unknown): value is StakeToDebit {
  if (typeof value !== 'object' || value === null) return false;
  const { playId, playerId, game, stakeCents, mode, idempotencyKey, requestHash } = value as Record<string, unknown>;
  return (
    isUuid(playId) &&
    isUuid(playerId) &&
    isUuid(idempotencyKey) &&
    matches(NAME, game) &&
    matches(SHA_256, requestHash) &&
    Number.isSafeInteger(stakeCents) &&
    (stakeCents as number) > 0 &&
    (mode === null || mode === 'play' || mode === 'auto')
  );
}

function matches(form: RegExp, value: unknown): boolean {
  return typeof value === 'string' && form.test(value);
}
