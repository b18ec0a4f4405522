import { type DynamicModule, Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { EventSourced, EventSourcedModule, RegulationRegistry, RegulationsController } from '#service';
import { BlockPreparer } from './blocks/prepare-block.ts';
import { ReadBlocksController } from './blocks/read-blocks.ts';
import { ApproveEmissionController, ApproveEmissionHandler } from './emissions/approve-emission.ts';
import { ReadEmissionsController } from './emissions/read-emissions.ts';
import { RaiseIncidentController, RaiseIncidentHandler } from './incidents/raise-incident.ts';
import { ReadReceiptsController } from './receipts/read-receipts.ts';
import { Receipts } from './receipts/receipts.ts';
import { RegulationsOnFile } from './regulations/on-file.ts';
import { OrderSalesController, ResumeSaleHandler, SuspendSaleHandler } from './sales/order-sales.ts';
import { ReadSalesController } from './sales/read-sales.ts';

@Module({})
class IssuanceModule {}

/** Issuance's routes and their handlers, over its log. */
export function issuanceModule(
  issuance: EventSourced,
  regulations: RegulationsOnFile,
  registry: RegulationRegistry,
  preparer: BlockPreparer,
  receipts: Receipts,
): DynamicModule {
  return {
    module: IssuanceModule,
    imports: [CqrsModule.forRoot(), EventSourcedModule.for(issuance)],
    controllers: [
      ApproveEmissionController,
      ReadEmissionsController,
      OrderSalesController,
      ReadSalesController,
      ReadBlocksController,
      RaiseIncidentController,
      RegulationsController,
      ReadReceiptsController,
    ],
    providers: [
      ApproveEmissionHandler,
      SuspendSaleHandler,
      ResumeSaleHandler,
      RaiseIncidentHandler,
      { provide: RegulationsOnFile, useValue: regulations },
      { provide: RegulationRegistry, useValue: registry },
      { provide: BlockPreparer, useValue: preparer },
      { provide: Receipts, useValue: receipts },
    ],
  };
}
