import { readdirSync, readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import * as z from 'zod';
import { MECHANICS, mechanicFaults } from '#mechanics';
import { allOf, eachOf, hasShape, type JsonSchema, type Rule, regulationSchema, validateRegulation } from '#regulation';
import { tinyRegulation } from '../../../test/fixtures/tiny-game.ts';
import { gameShape, generalShape } from './shapes.ts';

const schema = regulationSchema([...MECHANICS.values()]);
const fits = new Ajv2020({ formats: { date: true }, strictTypes: false }).compile(schema);

const data = new URL('../data/', import.meta.url);
const FILES: [string, unknown][] = readdirSync(data).map((name) => [
  name,
  JSON.parse(readFileSync(new URL(name, data), 'utf8')),
]);
const MATCH = tinyRegulation({ mechanic: 'match/1' });
const SUBJECTS: [string, unknown][] = [...FILES, ['a regulation of match/1', MATCH]];

/** What the validator says of the form alone: everything that a schema is able to express. */
const formFaults: Rule = (value) => {
  if (/^general@/.test(String((value as { id?: unknown } | null)?.id))) return hasShape(generalShape)(value);
  const { parameters } = MECHANICS.get((value as { mechanic: string } | null)?.mechanic ?? '') ?? {};
  if (!parameters) return [...hasShape(gameShape)(value), { place: 'mechanic', message: 'unknown' }];
  return allOf(
    hasShape(gameShape),
    hasShape(z.looseObject({ parameters: parameters.regulation })),
    eachOf('stakes', hasShape(z.looseObject({ parameters: parameters.stake }))),
  )(value);
};

const REPLACEMENTS = [null, true, -1, 0, 1, 1.5, 2 ** 32, '', ' ', 'x', '2009-02-29', [], [1], {}, { surplus: 1 }];

/** The value with one change at a time, at every place: each replacement, a member or item away, one too many. */
function* mutants(value: unknown): Generator<unknown> {
  yield* REPLACEMENTS;
  if (typeof value !== 'object' || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    for (const mutant of mutants(inner)) yield replaced(value, key, mutant);
    const { [key]: _, ...rest } = value as Record<string, unknown>;
    yield Array.isArray(value) ? value.filter((_, i) => String(i) !== key) : rest;
  }
  yield Array.isArray(value) ? [...value, value[0]] : { ...value, surplus: 1 };
}

function replaced(value: object, key: string, mutant: unknown): unknown {
  return Array.isArray(value) ? value.with(Number(key), mutant) : { ...value, [key]: mutant };
}

test.each(FILES)('%s is valid by the schema too', (_, value) => {
  expect('value' in validateRegulation(value, mechanicFaults)).toBe(true);
  expect(fits(value)).toBe(true);
});

test.each(SUBJECTS)('schema and validator agree on the form of %s, whatever is changed of it', (_, value) => {
  expect(fits(value)).toBe(true);
  const verdicts = { sound: 0, unsound: 0 };
  for (const mutant of mutants(shortened(value))) {
    const sound = formFaults(mutant).length === 0;
    if (fits(mutant) !== sound) throw new Error(`schema ${!sound}, validator ${sound}: ${JSON.stringify(mutant)}`);
    if (!sound && 'value' in validateRegulation(mutant, mechanicFaults)) {
      throw new Error(`the validator passes what has a wrong form: ${JSON.stringify(mutant)}`);
    }
    verdicts[sound ? 'sound' : 'unsound']++;
  }
  expect(verdicts.sound).toBeGreaterThan(10);
  expect(verdicts.unsound).toBeGreaterThan(150);
});

/** Lists at their first item, which the others are like. */
function shortened(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.slice(0, 1).map(shortened);
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, shortened(inner)]));
}

test('every member of the schema says what it is', () => {
  const silent: string[] = [];
  let members = 0;
  const walk = (part: JsonSchema, path: string) => {
    for (const [key, member] of Object.entries(part.properties ?? {})) {
      if (typeof member === 'boolean' || 'const' in member || path.endsWith('if')) continue;
      members++;
      if (!member.description && !isNarrowed(path, key)) silent.push(`${path}.${key}`);
      walk(member, `${path}.${key}`);
    }
    for (const key of ['then', 'items'] as const) if (part[key]) walk(part[key] as JsonSchema, `${path}.${key}`);
    for (const each of (part.allOf ?? []) as JsonSchema[]) walk(each, path);
    for (const [key, each] of Object.entries(part.$defs ?? {})) walk(each as JsonSchema, key);
  };
  walk(schema, '');
  expect(silent).toEqual([]);
  expect(members).toBeGreaterThan(50);
});

/** Described where the game's form names it; under its mechanic it is only narrowed. */
function isNarrowed(path: string, key: string): boolean {
  return path.startsWith('game.then') && ['stakes', 'parameters'].includes(key);
}
