import { createHash } from 'node:crypto';
import type { NewEvent } from './event-log.ts';

/** What an event contributes to the digest of its batch. Its position is implied by its place. */
export type LineOf = Pick<
  NewEvent,
  'stream' | 'version' | 'type' | 'schemaVersion' | 'occurredAt' | 'correlation' | 'data'
>;

/**
 * The event as it is hashed (formats.md, log and bus): canonical `[stream, version, type, schemaVersion, occurredAt,
 * correlation, data]` without the newline that follows it. `JSON.stringify` of an array of well-formed texts, safe integers and null is RFC 8785.
 */
export function canonicalLine(event: LineOf): string {
  const { stream, version, type, schemaVersion, occurredAt, correlation, data } = event;
  return JSON.stringify([stream, version, type, schemaVersion, occurredAt, correlation, data]);
}

/** The lines of one append as they are hashed: each followed by a newline. */
export function canonicalLines(events: readonly LineOf[]): string {
  let lines = '';
  for (const event of events) lines += `${canonicalLine(event)}\n`;
  return lines;
}

/** Reads a line back. Throws a SyntaxError for what is not one. */
export function eventOfLine(line: string): LineOf {
  const parts: unknown = JSON.parse(line);
  if (!Array.isArray(parts) || parts.length !== 7) throw new SyntaxError('not a line of an event log');
  const [stream, version, type, schemaVersion, occurredAt, correlation, data] = parts;
  return { stream, version, type, schemaVersion, occurredAt, correlation, data };
}

/** SHA-256 over the lines of one append, 32 bytes. */
export function batchDigest(lines: string): Buffer {
  return createHash('sha256').update(lines, 'utf8').digest();
}

/** The chain value before the first batch, lower-case hex. @param logId a UUID */
export function firstChain(logId: string): string {
  return createHash('sha256')
    .update('enjeu-log/1', 'ascii')
    .update(Buffer.from(logId.replaceAll('-', ''), 'hex'))
    .digest('hex');
}

/** The chain value after a batch, lower-case hex. @param previous lower-case hex */
export function nextChain(previous: string, digest: Uint8Array): string {
  return createHash('sha256').update(Buffer.from(previous, 'hex')).update(digest).digest('hex');
}
