import { MemoryLog } from '#event-sourcing';
import { MemorySeals } from '../issuance.fixture.ts';
import { issuingSuite } from './issuing.suite.ts';

const OUTCOMES = ['UnitIssued', 'UnitRefused'];

issuingSuite(async () => ({
  log: new MemoryLog({
    logId: '0197f3c0-1234-7abc-8def-0123456789ab',
    outcomeOf: ({ type, correlation }) => (OUTCOMES.includes(type) ? correlation : null),
  }),
  sealed: new MemorySeals(),
  close: async () => {},
}));
