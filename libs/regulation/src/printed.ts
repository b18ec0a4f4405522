import { cents, formatEuros } from '#money';
import { centsOf, countOf, type ReadableErratum, type ReadableStake, type ReadableTables } from './readable.ts';
import type { Fault } from './rule.ts';

/**
 * REG-3.1: the rows rule. Every printed number that differs from what the rows give needs an erratum of that article with
 * exactly the two values, and every erratum of a table must explain such a difference. The table of the nth stake is
 * article 3.n.
 */
export function faultsOfPrinted({ stakes, errata }: ReadableTables): Fault[] {
  const numbers = stakes.flatMap(numbersOf);
  const unexplained = numbers.filter((number) => isWrong(number) && !errata.some((one) => mayExplain(one, number)));
  return [
    ...unexplained.map(faultOf),
    ...errata.flatMap((one, i) => (isIdle(one, numbers) ? [idleFault(one, i)] : [])),
  ];
}

/** A number that is printed under a table, and what the rows give; NaN where it cannot be read. */
interface PrintedNumber {
  readonly place: string;
  readonly article: string;
  readonly unit: 'prizes' | 'cents';
  readonly printed: number;
  readonly computed: number;
}

function numbersOf({ rows, printed }: ReadableStake, s: number): PrintedNumber[] {
  const place = `stakes[${s}].printed`;
  const article = `3.${s + 1}`;
  return [
    { place: `${place}.count`, article, unit: 'prizes', printed: printed.count, computed: countOf(rows) },
    { place: `${place}.totalCents`, article, unit: 'cents', printed: printed.totalCents, computed: centsOf(rows) },
  ];
}

function isKnown({ printed, computed }: PrintedNumber): boolean {
  return Number.isSafeInteger(printed) && Number.isSafeInteger(computed);
}

function isWrong(number: PrintedNumber): boolean {
  return isKnown(number) && number.printed !== number.computed;
}

function isReadable(erratum: ReadableErratum): erratum is { article: string; printed: string; read: string } {
  return erratum.article !== null && erratum.printed !== null && erratum.read !== null;
}

function explains(erratum: ReadableErratum, { article, unit, printed, computed }: PrintedNumber): boolean {
  const read = unit === 'cents' ? printedCents : printedCount;
  return (
    isReadable(erratum) &&
    erratum.article === article &&
    read(erratum.printed) === printed &&
    read(erratum.read) === computed
  );
}

/** An erratum of which too little can be read is given the benefit of the doubt: it has its own fault. */
function mayExplain(erratum: ReadableErratum, number: PrintedNumber): boolean {
  if (isReadable(erratum)) return explains(erratum, number);
  return erratum.article === null || erratum.article === number.article;
}

/** An erratum of article 3 for which no number is wrong, nor may be wrong once it can be read. */
function isIdle(erratum: ReadableErratum, numbers: readonly PrintedNumber[]): boolean {
  if (!isReadable(erratum) || !erratum.article.startsWith('3.')) return false;
  const ofTable = numbers.filter(({ article }) => article === erratum.article);
  const asked = ofTable.length > 0 ? ofTable : numbers;
  return asked.every((number) => isKnown(number) && !explains(erratum, number));
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

function faultOf({ place, article, unit, printed, computed }: PrintedNumber): Fault {
  const show = (value: number) => (unit === 'cents' ? `${formatEuros(cents(value))} EUR` : `${value} prizes`);
  const message = `${show(printed)} are printed, the rows give ${show(computed)}, and no erratum of article ${article} says so`;
  return { place, message };
}

function idleFault({ article, printed, read }: ReadableErratum, i: number): Fault {
  const message = `from ${JSON.stringify(printed)} to ${JSON.stringify(read)} explains no number printed in article ${article}`;
  return { place: `errata[${i}]`, message };
}
