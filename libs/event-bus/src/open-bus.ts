import type { Bus } from './bus.ts';
import { KafkaBus, type KafkaBusConfig } from './kafka-bus.ts';
import { PostgresBus, type PostgresBusConfig } from './postgres-bus.ts';

export type BusConfig =
  | ({ readonly bus: 'postgres' } & PostgresBusConfig)
  | ({ readonly bus: 'kafka' } & KafkaBusConfig);

/** The bus that this platform runs on. Connects only when it is followed or tailed; throws for a source without address. */
export function openBus(config: BusConfig): Bus {
  return config.bus === 'kafka' ? new KafkaBus(config) : new PostgresBus(config);
}
