import * as z from 'zod';
import { isDate, type JsonValue, MAX_ROWS, parseStrict } from '#fairness';
import { type Cents, cents } from '#money';
import { type GameRegulation, GENERAL, type GeneralRegulation, type Regulation } from './regulation.ts';

/** Something wrong with a regulation's data, and where: `stakes[2].rows[0].count`; the place is empty for the whole. */
export interface Fault {
  readonly place: string;
  readonly message: string;
}

export type Validated<Value> = { readonly value: Value } | { readonly faults: readonly Fault[] };

const MOST = 2 ** 32 - 1;
const text = z.string().trim().min(1);
const day = z.string().refine(isDate, 'must be a day like 2009-02-05');
/** Counts and amounts of a block stand in four bytes of a leaf. */
const u32 = z.int().min(1).max(MOST);
const amount = z
  .int()
  .min(1)
  .transform((value): Cents => cents(value));
const unitAmount = u32.transform((value): Cents => cents(value));
const localized = <Shape extends z.ZodType>(shape: Shape) => z.strictObject({ fr: shape, en: shape });
const parameters = z.record(z.string(), z.json() as z.ZodType<JsonValue>);

const published = {
  id: z.string().regex(/^[a-z][a-z0-9-]*@\d{4}-\d{2}-\d{2}$/, 'must be like game@2009-01-26'),
  names: localized(text),
  signedOn: day,
  references: z.array(text).min(1),
  rules: localized(z.array(text).min(1)),
};

const stakeShape = z.strictObject({
  stakeCents: unitAmount,
  rows: z
    .array(z.strictObject({ count: u32, prizeCents: unitAmount }))
    .min(1)
    .max(MAX_ROWS),
  printed: z.strictObject({ count: u32, totalCents: amount }),
  parameters,
});

const gameShape: z.ZodType<GameRegulation> = z.strictObject({
  ...published,
  game: z.string().regex(/^[a-z][a-z0-9-]*$/, 'must be lower-case letters, digits and hyphens'),
  opensOn: day,
  blockSize: u32,
  mechanic: z.string().regex(/^[a-z][a-z0-9-]*\/[1-9]\d*$/, 'must be like game/1'),
  parameters,
  stakes: z.array(stakeShape).min(1),
  errata: z.array(z.strictObject({ article: text, printed: text, read: text, why: localized(text) })),
});

const generalShape: z.ZodType<GeneralRegulation> = z.strictObject(published);

/**
 * Strict JSON text to a regulation, or every fault in it: members missing, unknown or of a wrong kind, and what cannot
 * be true together. A text that is not strict JSON has that one fault.
 */
export function parseRegulation(json: string): Validated<Regulation> {
  try {
    return validateRegulation(parseStrict(json));
  } catch (error) {
    if (error instanceof SyntaxError) return { faults: [{ place: '', message: error.message }] };
    throw error;
  }
}

/** The same for a value that has been parsed. */
export function validateRegulation(value: unknown): Validated<Regulation> {
  const general = isRecord(value) && typeof value['id'] === 'string' && value['id'].startsWith(`${GENERAL}@`);
  const shape: z.ZodType<Regulation> = general ? generalShape : gameShape;
  const result = shape.safeParse(value);
  const faults = [...(result.success ? [] : result.error.issues.flatMap(faultsOf)), ...contradictions(value)];
  return result.success && faults.length === 0 ? { value: result.data } : { faults };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function faultsOf(issue: z.core.$ZodIssue): Fault[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({
      place: placeOf([...issue.path, key]),
      message: 'is not a member of this format',
    }));
  }
  return [{ place: placeOf(issue.path), message: issue.message }];
}

function placeOf(path: readonly PropertyKey[]): string {
  return path.reduce<string>((place, step) => {
    if (typeof step === 'number') return `${place}[${step}]`;
    return place === '' ? String(step) : `${place}.${String(step)}`;
  }, '');
}

/** A rule over a part of the data: it applies when as much as it reads is sound, whatever is wrong elsewhere. */
interface Rule {
  readonly faults: (value: unknown) => Fault[];
}

function rule<Part>(reads: z.ZodType<Part>, faults: (part: Part) => Fault[]): Rule {
  return {
    faults: (value) => {
      const part = reads.safeParse(value);
      return part.success ? faults(part.data) : [];
    },
  };
}

function faultIf(wrong: boolean, place: string, message: string): Fault[] {
  return wrong ? [{ place, message }] : [];
}

const prizeTables = z.looseObject({
  stakes: z.array(z.looseObject({ rows: z.array(z.looseObject({ count: u32, prizeCents: u32 })) })),
});

const RULES: readonly Rule[] = [
  rule(z.looseObject({ id: z.string(), signedOn: z.string(), game: z.string().default(GENERAL) }), (part) =>
    faultIf(part.id !== `${part.game}@${part.signedOn}`, 'id', `must be ${part.game}@${part.signedOn}`),
  ),
  rule(z.looseObject({ game: z.string() }), (part) =>
    faultIf(part.game === GENERAL, 'game', 'is the name of the rules common to all games'),
  ),
  rule(z.looseObject({ signedOn: day, opensOn: day }), (part) =>
    faultIf(part.opensOn < part.signedOn, 'opensOn', 'is before the regulation was signed'),
  ),
  rule(z.looseObject({ rules: localized(z.array(z.string())) }), ({ rules }) =>
    faultIf(
      rules.fr.length !== rules.en.length,
      'rules',
      `${rules.fr.length} rules in French, ${rules.en.length} in English`,
    ),
  ),
  rule(z.looseObject({ stakes: z.array(z.looseObject({ stakeCents: z.int() })) }), ({ stakes }) =>
    doubled(stakes.map((stake) => stake.stakeCents)).map((i) => ({
      place: `stakes[${i}].stakeCents`,
      message: 'is the stake of another table too',
    })),
  ),
  rule(prizeTables, ({ stakes }) =>
    stakes.flatMap(({ rows }, s) =>
      doubled(rows.map((row) => row.prizeCents)).map((r) => ({
        place: `stakes[${s}].rows[${r}].prizeCents`,
        message: 'is the prize of another row too',
      })),
    ),
  ),
  rule(z.intersection(z.looseObject({ blockSize: u32 }), prizeTables), ({ blockSize, stakes }) =>
    stakes.flatMap(({ rows }, s) => {
      const count = rows.reduce((sum, row) => sum + row.count, 0);
      return faultIf(count > blockSize, `stakes[${s}].rows`, `${count} prizes do not fit in ${blockSize} units`);
    }),
  ),
];

function contradictions(value: unknown): Fault[] {
  return RULES.flatMap(({ faults }) => faults(value));
}

/** Indices of the items that stood earlier in the list already. */
function doubled(items: readonly number[]): number[] {
  return items.flatMap((item, i) => (items.indexOf(item) < i ? [i] : []));
}
