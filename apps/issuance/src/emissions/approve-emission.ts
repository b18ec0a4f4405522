import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { Command, CommandBus, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { ArrayMaxSize, ArrayMinSize, IsArray, IsInt, IsString, Matches, Max, MaxLength } from 'class-validator';
import type { ApproveEmissionRequest, ApproveEmissionResponse } from '#contracts';
import type { Work } from '#event-sourcing';
import { cents } from '#money';
import { EventSourced, LINE, Problem, UUID } from '#service';
import { BlockPreparer } from '../blocks/prepare-block.ts';
import { lineId, stocks, withEmission } from '../blocks/stock.ts';
import { runInLane } from '../in-lane.ts';
import { RegulationsOnFile } from '../regulations/on-file.ts';
import { type ApprovalRefusal, approveEmission, type EmissionOrder, emissions } from './emission.ts';

/** More than any emission of units that cost something: whatever is above is a mistake. */
const MOST_BLOCKS = 100_000;

export type ApprovalAnswer =
  | { readonly kind: 'approved' | 'repeated' }
  | { readonly refused: ApprovalRefusal; readonly detail: string };

/** Approves one emission and puts it in its line's stock: exactly once per emissionId, whoever sends it again. */
export function approvalWork(order: EmissionOrder, regulations: RegulationsOnFile): Work<ApprovalAnswer> {
  const regulation = regulations.find(order.regulation);
  const stock = { subject: stocks, id: lineId({ game: regulation?.game ?? '', stakeCents: order.stakeCents }) };
  const stakes = regulation?.stakes.map(({ stakeCents }) => stakeCents) ?? null;
  return {
    states: [{ subject: emissions, id: order.emissionId }, stock],
    decide(draft) {
      const decision = approveEmission(draft.state(emissions, order.emissionId), order, { stakes, at: draft.at });
      if ('refused' in decision) return { answer: decision };
      if (decision.events.length === 0) return { answer: { kind: 'repeated' } };
      for (const event of decision.events) draft.emit(emissions, order.emissionId, event);
      draft.put(stocks, stock.id, withEmission(draft.state(stocks, stock.id), order));
      return { answer: { kind: 'approved' } };
    },
  };
}

export class ApproveEmission extends Command<ApproveEmissionResponse> {
  constructor(readonly order: EmissionOrder) {
    super();
  }
}

@CommandHandler(ApproveEmission)
export class ApproveEmissionHandler implements ICommandHandler<ApproveEmission> {
  constructor(
    private readonly issuance: EventSourced,
    private readonly regulations: RegulationsOnFile,
    private readonly preparer: BlockPreparer,
  ) {}

  async execute({ order }: ApproveEmission): Promise<ApproveEmissionResponse> {
    const answer = await runInLane(this.issuance.lane, approvalWork(order, this.regulations));
    if ('refused' in answer) throw new Problem(409, answer.refused, MEANINGS[answer.refused]);
    this.preparer.wake();
    return answer;
  }
}

const MEANINGS: Readonly<Record<ApprovalRefusal, string>> = {
  'same-approver': 'An emission is approved by two different persons.',
  'blocks-below-one': 'An emission has at least one block.',
  'regulation-unknown': 'There is no regulation with this id on file.',
  'stake-unknown': 'The regulation sells no units at this stake.',
  'emission-already-approved': 'Another emission was approved under this id.',
};

class ApproveBody implements ApproveEmissionRequest {
  @Matches(UUID, {
    message: 'emissionId must be a lower-case UUID',
  })
  emissionId!: string;

  @IsString()
  @MaxLength(100)
  regulation!: string;

  @IsInt()
  @Max(Number.MAX_SAFE_INTEGER)
  stakeCents!: number;

  @IsInt()
  @Max(MOST_BLOCKS)
  blocks!: number;

  @IsArray()
  @ArrayMinSize(2)
  @ArrayMaxSize(2)
  @Matches(LINE, { each: true, message: 'approvedBy must be two ids of 1 to 255 characters' })
  approvedBy!: [string, string];
}

@Controller('internal/v1/emissions')
export class ApproveEmissionController {
  constructor(private readonly commands: CommandBus) {}

  @Post('approve')
  @HttpCode(200)
  approve(
    @Body() { emissionId, regulation, stakeCents, blocks, approvedBy }: ApproveBody,
  ): Promise<ApproveEmissionResponse> {
    const order = { emissionId, regulation, stakeCents: cents(stakeCents), blocks, approvedBy };
    return this.commands.execute(new ApproveEmission(order));
  }
}
