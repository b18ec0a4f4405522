import { asyncApi } from './async-api.ts';
import { documentedEvents, nameOf, schemaFile } from './event-schemas.ts';

/** The generated documents about events, below docs/api: path → text. */
export function eventDocuments(): Map<string, string> {
  const events = documentedEvents();
  return new Map([
    ...events.map((event) => [`events/${nameOf(event)}.schema.json`, jsonFile(schemaFile(event))] as const),
    ['asyncapi.json', jsonFile(asyncApi(events))] as const,
  ]);
}

/** A document as it is committed: the same content is always the same text. */
export function jsonFile(content: unknown): string {
  return `${JSON.stringify(content, null, 2)}\n`;
}
