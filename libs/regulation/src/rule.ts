import * as z from 'zod';

/** Something wrong with a regulation's data, and where: `stakes[2].rows[0].count`; the place is empty for the whole. */
export interface Fault {
  readonly place: string;
  readonly message: string;
}

/** What is wrong with a part of the data, with places below that part. The part may be anything; never throws. */
export type Rule = (part: unknown) => Fault[];

/**
 * A rule over what can be read of a part. `partly`, `listOf` and `orNaN` read any value, so that the rule still says what
 * follows from the sound members, whatever the others are.
 */
export function rule<Part>(reads: z.ZodType<Part>, faults: (part: Part) => Fault[]): Rule {
  return (value) => {
    const part = reads.safeParse(value);
    return part.success ? faults(part.data) : [];
  };
}

export function allOf(...rules: readonly Rule[]): Rule {
  return (part) => rules.flatMap((each) => each(part));
}

/** Everything that keeps a part from having this shape, unknown members included. */
export function hasShape(shape: z.ZodType): Rule {
  return (part) => {
    const result = shape.safeParse(part, { error: missing });
    return result.success ? [] : faultsOf(result.error);
  };
}

const missing = ({ code, input }: z.core.$ZodRawIssue) =>
  code === 'invalid_type' && input === undefined ? 'is missing' : undefined;

/** The same rule for every item of the list that is this member. */
export function eachOf(member: string, ofItem: Rule): Rule {
  return rule(z.looseObject({ [member]: z.array(z.unknown()) }), ({ [member]: items }) =>
    (items as unknown[]).flatMap((item, i) =>
      ofItem(item).map(({ place, message }) => ({
        place: place === '' ? `${member}[${i}]` : `${member}[${i}].${place}`,
        message,
      })),
    ),
  );
}

export function faultIf(wrong: boolean, place: string, message: string): Fault[] {
  return wrong ? [{ place, message }] : [];
}

/** The places and messages of what zod found. */
export function faultsOf(error: z.ZodError): Fault[] {
  return error.issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys'
      ? issue.keys.map((key) => ({ place: placeOf([...issue.path, key]), message: 'is not a member of this format' }))
      : [{ place: placeOf(issue.path), message: issue.message }],
  );
}

function placeOf(path: readonly PropertyKey[]): string {
  return path.reduce<string>((place, step) => {
    if (typeof step === 'number') return `${place}[${step}]`;
    return place === '' ? String(step) : `${place}.${String(step)}`;
  }, '');
}

/** An unsound number reads as NaN: what is computed from it is NaN too, which is neither above nor below anything. */
export function orNaN<Shape extends z.ZodType<number>>(shape: Shape) {
  return shape.catch(Number.NaN as z.output<Shape>);
}

/** An object of members that each read any value; what is no object has them all unsound. */
export function partly<Members extends z.ZodRawShape>(members: Members) {
  const shape = z.looseObject(members);
  return shape.catch(() => shape.parse({}));
}

/** A list of items that each read any value; what is no list, or one of another length, is one unsound item. */
export function listOf<Item extends z.ZodType>(item: Item, { min = 0, max = Number.MAX_SAFE_INTEGER } = {}) {
  return z
    .array(item)
    .min(min)
    .max(max)
    .catch(() => [item.parse(undefined)]);
}

/** Indices of the items that stood earlier in the list already; NaN and null are no items. */
export function doubled(items: readonly (number | string | null)[]): number[] {
  const seen = new Set<number | string>();
  return items.flatMap((item, i) => {
    if (item === null || Number.isNaN(item)) return [];
    if (seen.has(item)) return [i];
    seen.add(item);
    return [];
  });
}
