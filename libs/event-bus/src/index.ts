export * from './bus.ts';
export {
  CONTENT_TYPE,
  type Envelope,
  envelopeOf,
  eventOfRecord,
  type Origin,
  recordOfEnvelope,
  UnreadableEnvelope,
} from './cloud-event.ts';
export type { KafkaBusConfig } from './kafka-bus.ts';
export type { KafkaConfig } from './kafka-client.ts';
export { type BusConfig, openBus } from './open-bus.ts';
export type { PostgresBusConfig } from './postgres-bus.ts';
export { type Relay, type RelayFault, type RelayOptions, startRelay } from './relay.ts';
export type { CursorStore } from './relay-cursor.ts';
export type { BusReports } from './reports.ts';
export type { Pauses } from './supervise.ts';
