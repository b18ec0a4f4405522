import { memoryLog } from './lane.harness.ts';
import { laneContract } from './lane-contract.ts';

laneContract('memory', async () => ({ log: memoryLog(), close: async () => undefined }), 150);
