import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import {
  type Commitment,
  type JsonValue,
  type KeySet,
  loadBeaconCheck,
  NotStrictJson,
  parseStrict,
  type Verification,
  verifyCommitments,
} from '#fairness';
import { rulesOf } from '#mechanics';
import { ConfigError, loadJwks, loadRegulations, regulationsFolder } from '#service/files';
import { Failure } from '../failure.ts';
import type { Options } from '../main.ts';
import { dataFolderOf } from '../running-platform.ts';
import { readText } from '../text-file.ts';

/** What a file may hold at most: a receipt is some kilobytes, a disclosed block 65 bytes a unit. */
export const A_RECEIPT = { what: 'a receipt', mostBytes: 2 ** 20 };
export const A_BLOCK = { what: 'a disclosed block', mostBytes: 400_000_000 };
const A_LIST = { what: 'the list of commitments', mostBytes: 400_000_000 };

/** A public document as strict JSON; a Failure for a file that is none. */
export function readDocument(path: string, limits: typeof A_RECEIPT): JsonValue {
  try {
    return parseStrict(readText(path, limits));
  } catch (error) {
    if (error instanceof NotStrictJson) throw new Failure(`${path}: is not ${limits.what}: ${error.message}`);
    throw error;
  }
}

/**
 * What documents are verified with, from files alone: keys of `--keys`, else those of the data folder; regulations that
 * come with the platform, those added to the data folder, and those of `--regulations`.
 */
export async function verificationWith(options: Options): Promise<Verification> {
  const pinnedKeys = pinnedKeysOf(options);
  const known = new Map(regulationsOf(options).regulations.map((regulation) => [regulation.id, regulation]));
  return {
    keys: pinnedKeys ?? { keys: [] },
    pinned: pinnedKeys !== null,
    rulesOf: rulesOf((id) => known.get(id) ?? null),
    isRoundSignature: await loadBeaconCheck(),
  };
}

/** What to do about keys that are not pinned. */
export const NO_PINNED_KEYS =
  'there are no pinned keys, and a key that comes with a document proves nothing: give --keys FILE with what ' +
  '/.well-known/enjeu-keys.json of the platform served earlier, or to somebody you trust';

function pinnedKeysOf(options: Options): KeySet | null {
  const file = options.keys ?? join(dataFolderOf(options), 'keys', 'enjeu-keys.json');
  if (options.keys === undefined && !existsSync(file)) return null;
  return orFailure(() => loadJwks(file));
}

function regulationsOf(options: Options) {
  const added = join(dataFolderOf(options), 'regulations');
  const folders = [regulationsFolder(), ...(existsSync(added) ? [added] : [])];
  if (options.regulations !== undefined) folders.push(options.regulations);
  return orFailure(() => loadRegulations(folders.join(delimiter)));
}

function orFailure<Value>(load: () => Value): Value {
  try {
    return load();
  } catch (error) {
    if (error instanceof ConfigError) throw new Failure(error.message);
    throw error;
  }
}

/** The list of commitments from a file, entry 0 first, as `GET /api/v1/blocks` gives it; verified, or a Failure. */
export function readList(path: string, { keys }: Verification): readonly Commitment[] {
  const value = readDocument(path, A_LIST);
  const entries = Array.isArray(value) ? value : (value as { items?: unknown } | null)?.items;
  if (!Array.isArray(entries)) {
    throw new Failure(`${path}: is not the list of commitments: neither an array nor an object with items`);
  }
  const verified = verifyCommitments(entries, keys);
  if ('refused' in verified) throw new Failure(`${path}: the list is wrong: ${verified.detail}`);
  return verified.accepted;
}
