import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { canonical, type JsonValue, NotCanonical, parseStrict } from '#fairness';

const key = fc.string({ unit: fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code)) });
const value: fc.Arbitrary<JsonValue> = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.constant(null),
    fc.boolean(),
    fc.maxSafeInteger().map((n) => n + 0),
    fc.string({ unit: 'binary' }),
    fc.array(tie('value')),
    fc.dictionary(key, tie('value')),
  ),
})).value;

test('what is written reads back the same, and writes the same again', () => {
  fc.assert(
    fc.property(value, (before) => {
      const text = canonical(before);
      const after = parseStrict(text);
      expect(after).toEqual(before);
      expect(canonical(after)).toBe(text);
    }),
  );
});

test('every text agrees with JSON.parse', () => {
  fc.assert(fc.property(value, (before) => expect(JSON.parse(canonical(before))).toEqual(before)));
});

test('the order in which members were added does not matter, and few or many are sorted alike', () => {
  fc.assert(
    fc.property(fc.uniqueArray(key, { maxLength: 60 }), (keys) => {
      const sorted = [...keys].sort();
      const text = `{${sorted.map((name) => `${JSON.stringify(name)}:0`).join(',')}}`;
      const object = Object.create(null);
      for (const name of keys) object[name] = 0;
      expect(canonical(object)).toBe(text);
    }),
  );
});

test('strings are escaped as RFC 8785 §3.2.2.2 says', () => {
  expect(canonical('\u20ac$\u000f\nA\'B"\\\\"/\u2028\b\t\u007f')).toBe(
    `"\u20ac$\\u000f\\nA'B\\"\\\\\\\\\\"/\u2028\\b\\t\u007f"`,
  );
});

test('keys are sorted by UTF-16 units, not by alphabet or length', () => {
  expect(canonical({ b: 1, B: 2, a10: 3, a2: 4, a: 5, '': 6 })).toBe('{"":6,"B":2,"a":5,"a10":3,"a2":4,"b":1}');
});

test('a plain object of another realm is plain', () => {
  expect(canonical(runInNewContext('({ b: [1], a: {} })'))).toBe('{"a":{},"b":[1]}');
});

class Dto {
  a = 1;
}
const holes: number[] = [];
holes[1] = 1;
const ring: unknown[] = [];
ring.push(ring);

test.each<[string, unknown, RegExp]>([
  ['a fraction', { a: [0, 0.5] }, /0\.5 at \$\.a\[1\]$/],
  ['minus zero', [-0], /minus zero at \$\[0\]$/],
  ['an unsafe integer', 2 ** 53, /9007199254740992 at \$$/],
  ['NaN', Number.NaN, /NaN/],
  ['an infinity', Number.POSITIVE_INFINITY, /Infinity/],
  ['a bigint', 1n, /bigint/],
  ['undefined', { a: undefined }, /undefined at \$\.a$/],
  ['a function', { a: () => 1 }, /function/],
  ['a symbol', Symbol('a'), /symbol/],
  ['a hole', holes, /undefined at \$\[0\]$/],
  ['a date', { at: new Date(0) }, /class Date at \$\.at$/],
  ['a map', new Map(), /class Map/],
  ['bytes', Uint8Array.of(1), /class Uint8Array/],
  ['an object of a class', { a: 1, b: [new Dto()] }, /class Dto at \$\.b\[0\]$/],
  ['an object of a class that holds one', Object.assign(new Dto(), { b: new Dto() }), /class Dto at \$$/],
  ['a key that is not ASCII, inside', { a: [{ é: 1 }] }, /"é" at \$\.a\[0\]$/],
  ['a lone high surrogate', '\ud800', /lone surrogate/],
  ['a lone low surrogate', ['a\udc00'], /lone surrogate at \$\[0\]$/],
  ['a key that is not ASCII', { é: 1 }, /not ASCII: "é"/],
  ['a control character in a key', { 'a\n': 1 }, /not ASCII/],
  ['a ring', ring, /64 levels/],
])('%s has no canonical form', (_, thing, message) => {
  expect(() => canonical(thing)).toThrow(NotCanonical);
  expect(() => canonical(thing)).toThrow(message);
});
