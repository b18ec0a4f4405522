import * as z from 'zod';
import { GENERAL } from './regulation.ts';
import { gameShape, generalShape } from './shapes.ts';

export type JsonSchema = z.core.JSONSchema.JSONSchema;

/** What a mechanic adds to the form of a regulation. */
export interface MechanicForm {
  readonly id: string;
  readonly parameters: { readonly regulation: z.ZodType; readonly stake: z.ZodType };
}

/**
 * JSON Schema 2020-12 of a regulation file, a game's or the general one, generated from what the validator reads by. It
 * says everything about the form of the members; what they must have in common only `validateRegulation` says.
 */
export function regulationSchema(mechanics: readonly MechanicForm[]): JsonSchema {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: 'urn:enjeu:regulation',
    title: 'Regulation',
    description:
      "One version of a game's regulation, or of the general one. `npx enjeu regulation check FILE` also says what no schema can: whether totals, tables and parameters agree.",
    type: 'object',
    if: { properties: { id: { type: 'string', pattern: `^${GENERAL}@` } }, required: ['id'] },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema.
    then: { $ref: '#/$defs/general' },
    else: { $ref: '#/$defs/game' },
    $defs: { game: gameSchema(mechanics), general: schemaOf(generalShape) },
  };
}

function gameSchema(mechanics: readonly MechanicForm[]): JsonSchema {
  const { properties, ...game } = schemaOf(gameShape);
  const { pattern: _, ...mechanic } = properties!['mechanic'] as JsonSchema;
  const ids = mechanics.map(({ id }) => id);
  return { ...game, properties: { ...properties, mechanic: { ...mechanic, enum: ids } }, allOf: mechanics.map(formOf) };
}

function formOf({ id, parameters: { regulation, stake } }: MechanicForm): JsonSchema {
  return {
    if: { properties: { mechanic: { const: id } }, required: ['mechanic'] },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema.
    then: {
      properties: {
        parameters: schemaOf(regulation),
        stakes: { items: { properties: { parameters: schemaOf(stake) } } },
      },
    },
  };
}

function schemaOf(shape: z.ZodType): JsonSchema {
  const { $schema: _, ...schema } = z.toJSONSchema(shape, { target: 'draft-2020-12', io: 'input' });
  return schema;
}
