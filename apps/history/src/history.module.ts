import { type DynamicModule, Module } from '@nestjs/common';
import { PARKED_RECORDS, ParkedController } from '#service';
import type { History } from './history.ts';
import { Parked } from './parked/parked.ts';
import { PlaysController } from './plays/plays.ts';
import { ReadPlays } from './plays/read-plays.ts';
import { Seen } from './plays/seen.ts';

@Module({})
export class HistoryModule {}

/** Everything that the history answers, over one that is opened later. */
export function historyModule(history: History): DynamicModule {
  return {
    module: HistoryModule,
    controllers: [PlaysController, ParkedController],
    providers: [
      { provide: ReadPlays, useValue: new ReadPlays(history) },
      { provide: Seen, useValue: new Seen(history, () => new Date()) },
      { provide: PARKED_RECORDS, useValue: new Parked(history) },
    ],
  };
}
