import { createHash } from 'node:crypto';
import { canonical } from '#fairness';
import { UUID } from './check-append.ts';
import type { StoredKey } from './event-log.ts';

/** An idempotency key as it is stored: a UUID in lower case; null for anything else. */
export function idempotencyKey(text: string): string | null {
  const key = text.toLowerCase();
  return UUID.test(key) ? key : null;
}

/**
 * What makes two requests the same under one key: SHA-256 of the route, a newline and the canonical body, lower-case hex.
 * @param route method and path pattern, `POST /plays`
 * @param body plain JSON; throws NotCanonical for what canonical JSON cannot hold
 */
export function requestHash(route: string, body: unknown): string {
  return createHash('sha256')
    .update(`${route}\n${canonical(body)}`, 'utf8')
    .digest('hex');
}

export type KeyVerdict = 'new' | 'repeated' | 'key-reused';

/** What a request may do under its key: be decided, get the stored answer again, or be refused as another request. */
export function judgeKey(stored: StoredKey | undefined, hash: string): KeyVerdict {
  if (!stored) return 'new';
  return stored.requestHash === hash ? 'repeated' : 'key-reused';
}
