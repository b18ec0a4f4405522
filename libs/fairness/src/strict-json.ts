import { type JsonValue, MAX_DEPTH } from './canonical.ts';

/** A text that is not strict JSON; `offset` is in UTF-16 units from 0. */
export class NotStrictJson extends SyntaxError {
  constructor(
    readonly what: string,
    readonly offset: number,
  ) {
    super(`${what} at character ${offset + 1}`);
    this.name = 'NotStrictJson';
  }
}

/**
 * Reads JSON and refuses, with NotStrictJson, whatever two readers might understand differently: a doubled member, a
 * fraction, an exponent, -0, an integer that is not safe, a lone surrogate, a key outside printable ASCII, more than 64
 * levels. White space and the order of members are free: compare canonical forms where bytes matter.
 */
export function parseStrict(text: string): JsonValue {
  return new StrictReader(text).whole();
}

const NUMBER = /-?[0-9.eE+-]+/y;
const INTEGER = /^(?:0|-?[1-9][0-9]*)$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what JSON forbids inside a string.
const PLAIN = /[^"\\\u0000-\u001f]*/y;
const WHITE = /[ \t\n\r]*/y;
const ASCII = /^[ -~]*$/;
const ESCAPES: Readonly<Record<string, string>> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
};

class StrictReader {
  private at = 0;

  constructor(private readonly text: string) {}

  whole(): JsonValue {
    const value = this.value(0);
    this.skipWhite();
    if (this.at < this.text.length) this.fail('something after the end');
    return value;
  }

  private fail(what: string, offset = this.at): never {
    throw new NotStrictJson(what, offset);
  }

  private match(pattern: RegExp): string {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text)?.[0] ?? '';
    this.at += found.length;
    return found;
  }

  private skipWhite(): void {
    this.match(WHITE);
  }

  private take(token: string): boolean {
    if (!this.text.startsWith(token, this.at)) return false;
    this.at += token.length;
    return true;
  }

  private expect(token: string): void {
    if (!this.take(token)) this.fail(this.at < this.text.length ? `expected ${token}` : 'the text ends too early');
  }

  private value(depth: number): JsonValue {
    this.skipWhite();
    const first = this.text[this.at];
    if (depth === MAX_DEPTH && (first === '{' || first === '[')) this.fail(`more than ${MAX_DEPTH} levels`);
    switch (first) {
      case '{':
        return this.object(depth + 1);
      case '[':
        return this.array(depth + 1);
      case '"':
        return this.string();
      default:
        return this.word();
    }
  }

  private word(): JsonValue {
    if (this.take('null')) return null;
    if (this.take('true')) return true;
    if (this.take('false')) return false;
    const start = this.at;
    const token = this.match(NUMBER);
    if (token === '') this.fail(start < this.text.length ? 'not a value' : 'the text ends too early');
    if (!INTEGER.test(token)) this.fail(`not a plain integer: ${token}`, start);
    const number = Number(token);
    if (!Number.isSafeInteger(number)) this.fail(`not a safe integer: ${token}`, start);
    return number;
  }

  private array(depth: number): JsonValue {
    const items: JsonValue[] = [];
    this.expect('[');
    this.skipWhite();
    if (this.take(']')) return items;
    do items.push(this.value(depth));
    while (this.separated());
    this.expect(']');
    return items;
  }

  private object(depth: number): JsonValue {
    const members: Record<string, JsonValue> = {};
    this.expect('{');
    this.skipWhite();
    if (this.take('}')) return members;
    do {
      this.skipWhite();
      const start = this.at;
      const key = this.string();
      if (!ASCII.test(key)) this.fail(`a key that is not ASCII: ${JSON.stringify(key)}`, start);
      if (Object.hasOwn(members, key)) this.fail(`the member ${JSON.stringify(key)} stands twice`, start);
      this.skipWhite();
      this.expect(':');
      // Not by assignment: `__proto__` is a member like any other, and must not become the prototype.
      Object.defineProperty(members, key, {
        value: this.value(depth),
        enumerable: true,
        writable: true,
        configurable: true,
      });
    } while (this.separated());
    this.expect('}');
    return members;
  }

  private separated(): boolean {
    this.skipWhite();
    return this.take(',');
  }

  private string(): string {
    const start = this.at;
    this.expect('"');
    let result = this.match(PLAIN);
    while (!this.take('"')) {
      if (!this.take('\\')) {
        this.fail(this.at < this.text.length ? 'a control character in a string' : 'the text ends too early');
      }
      result += this.escaped() + this.match(PLAIN);
    }
    if (!result.isWellFormed()) this.fail('a lone surrogate', start);
    return result;
  }

  private escaped(): string {
    const letter = this.text[this.at] ?? '';
    if (letter === 'u') {
      const digits = this.text.slice(this.at + 1, this.at + 5);
      if (!/^[0-9a-fA-F]{4}$/.test(digits)) this.fail('a bad \\u escape');
      this.at += 5;
      return String.fromCharCode(Number.parseInt(digits, 16));
    }
    const meaning = ESCAPES[letter];
    if (meaning === undefined) this.fail('an unknown escape');
    this.at += 1;
    return meaning;
  }
}
