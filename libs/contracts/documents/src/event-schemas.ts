import { z } from 'zod';
import { type EventType, events } from '#contracts';

export type JsonSchema = Record<string, unknown>;

/** One version of an event, as other programs read about it. */
export interface DocumentedEvent {
  readonly type: EventType;
  readonly version: number;
  readonly owner: 'wallet' | 'issuance' | 'any';
  readonly meaning: string;
  /** JSON Schema 2020-12 of its data. */
  readonly schema: JsonSchema;
}

/** Every version of every public event, in the order of their definitions. */
export function documentedEvents(): DocumentedEvent[] {
  return (Object.keys(events) as EventType[]).flatMap((type) => {
    const { owner, meaning, versions } = events[type];
    return versions.map((schema, index) => ({ type, version: index + 1, owner, meaning, schema: schemaOf(schema) }));
  });
}

function schemaOf(schema: z.ZodType): JsonSchema {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { target: 'draft-2020-12', io: 'input' });
  return rest;
}

/** `StakeDebited.v1` */
export function nameOf({ type, version }: Pick<DocumentedEvent, 'type' | 'version'>): string {
  return `${type}.v${version}`;
}

/** The event's schema as a file that stands by itself. */
export function schemaFile(event: DocumentedEvent): JsonSchema {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: `urn:enjeu:event:${event.type}:v${event.version}`,
    title: nameOf(event),
    description: event.meaning,
    ...event.schema,
  };
}
