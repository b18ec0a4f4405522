import type { RecordedEvent, SourceRecord } from './event-log.ts';

/** What records of a source are parked together by: the player of a play's or an account's event, else the stream. */
export function recordKey(stream: string, body: unknown): string {
  const playerId = (body as { readonly playerId?: unknown } | null)?.playerId;
  return typeof playerId === 'string' ? playerId : stream;
}

/** A log's event as a consumer on any bus meets it. Throws a SyntaxError when its data is not JSON. */
export function recordOf(source: string, epoch: number, event: RecordedEvent): SourceRecord {
  const body: unknown = JSON.parse(event.data);
  const { position, batch, stream, version, type, schemaVersion, occurredAt, correlation } = event;
  return {
    source,
    epoch,
    position,
    batch,
    stream,
    version,
    type,
    schemaVersion,
    occurredAt,
    correlation,
    key: recordKey(stream, body),
    body,
    offset: null,
  };
}
