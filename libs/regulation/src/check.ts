import { type Cents, cents, formatEuros } from '#money';
import type { Erratum, GameRegulation, Stake } from './regulation.ts';
import { totals } from './totals.ts';

/** Where the printed text and the rows disagree without an erratum, or an erratum explains nothing. */
export interface Disagreement {
  readonly article: string;
  readonly message: string;
}

/**
 * REG-3.1: the rows rule. Every printed total that differs from them needs an erratum of that article with exactly the
 * two values, and every erratum of a table must explain such a difference. Empty when all is in order.
 */
export function check(regulation: GameRegulation): Disagreement[] {
  const differences = regulation.stakes.flatMap((stake, i) => differencesOf(`3.${i + 1}`, stake));
  const explained = (difference: Difference) => regulation.errata.some((erratum) => explains(erratum, difference));
  const unexplained = differences.filter((difference) => !explained(difference));
  const idle = regulation.errata.filter(
    (erratum) => isOfTable(erratum) && !differences.some((difference) => explains(erratum, difference)),
  );
  return [...unexplained.map(describe), ...idle.map(describeIdle)];
}

interface Difference {
  readonly article: string;
  readonly stakeCents: Cents;
  readonly unit: 'prizes' | 'cents';
  readonly printed: number;
  readonly computed: number;
}

function differencesOf(article: string, stake: Stake): Difference[] {
  const { count, totalCents } = totals(stake);
  const { stakeCents, printed } = stake;
  const all: Difference[] = [
    { article, stakeCents, unit: 'prizes', printed: printed.count, computed: count },
    { article, stakeCents, unit: 'cents', printed: printed.totalCents, computed: totalCents },
  ];
  return all.filter((pair) => pair.printed !== pair.computed);
}

function isOfTable(erratum: Erratum): boolean {
  return erratum.article.startsWith('3.');
}

function explains(erratum: Erratum, { article, unit, printed, computed }: Difference): boolean {
  const read = unit === 'cents' ? printedCents : printedCount;
  return erratum.article === article && read(erratum.printed) === printed && read(erratum.read) === computed;
}

/** `1 800 000,50 €` → 180000050, else null: the way the texts print amounts. */
function printedCents(text: string): number | null {
  const parts = /^(\d{1,3}(?: \d{3})*)(?:,(\d{2}))? €$/.exec(text);
  return parts ? Number(parts[1]!.replaceAll(' ', '')) * 100 + Number(parts[2] ?? 0) : null;
}

/** `331 043` → 331043, else null. */
function printedCount(text: string): number | null {
  return /^\d{1,3}(?: \d{3})*$/.test(text) ? Number(text.replaceAll(' ', '')) : null;
}

function describe({ article, stakeCents, unit, printed, computed }: Difference): Disagreement {
  const show = (value: number) => (unit === 'cents' ? `${formatEuros(cents(value))} EUR` : `${value} prizes`);
  const stake = `${formatEuros(stakeCents)} EUR`;
  return {
    article,
    message: `the table of the ${stake} stake prints ${show(printed)}, its rows give ${show(computed)}, and no erratum says so`,
  };
}

function describeIdle(erratum: Erratum): Disagreement {
  return {
    article: erratum.article,
    message: `the erratum from ${JSON.stringify(erratum.printed)} to ${JSON.stringify(erratum.read)} explains no printed total`,
  };
}
