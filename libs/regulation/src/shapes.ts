import * as z from 'zod';
import { MAX_ROWS } from '#fairness';
import { type Cents, cents } from '#money';
import { type GameRegulation, GENERAL, type GeneralRegulation } from './regulation.ts';

const WHOLE = 'must be a whole number';
const ABOVE_NOTHING = 'must be above 0';
/** Counts and amounts of a block stand in four bytes of a leaf. */
export const fourBytes = z
  .int(WHOLE)
  .min(1, ABOVE_NOTHING)
  .max(2 ** 32 - 1);
/** How many rows a table has. */
export const ROWS = { min: 1, max: MAX_ROWS } as const;
/** A sum of a whole block, in cents. */
export const sumCents = z.int(WHOLE).min(1, ABOVE_NOTHING);
export const gameName = z.string().regex(/^[a-z][a-z0-9-]*$/, 'must be lower-case letters, digits and hyphens');
export const day = z.iso.date({
  error: ({ input }) => (input === undefined ? undefined : 'must be a day like 2009-02-05'),
});

const asCents = (value: number): Cents => cents(value);
const text = z.string().regex(/\S/, 'must not be empty');
const localized = <Shape extends z.ZodType>(shape: Shape, what: string) =>
  z.strictObject({ fr: shape.describe(`${what}, in French`), en: shape.describe(`${what}, in English`) });
/** Their shape is the mechanic's to say. */
const parameters = (what: string) => (z.looseObject({}) as z.ZodType<GameRegulation['parameters']>).describe(what);

const names = localized(text, 'The name').describe('How players see it named');
const references = z.array(text).min(1).describe('Legal basis and publication, shown with the rules');
const rules = localized(z.array(text).min(1), 'Sentence by sentence').describe(
  'The rules for players, as many sentences in each language',
);

const row = z
  .strictObject({
    count: fourBytes.describe('How many units of a block win this prize'),
    prizeCents: fourBytes.transform(asCents).describe('The prize in cents, above 0; each amount stands in one row'),
  })
  .describe('One line of the table');

const printed = z
  .strictObject({
    count: fourBytes.describe('The number of prizes that the text prints under the table'),
    totalCents: sumCents.transform(asCents).describe('The total of the prizes that it prints, in cents'),
  })
  .describe('What the text prints under the table; where the rows give something else, an erratum has to say so');

const stake = z.strictObject({
  stakeCents: fourBytes.transform(asCents).describe('What a unit costs, in cents; each stake has one table'),
  rows: z.array(row).min(ROWS.min).max(ROWS.max).describe("The table of prizes of a block, in the regulation's order"),
  printed,
  parameters: parameters('What the mechanic needs to know of this stake'),
});

const erratum = z
  .strictObject({
    article: text.describe('`3.1` is the table of the first stake, `3.2` of the second, and so on'),
    printed: text.describe('As printed: amounts like `1 800,50 €`, counts like `331 043`'),
    read: text.describe('How it is read, written in the same way'),
    why: localized(text, 'Why').describe('Why it is read so'),
  })
  .describe('A place where the text prints something else than it means');

/** One version of a game's regulation, by its form alone. */
export const gameShape: z.ZodType<GameRegulation> = z
  .strictObject({
    id: z
      .string()
      .regex(/^[a-z][a-z0-9-]*@\d{4}-\d{2}-\d{2}$/, 'must be like game@2009-01-26')
      .describe('`<game>@<signedOn>`, and the name of the file without `.json`'),
    game: gameName.describe(`The game's id in the API; lower-case letters, digits and hyphens, and not \`${GENERAL}\``),
    names,
    signedOn: day.describe('The day on which this version of the text was signed'),
    opensOn: day.describe('The day from which the game is on sale, not before it was signed'),
    references,
    blockSize: fourBytes.describe('Units of a block; no table has more prizes than that'),
    mechanic: z
      .string()
      .regex(/^[a-z][a-z0-9-]*\/[1-9]\d*$/, 'must be like game/1')
      .describe('How a unit is shown, and in which version'),
    parameters: parameters('What the mechanic needs to know at every stake'),
    stakes: z.array(stake).min(1).describe('The stakes of which a player chooses one'),
    errata: z.array(erratum).describe('Empty where the text means what it prints'),
    rules,
  })
  .describe('One version of the regulation of a game');

/** One version of the rules common to all games, by its form alone. */
export const generalShape: z.ZodType<GeneralRegulation> = z
  .strictObject({
    id: z
      .string()
      .regex(new RegExp(`^${GENERAL}@\\d{4}-\\d{2}-\\d{2}$`), `must be like ${GENERAL}@2001-04-05`)
      .describe(`\`${GENERAL}@<signedOn>\`, and the name of the file without \`.json\``),
    names,
    signedOn: day.describe('The day on which this version of the text was signed'),
    references,
    rules,
  })
  .describe('One version of the rules common to all games');
