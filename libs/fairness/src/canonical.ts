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
  return write(value, '', 0);
}

function write(value: unknown, place: string, depth: number): string {
  switch (typeof value) {
    case 'string':
      return quote(value, place);
    case 'number':
      if (!Number.isSafeInteger(value)) throw new NotCanonical(`not a safe integer: ${value}`, place);
      if (Object.is(value, -0)) throw new NotCanonical('minus zero', place);
      return String(value);
    case 'boolean':
      return value ? 'true' : 'false';
    case 'object':
      if (value === null) return 'null';
      if (depth === MAX_DEPTH) throw new NotCanonical(`more than ${MAX_DEPTH} levels`, place);
      return Array.isArray(value) ? writeArray(value, place, depth + 1) : writeObject(value, place, depth + 1);
    default:
      throw new NotCanonical(`a value of type ${typeof value}`, place);
  }
}

function writeArray(items: readonly unknown[], place: string, depth: number): string {
  let text = '[';
  for (let i = 0; i < items.length; i++) {
    if (i > 0) text += ',';
    text += write(items[i], `${place}[${i}]`, depth);
  }
  return `${text}]`;
}

function writeObject(object: object, place: string, depth: number): string {
  const prototype = Object.getPrototypeOf(object);
  // The root prototype of any realm: a worker's or a test runner's plain object is plain too.
  if (prototype !== null && Object.getPrototypeOf(prototype) !== null) {
    throw new NotCanonical(`an object of class ${object.constructor?.name ?? 'unknown'}`, place);
  }
  const members = object as Record<string, unknown>;
  let text = '{';
  for (const key of sortedKeys(members)) {
    if (!ASCII.test(key)) throw new NotCanonical(`a key that is not ASCII: ${JSON.stringify(key)}`, place);
    if (text.length > 1) text += ',';
    text += `${quote(key, place)}:${write(members[key], `${place}.${key}`, depth)}`;
  }
  return `${text}}`;
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

function quote(text: string, place: string): string {
  if (PLAIN_TEXT.test(text)) return `"${text}"`;
  if (!text.isWellFormed()) throw new NotCanonical('a lone surrogate', place);
  return JSON.stringify(text);
}
