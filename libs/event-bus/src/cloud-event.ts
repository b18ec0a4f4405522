import { type RecordedEvent, recordKey, type SourceRecord } from '#event-sourcing';
import { canonical } from '#fairness';

/** The one header of a record. */
export const CONTENT_TYPE = 'application/cloudevents+json; charset=UTF-8';

/** Which log a record comes from. */
export interface Origin {
  readonly source: string;
  readonly logId: string;
  readonly epoch: number;
}

/** A record as it stands on Kafka (formats.md, log and bus). */
export interface Envelope {
  readonly key: string;
  readonly value: string;
}

/**
 * A log's event as a CloudEvent 1.0 in structured mode. The stored text of its data goes in as it is. The same event always
 * gives the same bytes, so that one published again is the same.
 */
export function envelopeOf(origin: Origin, event: RecordedEvent): Envelope {
  const { position, correlation, stream } = event;
  const value =
    `{"specversion":"1.0","id":"${origin.logId}/${position}","source":"/enjeu/${origin.source}",` +
    `"type":"enjeu.${event.type}.v${event.schemaVersion}","subject":${JSON.stringify(stream)},` +
    `"time":"${event.occurredAt}","traceparent":"${traceparent(position, correlation)}",` +
    `"position":"${position}","version":"${event.version}","batch":"${event.batch}","epoch":"${origin.epoch}",` +
    `${correlation === null ? '' : `"correlation":${JSON.stringify(correlation)},`}"data":${event.data}}`;
  return { key: recordKey(stream, JSON.parse(event.data)), value };
}

/** Derived from the event alone. A correlation that is no UUID gives way to the position. */
function traceparent(position: number, correlation: string | null): string {
  const hex = position.toString(16);
  const trace = correlation?.replaceAll('-', '') ?? '';
  return `00-${/^[0-9a-f]{32}$/.test(trace) ? trace : hex.padStart(32, '0')}-${hex.padStart(16, '0')}-01`;
}

/** Why a record of the bus cannot be read; its position is not known then. */
export class UnreadableEnvelope extends Error {
  override readonly name = 'UnreadableEnvelope';
}

/**
 * Reads a CloudEvent of a log back. Throws UnreadableEnvelope for what is not one, or is another source's.
 *
 * @param offset where the bus would resume after it
 */
export function recordOfEnvelope(source: string, value: string | null, offset: string): SourceRecord {
  const envelope = membersOf(value);
  if (envelope['specversion'] !== '1.0') throw new UnreadableEnvelope('not a CloudEvent 1.0');
  if (envelope['source'] !== `/enjeu/${source}`) throw new UnreadableEnvelope(`from another source than ${source}`);
  const [type, schemaVersion] = typeOf(text(envelope, 'type'));
  const stream = text(envelope, 'subject');
  const body = envelope['data'];
  if (body === undefined) throw new UnreadableEnvelope('no data');
  return {
    source,
    epoch: whole(envelope, 'epoch'),
    position: whole(envelope, 'position'),
    batch: whole(envelope, 'batch'),
    stream,
    version: whole(envelope, 'version'),
    type,
    schemaVersion,
    occurredAt: text(envelope, 'time'),
    correlation: envelope['correlation'] === undefined ? null : text(envelope, 'correlation'),
    key: recordKey(stream, body),
    body,
    offset,
  };
}

/** The event that a record of any bus was made of, its data canonical again: what the chain is computed from. */
export function eventOfRecord(record: SourceRecord): RecordedEvent {
  const { stream, version, type, schemaVersion, occurredAt, correlation, position, batch } = record;
  const data = canonical(record.body);
  return { stream, version, type, schemaVersion, occurredAt, correlation, data, position, batch };
}

function membersOf(value: string | null): Record<string, unknown> {
  let parsed: unknown;
  try {
    parsed = JSON.parse(value ?? '');
  } catch {
    throw new UnreadableEnvelope('not JSON');
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed))
    throw new UnreadableEnvelope('not an object');
  return parsed as Record<string, unknown>;
}

function typeOf(type: string): [string, number] {
  const parts = /^enjeu\.([A-Za-z0-9]+)\.v([1-9]\d{0,8})$/.exec(type);
  if (!parts) throw new UnreadableEnvelope(`an unknown kind of type: ${type.slice(0, 100)}`);
  return [parts[1] as string, Number(parts[2])];
}

function text(envelope: Record<string, unknown>, member: string): string {
  const value = envelope[member];
  if (typeof value !== 'string' || value === '') throw new UnreadableEnvelope(`${member} is not a text`);
  return value;
}

/** A whole number from 1 in decimal digits: CloudEvents' own integers have 32 bits. */
function whole(envelope: Record<string, unknown>, member: string): number {
  const value = envelope[member];
  const number = typeof value === 'string' && /^[1-9]\d{0,15}$/.test(value) ? Number(value) : Number.NaN;
  if (!Number.isSafeInteger(number)) throw new UnreadableEnvelope(`${member} is not a whole number`);
  return number;
}
