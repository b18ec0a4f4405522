import type { EntriesResponse, StatementEntry } from '#contracts';
import type { EntryView } from '#contracts/http';

const TYPES = {
  StakeDebited: 'stake',
  StakeRefunded: 'refund',
  PrizeCredited: 'prize',
  AccountAdjusted: 'adjustment',
} as const satisfies Record<StatementEntry['type'], EntryView['type']>;

/** A movement of the balance as players see it. */
export function entryView({ type, playId, amountCents, availableCents, reason, at }: StatementEntry): EntryView {
  return { type: TYPES[type], playId, amountCents, availableCents, reason, at };
}

const COLUMNS = ['at', 'type', 'playId', 'amountCents', 'availableCents', 'reason'] as const;

/** The statement from a page on as CSV (RFC 4180), a page at a time. @param page what is below a position */
export async function* csvOf(
  first: EntriesResponse,
  page: (before: number) => Promise<EntriesResponse>,
): AsyncGenerator<string> {
  yield `${COLUMNS.join(',')}\r\n`;
  for (let current = first; ; current = await page(current.next)) {
    yield current.items.map((entry) => line(entryView(entry))).join('');
    if (current.next === null) return;
  }
}

function line(entry: EntryView): string {
  return `${COLUMNS.map((column) => field(entry[column])).join(',')}\r\n`;
}

function field(value: string | number | null): string {
  const text = value === null ? '' : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
