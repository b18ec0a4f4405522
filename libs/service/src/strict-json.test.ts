import fc from 'fast-check';
import { parseStrictJson, StrictJsonError } from './strict-json.ts';

const bytes = (text: string) => new TextEncoder().encode(text);

test('whatever JSON writes without forbidden members comes back the same', () => {
  const name = fc.string().filter((text) => !['__proto__', 'constructor', 'prototype'].includes(text));
  const value = fc.letrec<{ any: unknown }>((tie) => ({
    any: fc.oneof(
      { maxDepth: 8 },
      fc.oneof(
        fc.string({ unit: 'grapheme' }),
        fc.double({ noNaN: true, noDefaultInfinity: true }),
        fc.boolean(),
        fc.constant(null),
      ),
      fc.array(tie('any')),
      fc.dictionary(
        name.filter((text) => !text.includes('\0')),
        tie('any'),
      ),
    ),
  })).any;
  fc.assert(
    fc.property(value, (sent) => {
      const text = JSON.stringify(sent);
      fc.pre(!text.includes('\\u0000'));
      expect(parseStrictJson(bytes(text))).toEqual(JSON.parse(text));
    }),
  );
});

test.each([
  '{"a":1,"a":2}',
  '{"a":1,"b":{"c":1,"c":2}}',
  '{"a":1,"\\u0061":2}',
  '[{"a" :1,"a"\n: 2}]',
  '{"":1,"":2}',
  '{"__proto__":1}',
  '{"a":[{"constructor":1}]}',
  '{"a":"\\u0000"}',
  '{"\\u0000":1}',
  '{"a":"\\ud800"}',
  '{"a":"\\udc00\\ud800"}',
  `${'['.repeat(33)}${']'.repeat(33)}`,
  '',
  'undefined',
  "{'a':1}",
])('%j is refused', (text) => {
  expect(() => parseStrictJson(bytes(text))).toThrow(StrictJsonError);
});

test.each([
  '{"a":{"b":1},"b":2}',
  '[{"a":1},{"a":1}]',
  '{"a":"a","b":"a"}',
  '{"a":"\\"a\\":1"}',
  '{"a":"\\\\","b":"{\\"a\\":1"}',
  '["__proto__","constructor"]',
  '{"a":"\\ud83d\\ude00"}',
  `${'['.repeat(32)}${']'.repeat(32)}`,
])('%j is taken', (text) => {
  expect(parseStrictJson(bytes(text))).toEqual(JSON.parse(text));
});
