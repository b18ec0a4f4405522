import { AsyncLocalStorage } from 'node:async_hooks';
import { entropy } from './entropy.ts';

/** W3C Trace Context, version 00: trace id, parent id, flags. */
const TRACEPARENT = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

const traces = new AsyncLocalStorage<string>();

/** The traceparent of the request that is being handled, or null outside of one. */
export function currentTraceparent(): string | null {
  return traces.getStore() ?? null;
}

/** The trace id (32 hex digits) of the request that is being handled, or null outside of one. */
export function currentTraceId(): string | null {
  return traces.getStore()?.slice(3, 35) ?? null;
}

/** Runs `work`, and all that it starts, under this traceparent. */
export function withTraceparent<T>(traceparent: string, work: () => T): T {
  return traces.run(traceparent, work);
}

/** The caller's traceparent where it is well formed, else a fresh one. */
export function acceptTraceparent(header: unknown): string {
  if (typeof header === 'string' && TRACEPARENT.test(header)) return header;
  const random = entropy(24).toString('hex');
  return `00-${random.slice(0, 32)}-${random.slice(32)}-01`;
}
