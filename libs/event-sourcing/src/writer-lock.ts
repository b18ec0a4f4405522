import type { Client } from 'pg';
import { type Clock, pause, systemClock } from './clock.ts';

export interface WriterLockOptions {
  /**
   * The connection has gone, and the lock with it: somebody else may be writing. The service ends its process.
   * Called once, also while the lock is still being waited for.
   */
  readonly onLost: (error: Error) => void;
  /** Another process holds the lock: this one is a standby, not ready. Called once. */
  readonly onStandby?: () => void;
  /** How often a standby tries. Default 500 ms. */
  readonly everyMs?: number;
  /** Ends the wait, which then rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  readonly clock?: Clock;
}

/** Held by the session, so it goes with the connection however that ends. */
const TRY_LOCK = `
  select pg_try_advisory_lock(hashtextextended($1, 0)) as taken`;

/**
 * Makes this process the one that writes to the database: takes a named advisory lock on the lane's own connection, waiting while
 * another process has it. It is never released but by closing the connection.
 */
export async function takeWriterLock(client: Client, name: string, options: WriterLockOptions): Promise<void> {
  watch(client, options.onLost);
  const clock = options.clock ?? systemClock;
  for (let attempt = 0; ; attempt++) {
    options.signal?.throwIfAborted();
    const { rows } = await client.query(TRY_LOCK, [name]);
    if (rows[0].taken) return;
    if (attempt === 0) options.onStandby?.();
    await pause(clock, options.everyMs ?? 500);
  }
}

function watch(client: Client, onLost: (error: Error) => void): void {
  let lost = false;
  const once = (error: Error): void => {
    if (lost) return;
    lost = true;
    onLost(error);
  };
  client.on('error', once);
  client.on('end', () => once(new Error('the connection of the writer has ended')));
}
