import * as z from 'zod';
import { faultsOfPrinted } from './printed.ts';
import { centsOf, countOf, type ReadableStake, type ReadableTables, readableTables } from './readable.ts';
import { GENERAL } from './regulation.ts';
import { allOf, doubled, type Fault, faultIf, type Rule, rule } from './rule.ts';
import { day, gameName } from './shapes.ts';

function idOfDay(id: string, game: string, signedOn: string): Fault[] {
  return faultIf(id !== `${game}@${signedOn}`, 'id', `must be ${game}@${signedOn}`);
}

const bothLanguages: Rule = rule(
  z.looseObject({ rules: z.looseObject({ fr: z.array(z.unknown()), en: z.array(z.unknown()) }) }),
  ({ rules: { fr, en } }) =>
    faultIf(fr.length !== en.length, 'rules', `${fr.length} rules in French, ${en.length} in English`),
);

/** What cannot be true together in the rules common to all games. */
export const generalContradictions: Rule = allOf(
  rule(z.looseObject({ id: z.string(), signedOn: day }), ({ id, signedOn }) => idOfDay(id, GENERAL, signedOn)),
  bothLanguages,
);

/** What cannot be true together in a game's regulation. */
export const gameContradictions: Rule = allOf(
  rule(z.looseObject({ id: z.string(), game: gameName, signedOn: day }), ({ id, game, signedOn }) =>
    idOfDay(id, game, signedOn),
  ),
  bothLanguages,
  rule(z.looseObject({ game: z.literal(GENERAL) }), () =>
    faultIf(true, 'game', 'is the name of the rules common to all games'),
  ),
  rule(z.looseObject({ signedOn: day, opensOn: day }), ({ signedOn, opensOn }) =>
    faultIf(opensOn < signedOn, 'opensOn', 'is before the regulation was signed'),
  ),
  rule(readableTables, (tables) => [
    ...doubledStakes(tables),
    ...tables.stakes.flatMap(faultsOfTable(tables)),
    ...faultsOfPrinted(tables),
  ]),
);

function doubledStakes({ stakes }: ReadableTables): Fault[] {
  return doubled(stakes.map(({ stakeCents }) => stakeCents)).map((s) => ({
    place: `stakes[${s}].stakeCents`,
    message: 'is the stake of another table too',
  }));
}

function faultsOfTable({ blockSize }: ReadableTables): (stake: ReadableStake, s: number) => Fault[] {
  return ({ stakeCents, rows }, s) => {
    const place = `stakes[${s}]`;
    const count = countOf(rows);
    return [
      ...doubled(rows.map(({ prizeCents }) => prizeCents)).map((r) => ({
        place: `${place}.rows[${r}].prizeCents`,
        message: 'is the prize of another row too',
      })),
      ...faultIf(count > blockSize, `${place}.rows`, `${count} prizes do not fit in ${blockSize} units`),
      ...faultIf(centsOf(rows) > Number.MAX_SAFE_INTEGER, `${place}.rows`, 'give a total that is too large to count'),
      ...faultIf(
        blockSize * stakeCents > Number.MAX_SAFE_INTEGER,
        `${place}.stakeCents`,
        'is too much for a block of that many units: their price is too large to count',
      ),
    ];
  };
}
