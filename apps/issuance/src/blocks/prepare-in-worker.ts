import { Worker } from 'node:worker_threads';
import type { PreparedBlock, RegulationTables } from '#fairness';

export interface PreparationOrder {
  readonly tables: RegulationTables;
  readonly stakeCents: number;
  readonly blockId: string;
  /** 32 bytes. */
  readonly secret: Uint8Array;
}

/** Makes a block's deck and tree. Rejects when it cannot be made, and when `stopping` is aborted before. */
export type PrepareBlock = (order: PreparationOrder, stopping: AbortSignal) => Promise<PreparedBlock>;

const fromSource = import.meta.url.endsWith('.ts');
const worker = new URL(fromSource ? './prepare.worker.ts' : './prepare.worker.js', import.meta.url);
/** Node itself runs the source where nothing was built: it must be told to accept all of TypeScript. */
const all = ['--experimental-transform-types', '--disable-warning=ExperimentalWarning'];
const how = fromSource ? { execArgv: [...process.execArgv, ...all] } : {};

/** In a thread of its own: two seconds of computing must not stand in the way of a play. */
export const prepareInWorker: PrepareBlock = (order, stopping) => {
  const { promise, resolve, reject } = Promise.withResolvers<PreparedBlock>();
  const { id, blockSize, stakes } = order.tables;
  const thread = new Worker(worker, { workerData: { ...order, tables: { id, blockSize, stakes } }, ...how });
  const stop = () => {
    reject(stopping.reason);
    void thread.terminate();
  };
  thread.once('message', resolve);
  thread.once('error', reject);
  thread.once('exit', (code) => reject(new Error(`the preparing thread ended with ${code} and no block`)));
  stopping.addEventListener('abort', stop, { once: true });
  if (stopping.aborted) stop();
  return promise.finally(() => stopping.removeEventListener('abort', stop));
};
