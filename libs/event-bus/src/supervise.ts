import { setTimeout as sleep } from 'node:timers/promises';
import { asError } from '#event-sourcing';

/** First and longest pause between two sessions, in milliseconds; each failure in a row doubles it. */
export interface Pauses {
  readonly firstMs: number;
  readonly mostMs: number;
}

export const PAUSES: Pauses = { firstMs: 100, mostMs: 2_000 };

/** Ends soon after `stopping` is aborted; calls `healthy` when things work, so that pauses start small again. */
export type Session = (stopping: AbortSignal, healthy: () => void) => Promise<void>;

export interface Supervised {
  /** Tells the session to end, and resolves when it has. */
  stop(): Promise<void>;
  /** Resolves when no session runs and none will. */
  readonly ended: Promise<void>;
}

/**
 * Runs a session again and again, without end, until it is stopped: one that fails is followed by the next after a pause.
 * A session that returns has nothing more to do and is not followed by another.
 */
export function supervise(session: Session, onFailure: (error: Error) => void, pauses: Pauses = PAUSES): Supervised {
  const stopping = new AbortController();
  const ended = runSessions(session, onFailure, pauses, stopping.signal);
  return {
    ended,
    stop: () => {
      stopping.abort();
      return ended;
    },
  };
}

async function runSessions(
  session: Session,
  onFailure: (error: Error) => void,
  pauses: Pauses,
  stopping: AbortSignal,
): Promise<void> {
  let pauseMs = pauses.firstMs;
  while (!stopping.aborted) {
    try {
      await session(stopping, () => {
        pauseMs = pauses.firstMs;
      });
      return;
    } catch (error) {
      if (stopping.aborted) return;
      onFailure(asError(error));
      await pause(pauseMs, stopping);
      pauseMs = Math.min(pauses.mostMs, pauseMs * 2);
    }
  }
}

/** Waits, and no longer than until `stopping` is aborted. */
export async function pause(ms: number, stopping: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal: stopping }).catch(() => undefined);
}

/**
 * What a promise comes to, or undefined once `stopping` is aborted; a rejection after that is nobody's. It leaves nothing behind on the
 * signal, which outlives any number of these.
 */
export async function unlessAborted<Value>(promise: Promise<Value>, stopping: AbortSignal): Promise<Value | undefined> {
  const aborted = Promise.withResolvers<undefined>();
  const abort = (): void => aborted.resolve(undefined);
  promise.catch(() => undefined);
  if (stopping.aborted) return undefined;
  stopping.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([promise, aborted.promise]);
  } finally {
    stopping.removeEventListener('abort', abort);
  }
}
