export * from './decider.ts';
export * from './event-log.ts';
export * from './lane.ts';
