import { type DynamicModule, Module } from '@nestjs/common';
import { EventSourced } from './event-sourced.ts';
import { PARKED_RECORDS, ParkedController, PUBLISHER, PublishAgainController } from './parked-records.ts';

/**
 * Provides `EventSourced` for injection, and the routes /internal/v1/publish-again, /parked and /parked/send-again:
 * `imports: [EventSourcedModule.for(eventSourced)]`.
 */
@Module({})
// biome-ignore lint/complexity/noStaticOnlyClass: a dynamic module of Nest is a class.
export class EventSourcedModule {
  static for(eventSourced: EventSourced): DynamicModule {
    return {
      module: EventSourcedModule,
      controllers: [ParkedController, PublishAgainController],
      providers: [
        { provide: EventSourced, useValue: eventSourced },
        { provide: PARKED_RECORDS, useValue: eventSourced },
        { provide: PUBLISHER, useValue: eventSourced },
      ],
      exports: [EventSourced],
    };
  }
}
