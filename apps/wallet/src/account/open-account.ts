import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { Command, CommandBus, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Matches } from 'class-validator';
import type { FindHolderRequest, FindHolderResponse, OpenAccountRequest, OpenAccountResponse } from '#contracts';
import type { Work } from '#event-sourcing';
import { EventSourced, LINE, Problem, runOneInLane } from '#service';
import { accounts, openAccount } from './account.ts';
import { Holders, type Identity } from './holders.ts';

/** Opens the account, once; the answer says whether it was this work that did. */
export function openWork(playerId: string): Work<{ readonly opened: boolean }> {
  return {
    states: [{ subject: accounts, id: playerId }],
    decide(draft) {
      const { events } = openAccount(draft.state(accounts, playerId), { playerId, at: draft.at });
      for (const event of events) draft.emit(accounts, playerId, event);
      return { answer: { opened: events.length > 0 } };
    },
  };
}

export class OpenAccount extends Command<OpenAccountResponse> {
  constructor(readonly identity: Identity) {
    super();
  }
}

@CommandHandler(OpenAccount)
export class OpenAccountHandler implements ICommandHandler<OpenAccount> {
  constructor(
    private readonly wallet: EventSourced,
    private readonly holders: Holders,
  ) {}

  /** The holder's row first: after a crash between the two, the next call finds it and opens the account under its id. */
  async execute({ identity }: OpenAccount): Promise<OpenAccountResponse> {
    const playerId = await this.holders.findOrCreate(identity);
    const answer = await runOneInLane(this.wallet.lane, openWork(playerId));
    return { playerId, opened: answer.kind === 'decided' && answer.answer.opened };
  }
}

class IdentityBody implements OpenAccountRequest, FindHolderRequest {
  @Matches(LINE)
  issuer!: string;

  @Matches(LINE)
  subject!: string;
}

@Controller('internal/v1')
export class AccountsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly holders: Holders,
  ) {}

  @Post('accounts')
  @HttpCode(200)
  open(@Body() body: IdentityBody): Promise<OpenAccountResponse> {
    return this.commands.execute(new OpenAccount(body));
  }

  @Post('holders/find')
  @HttpCode(200)
  async find(@Body() body: IdentityBody): Promise<FindHolderResponse> {
    const playerId = await this.holders.find(body);
    if (playerId === null) throw new Problem(404, 'no-account', 'This holder has no account.');
    return { playerId };
  }
}
