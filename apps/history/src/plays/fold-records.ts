import { ParkedKeys, type ParkedRecord, parkedRow, parkingKey, type SourceRecord } from '#event-sourcing';
import { type Contradiction, merge, type Play, type PlayFact } from './play.ts';

/** A record in its turn. */
export interface Entry {
  readonly record: SourceRecord;
  /** What it says of a play, null for nothing, or why it cannot be read. */
  readonly fact: PlayFact | null | Error;
  /** The page with which a parked record was sent again; null for one that comes from the bus. */
  readonly page: Page | null;
  /** Why the database refused this record alone. */
  refused: Error | null;
}

/** Parked records of one source and key, sent again together. Those after the first that fails stay parked. */
export interface Page {
  handled: number;
  error: Error | null;
}

export interface Folded {
  /** The plays that are new or not what they were. */
  readonly plays: readonly Play[];
  readonly parked: readonly ParkedRecord[];
  /** Records that are parked no longer. */
  readonly released: readonly SourceRecord[];
  /** What sending again came to, to be told once it is stored. */
  readonly pages: ReadonlyMap<Page, Page>;
  readonly contradictions: readonly { readonly record: SourceRecord; readonly kind: Contradiction }[];
}

/**
 * What a batch changes: plays merged in order, and records that must be parked. Pure, so that it may be done again.
 * @param known the stored plays that the batch is about, by id
 * @param parkedKeys keys that have parked records: their later ones are parked behind
 */
export function foldRecords(
  entries: readonly Entry[],
  known: ReadonlyMap<string, Play>,
  parkedKeys: ParkedKeys,
): Folded {
  const plays = new Map<string, Play>();
  const parked: ParkedRecord[] = [];
  const parkedHere = new ParkedKeys();
  const released: SourceRecord[] = [];
  const pages = new Map<Page, Page>();
  const contradictions: { record: SourceRecord; kind: Contradiction }[] = [];

  const apply = (record: SourceRecord, fact: PlayFact): void => {
    const before = plays.get(fact.playId) ?? known.get(fact.playId) ?? null;
    const merged = merge(before, fact);
    if (before === null || differs(before, merged.play)) plays.set(fact.playId, merged.play);
    contradictions.push(...merged.contradictions.map((kind) => ({ record, kind })));
  };

  for (const { record, fact, page, refused } of entries) {
    const failure = refused ?? (fact instanceof Error ? fact : null);
    if (page !== null) {
      // What an earlier part of the page came to counts for the later ones.
      const told = pages.get(page) ?? { ...page };
      pages.set(page, told);
      if (told.error !== null) continue;
      told.error = failure;
      if (failure !== null) continue;
      told.handled += 1;
      released.push(record);
    } else if (fact !== null) {
      const key = parkingKey(record);
      const behind = parkedKeys.has(record.source, key) || parkedHere.has(record.source, key);
      if (behind || failure !== null) {
        parked.push(parkedRow(record, behind ? null : failure));
        parkedHere.add(record.source, key);
        continue;
      }
    }
    if (fact !== null && !(fact instanceof Error)) apply(record, fact);
  }
  return { plays: [...plays.values()], parked, released, pages, contradictions };
}

/** Parts are never changed in place, so that what is the same object is the same. */
function differs(before: Play, after: Play): boolean {
  return (
    before.order !== after.order ||
    before.walletPosition !== after.walletPosition ||
    before.outcome !== after.outcome ||
    before.payment !== after.payment
  );
}
