import { randomUUID } from 'node:crypto';
import { isOutcome, logContract } from './log-contract.ts';
import { MemoryLog } from './memory-log.ts';

logContract('memory', async () => ({
  log: new MemoryLog({
    logId: randomUUID(),
    outcomeOf: ({ type, correlation }) => (isOutcome(type) ? correlation : null),
  }),
  close: async () => undefined,
}));
