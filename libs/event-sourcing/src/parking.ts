import type { ParkedRecord, SourceRecord } from './event-log.ts';
import type { RecordHandler } from './lane.ts';

/** Longest key of parked records and longest reason, in UTF-16 units. */
const MAX_KEY_LENGTH = 400;
const MAX_ERROR_LENGTH = 2_000;

/**
 * The keys of one service that have parked records, by source: loaded at start, kept in memory. While a key is in here its
 * later records of that source are parked behind it.
 */
export class ParkedKeys {
  readonly #keys = new Set<string>();

  constructor(keys: Iterable<{ readonly source: string; readonly key: string }> = []) {
    for (const { source, key } of keys) this.add(source, key);
  }

  get size(): number {
    return this.#keys.size;
  }

  has(source: string, key: string): boolean {
    return this.#keys.size > 0 && this.#keys.has(nameOf(source, key));
  }

  add(source: string, key: string): void {
    this.#keys.add(nameOf(source, key));
  }

  delete(source: string, key: string): void {
    this.#keys.delete(nameOf(source, key));
  }
}

function nameOf(source: string, key: string): string {
  return `${source}\n${key}`;
}

/** The key that a record is parked under: its own, made fit for any database (a hostile player id may hold U+0000). */
export function parkingKey(record: SourceRecord): string {
  return storable(record.key, MAX_KEY_LENGTH);
}

/** The row of a record that could not be handled, or that waits behind one (`why` null). */
export function parkedRow(record: SourceRecord, why: Error | null): ParkedRecord {
  return {
    source: record.source,
    position: record.position,
    key: parkingKey(record),
    record,
    error: why === null ? 'waits behind a parked record of its key' : storable(why.message, MAX_ERROR_LENGTH),
  };
}

function storable(text: string, length: number): string {
  return text.slice(0, length).toWellFormed().replaceAll('\u0000', '\uFFFD');
}

/** How a service handles parked records again: its lane, or history's own sink. */
export interface ParkedSink<Handler extends Pick<RecordHandler, 'source'> = RecordHandler> {
  /**
   * Handles the oldest parked records of this key and of the handler's source, in order, as one batch whose effects and
   * deletions are stored together; stops at the first that fails again. Once none is left it takes the key out of its
   * parked keys. One page at a time: a second call waits for the first.
   */
  handleAgain(handler: Handler, key: string): Promise<HandledAgain>;
}

export interface HandledAgain {
  readonly handled: number;
  /** Why the first that failed did, or null. */
  readonly error: string | null;
}

export interface SentAgain extends HandledAgain {
  /** Records of the key that are still parked; counted up to 1,000. */
  readonly left: number;
}

const COUNT_LIMIT = 1_000;

/**
 * Sends a key's parked records again: each source's in order, page by page, until none is left or one fails, which keeps
 * it and the later ones of that source parked in their order. Records that arrive meanwhile are parked behind and come in turn.
 */
export async function sendAgain<Handler extends Pick<RecordHandler, 'source'>>(
  log: { parked(filter: { readonly key: string; readonly limit: number }): Promise<readonly unknown[]> },
  sink: ParkedSink<Handler>,
  handlers: readonly Handler[],
  key: string,
): Promise<SentAgain> {
  let handled = 0;
  let error: string | null = null;
  for (const handler of handlers) {
    for (;;) {
      const page = await sink.handleAgain(handler, key);
      handled += page.handled;
      error ??= page.error;
      if (page.error !== null || page.handled === 0) break;
    }
  }
  const left = (await log.parked({ key, limit: COUNT_LIMIT })).length;
  return { handled, left, error };
}
