const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Deeper bodies than this are refused: no public shape comes near it, and recursive validators stay safe. */
const DEEPEST = 32;

const FORBIDDEN_MEMBERS = new Set(['__proto__', 'constructor', 'prototype']);

/** Why a body is not JSON as this API takes it; the message is a sentence part for the sender. */
export class StrictJsonError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'StrictJsonError';
  }
}

/**
 * Parses a request body. Beyond what JSON itself forbids it refuses bytes that are not UTF-8, a member given twice,
 * members called `__proto__`, `constructor` or `prototype`, U+0000 and lone surrogates in any text, and deep nesting.
 * @throws StrictJsonError
 */
export function parseStrictJson(bytes: Uint8Array): unknown {
  let text: string;
  let value: unknown;
  try {
    text = utf8.decode(bytes);
  } catch {
    throw new StrictJsonError('the body is not UTF-8');
  }
  try {
    value = JSON.parse(text);
  } catch {
    throw new StrictJsonError('the body is not valid JSON');
  }
  checkMembers(text);
  return value;
}

/** One pass over text that JSON.parse has accepted, so only strings and brackets need to be told apart. */
function checkMembers(text: string): void {
  const open: (Set<string> | null)[] = [];
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x22) at = checkString(text, at, open);
    else if (code === 0x7b || code === 0x5b) {
      if (open.length === DEEPEST) throw new StrictJsonError(`the body is nested deeper than ${DEEPEST} levels`);
      open.push(code === 0x7b ? new Set() : null);
    } else if (code === 0x7d || code === 0x5d) open.pop();
  }
}

/** Checks the string that starts at `start` and answers the index of its closing quote. */
function checkString(text: string, start: number, open: readonly (Set<string> | null)[]): number {
  let end = start + 1;
  let escaped = false;
  for (; text.charCodeAt(end) !== 0x22; end++) {
    if (text.charCodeAt(end) === 0x5c) {
      escaped = true;
      end++;
    }
  }
  const value = escaped ? (JSON.parse(text.slice(start, end + 1)) as string) : text.slice(start + 1, end);
  if (escaped && value.includes('\u0000')) throw new StrictJsonError('a text contains U+0000');
  if (escaped && !value.isWellFormed()) throw new StrictJsonError('a text contains half of a surrogate pair');
  const members = open.at(-1);
  if (members && isName(text, end)) checkName(value, members);
  return end;
}

/** A string is a member's name when a colon follows it. */
function isName(text: string, closingQuote: number): boolean {
  let at = closingQuote + 1;
  while (' \t\n\r'.includes(text.charAt(at)) && at < text.length) at++;
  return text.charCodeAt(at) === 0x3a;
}

function checkName(name: string, members: Set<string>): void {
  if (FORBIDDEN_MEMBERS.has(name)) throw new StrictJsonError(`a member may not be called ${name}`);
  if (members.has(name)) throw new StrictJsonError(`the member ${JSON.stringify(name)} is given twice`);
  members.add(name);
}
