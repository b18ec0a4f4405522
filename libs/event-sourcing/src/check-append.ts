import { isTimeText } from './clock.ts';
import { type Append, AppendError, type NewEvent } from './event-log.ts';

/** Longest stream, state id, owner or key, in UTF-16 units: an index row holds two thousand bytes with ease, not more. */
export const MAX_NAME_LENGTH = 500;

/** A lower-case UUID of any version. */
export const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/**
 * Refuses, as `rejected`, what would not read back exactly as it was written, whatever the log: a time in another form, a
 * correlation that is not a lower-case UUID, lone surrogates, U+0000 or a name too long for an index, unsafe integers.
 */
export function checkAppend(append: Append): void {
  for (const event of append.events) checkEvent(event);
  for (const { id, to } of append.states) {
    checkName(id, 'state');
    checkVersion(to, id);
  }
  for (const { owner, key, requestHash } of append.keys) {
    checkName(owner, 'owner');
    checkName(key, 'key');
    if (!/^[0-9a-f]{64}$/.test(requestHash)) reject(`a request hash that is not 64 hex digits: ${requestHash}`);
  }
  for (const { source, key } of append.parked) {
    checkName(source, 'source');
    checkName(key, 'key');
  }
}

function checkEvent(event: NewEvent): void {
  checkName(event.stream, 'stream');
  checkName(event.type, 'type');
  checkVersion(event.version, event.stream);
  if (!isTimeText(event.occurredAt)) reject(`${event.occurredAt} is not a UTC time with three decimals`);
  if (event.correlation !== null && !UUID.test(event.correlation)) {
    reject(`the correlation ${JSON.stringify(event.correlation)} is not a lower-case UUID`);
  }
}

function checkVersion(version: number, of: string): void {
  if (!Number.isSafeInteger(version) || version < 1) reject(`version ${version} of ${of}`);
}

function checkName(text: string, what: string): void {
  if (text.length > MAX_NAME_LENGTH) reject(`a ${what} of ${text.length} characters: ${text.slice(0, 40)}…`);
  if (!text.isWellFormed() || text.includes('\u0000')) reject(`the ${what} ${JSON.stringify(text)} cannot be stored`);
}

function reject(what: string): never {
  throw new AppendError('rejected', what);
}
