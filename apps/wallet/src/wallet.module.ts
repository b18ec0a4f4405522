import { type DynamicModule, Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { EventSourced, EventSourcedModule, RegulationRegistry, RegulationsController } from '#service';
import { AcceptancesController, AcceptRegulationHandler } from './account/accept-regulation.ts';
import { AdjustAccountHandler, AdjustmentsController } from './account/adjust-account.ts';
import { DebitStakesHandler, StakesController } from './account/debit-stakes.ts';
import { Holders } from './account/holders.ts';
import { AccountsController, OpenAccountHandler } from './account/open-account.ts';
import { ReadAccountController } from './account/read-account.ts';
import { Statement } from './account/statement.ts';

@Module({})
class WalletModule {}

/** The wallet's routes and their handlers, over its log. */
export function walletModule(wallet: EventSourced, regulations: RegulationRegistry): DynamicModule {
  return {
    module: WalletModule,
    imports: [CqrsModule.forRoot(), EventSourcedModule.for(wallet)],
    controllers: [
      StakesController,
      AccountsController,
      AcceptancesController,
      AdjustmentsController,
      ReadAccountController,
      RegulationsController,
    ],
    providers: [
      DebitStakesHandler,
      OpenAccountHandler,
      AcceptRegulationHandler,
      AdjustAccountHandler,
      { provide: RegulationRegistry, useValue: regulations },
      { provide: Statement, useValue: new Statement(wallet) },
      { provide: Holders, useValue: new Holders(wallet) },
    ],
  };
}
