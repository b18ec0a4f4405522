import { parentPort, workerData } from 'node:worker_threads';
import { prepareBlock } from '#fairness';
import type { PreparationOrder } from './prepare-in-worker.ts';

const { tables, stakeCents, blockId, secret } = workerData as PreparationOrder;
const prepared = prepareBlock(tables, stakeCents, blockId, secret);
secret.fill(0);
parentPort?.postMessage(prepared, [prepared.deck.buffer as ArrayBuffer, prepared.coarseLevel.buffer as ArrayBuffer]);
