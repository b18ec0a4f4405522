/** What canonical JSON may hold. */
export type JsonValue =
  | null
  | boolean
  | number
  | string
  | readonly JsonValue[]
  | { readonly [member: string]: JsonValue };

/** Deeper values are refused: no format of ours comes near it, and a hostile one must not exhaust the stack. */
export const MAX_DEPTH = 64;

/** A value that canonical JSON cannot hold; the message says what and where (`$.rows[2].count`). */
export class NotCanonical extends TypeError {
  constructor(what: string, place: string) {
    super(`${what} at $${place}`);
    this.name = 'NotCanonical';
  }
}

const PLAIN_TEXT = /^[ !#-[\]-~]*$/;
const ASCII = /^[ -~]*$/;

/**
 * The canonical JSON text of a value: RFC 8785, restricted to objects with printable ASCII keys, arrays, strings, safe
 * integers, booleans and null. Throws NotCanonical for anything else: `undefined`, fractions, -0, lone surrogates,
 * holes in arrays, and objects of a class (a Date would silently become `{}`).
 */
export function canonical(value: unknown): string {
  try {
    return write(value, 0);
  } catch (error) {
    throw error instanceof Flaw ? new NotCanonical(error.what, placeOf(value, 0)) : error;
  }
}

/** What is wrong, without its place: keeping track of places would cost every event that has nothing wrong. */
class Flaw extends Error {
  constructor(readonly what: string) {
    super(what);
  }
}

function write(value: unknown, depth: number): string {
  switch (typeof value) {
    case 'string':
      return quote(value);
    case 'number':
      if (!Number.isSafeInteger(value)) throw new Flaw(`not a safe integer: ${value}`);
      if (Object.is(value, -0)) throw new Flaw('minus zero');
      return String(value);
    case 'boolean':
      return value ? 'true' : 'false';
    case 'object':
      if (value === null) return 'null';
      if (depth === MAX_DEPTH) throw new Flaw(`more than ${MAX_DEPTH} levels`);
      return Array.isArray(value) ? writeArray(value, depth + 1) : writeObject(value, depth + 1);
    default:
      throw new Flaw(`a value of type ${typeof value}`);
  }
}

function writeArray(items: readonly unknown[], depth: number): string {
  let text = '[';
  for (let i = 0; i < items.length; i++) {
    if (i > 0) text += ',';
    text += write(items[i], depth);
  }
  return `${text}]`;
}

function writeObject(object: object, depth: number): string {
  if (!isPlain(object)) throw new Flaw(`an object of class ${object.constructor?.name ?? 'unknown'}`);
  const members = object as Record<string, unknown>;
  let text = '{';
  for (const key of sortedKeys(members)) {
    if (text.length > 1) text += ',';
    text += writeKey(key) + write(members[key], depth);
  }
  return `${text}}`;
}

/** The root prototype may be that of any realm: a worker's or a test runner's plain object is plain too. */
function isPlain(object: object): boolean {
  const prototype = Object.getPrototypeOf(object);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** Keys come from our own formats and recur for ever; the bound is for those that come from outside. */
const MOST_KEYS = 2_000;
const writtenKeys = new Map<string, string>();

function writeKey(key: string): string {
  const known = writtenKeys.get(key);
  if (known !== undefined) return known;
  if (!ASCII.test(key)) throw new Flaw(`a key that is not ASCII: ${JSON.stringify(key)}`);
  const written = `${quote(key)}:`;
  if (writtenKeys.size < MOST_KEYS) writtenKeys.set(key, written);
  return written;
}

/** By UTF-16 code units, which is also how `<` compares. Most of our objects have few keys: insertion beats sort(). */
function sortedKeys(object: Record<string, unknown>): string[] {
  const keys = Object.keys(object);
  if (keys.length > 24) return keys.sort();
  for (let i = 1; i < keys.length; i++) {
    const key = keys[i]!;
    let j = i - 1;
    while (j >= 0 && keys[j]! > key) {
      keys[j + 1] = keys[j]!;
      j--;
    }
    keys[j + 1] = key;
  }
  return keys;
}

function quote(text: string): string {
  if (PLAIN_TEXT.test(text)) return `"${text}"`;
  if (!text.isWellFormed()) throw new Flaw('a lone surrogate');
  return JSON.stringify(text);
}

/** Path to the first value, in the order of writing, that is itself what cannot be written. */
function placeOf(value: unknown, depth: number): string {
  if (typeof value !== 'object' || value === null || depth === MAX_DEPTH) return '';
  for (const [step, child] of stepsInto(value)) {
    try {
      write(child, depth + 1);
    } catch {
      return step + placeOf(child, depth + 1);
    }
  }
  return '';
}

function stepsInto(value: object): [string, unknown][] {
  if (Array.isArray(value)) return Array.from(value, (item, i) => [`[${i}]`, item]);
  if (!isPlain(value)) return [];
  const members = value as Record<string, unknown>;
  return sortedKeys(members).map((key) => [`.${key}`, members[key]]);
}
