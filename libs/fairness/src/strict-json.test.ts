import fc from 'fast-check';
import { canonical, NotStrictJson, parseStrict } from '#fairness';

test('white space, any order of members and every escape are read', () => {
  const text = ' {\t"b" : [ 1 , -2,\r\n0 ,true,false , null ] , "a":"\\u0041\\n\\/\\ud83d\\ude00é" } \n';
  expect(parseStrict(text)).toEqual({ b: [1, -2, 0, true, false, null], a: 'A\n/😀é' });
  expect([parseStrict('[ ]'), parseStrict('{ }'), parseStrict('""')]).toEqual([[], {}, '']);
});

test.each<[string, string, RegExp]>([
  ['a doubled member', '{"a":1,"b":{"a":2},"a":3}', /"a" stands twice at character 20/],
  ['a member doubled by an escape', '{"a":1,"\\u0061":2}', /"a" stands twice/],
  ['a doubled __proto__', '{"__proto__":1,"__proto__":2}', /stands twice/],
  ['a fraction', '[1.0]', /integer: 1\.0 at character 2/],
  ['an exponent', '1e2', /integer: 1e2/],
  ['minus zero', '-0', /integer: -0/],
  ['a leading zero', '01', /integer: 01/],
  ['a plus sign', '+1', /not a plain integer/],
  ['a bare minus', '-', /not a plain integer/],
  ['an unsafe integer', '9007199254740992', /not a safe integer/],
  ['an unsafe negative integer', '-9007199254740992', /not a safe integer/],
  ['a lone high surrogate', '"\\ud800"', /lone surrogate/],
  ['a lone raw surrogate', '"\udc00"', /lone surrogate/],
  ['a key that is not ASCII', '{"é":1}', /not ASCII/],
  ['a raw control character', '"a\nb"', /control character/],
  ['an unknown escape', '"\\x41"', /unknown escape/],
  ['a short \\u escape', '"\\u41"', /bad \\u escape/],
  ['a comma at the end of an array', '[1,]', /not a value/],
  ['a comma at the end of an object', '{"a":1,}', /expected "/],
  ['two values', '1 2', /after the end/],
  ['a byte order mark', '\ufeff1', /not a value/],
  ['no-break space', '\u00a01', /not a value/],
  ['nothing', '  ', /ends too early/],
  ['half an object', '{"a":', /ends too early/],
  ['half a string', '"a', /ends too early/],
  ['half an array', '[1', /ends too early/],
  ['NaN', 'NaN', /not a value/],
  ['a word that only begins like null', 'nullx', /after the end/],
  ['single quotes', "'a'", /not a value/],
  ['65 levels', `${'['.repeat(65)}${']'.repeat(65)}`, /64 levels/],
  ['100,000 levels', '['.repeat(100_000), /64 levels/],
])('%s is refused', (_, text, message) => {
  expect(() => parseStrict(text)).toThrow(NotStrictJson);
  expect(() => parseStrict(text)).toThrow(message);
});

test('64 levels are read, and written again', () => {
  const text = `${'['.repeat(64)}${']'.repeat(64)}`;
  expect(canonical(parseStrict(text))).toBe(text);
});

test('a __proto__ is a member like any other and changes no prototype', () => {
  const object = parseStrict('{"__proto__":{"admin":true}}') as Record<string, unknown>;
  expect(Object.keys(object)).toEqual(['__proto__']);
  expect(object['admin']).toBeUndefined();
  expect(canonical(object)).toBe('{"__proto__":{"admin":true}}');
});

test('whatever JSON.parse refuses is refused, and whatever is accepted means the same to JSON.parse', () => {
  const soup = fc.string({ unit: fc.constantFrom(...'{}[]",:\\ntrue0123456789-.eE \n\té') });
  const mutated = fc
    .tuple(fc.json(), fc.nat(), soup)
    .map(
      ([text, at, patch]) =>
        text.slice(0, at % (text.length + 1)) + patch.slice(0, 3) + text.slice(at % (text.length + 1)),
    );
  fc.assert(
    fc.property(fc.oneof(soup, mutated), (text) => {
      let strict: unknown;
      try {
        strict = parseStrict(text);
      } catch (error) {
        expect(error).toBeInstanceOf(NotStrictJson);
        return;
      }
      expect(strict).toEqual(JSON.parse(text));
    }),
    { numRuns: 2000 },
  );
});
