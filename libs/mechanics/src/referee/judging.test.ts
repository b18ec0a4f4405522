import { readFileSync } from 'node:fs';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import type { GameRegulation } from '#regulation';
import type { Referee } from '../mechanic.ts';
import { match1Referee } from './match-1.ts';
import { pharaon1Referee } from './pharaon-1.ts';
import { sudoku1Referee } from './sudoku-1.ts';

const dataOf = (id: string): GameRegulation =>
  JSON.parse(readFileSync(new URL(`../../../regulation/data/${id}.json`, import.meta.url), 'utf8'));
const sudoku = dataOf('sudoku@2009-01-26');
const pharaon = dataOf('pharaon@2008-12-17');
const trio = { ...sudoku, mechanic: 'match/1' };

interface Subject {
  readonly name: string;
  readonly judge: Referee;
  /** A new script of this prize. */
  readonly script: () => Record<string, unknown>;
  readonly prizeCents: number;
}

/** Each mechanic at 1 EUR with a script that wins 2 EUR. */
const SUBJECTS: Subject[] = [
  {
    name: 'sudoku/1',
    judge: sudoku1Referee(sudoku, sudoku.stakes[1]!),
    script: () => ({
      mechanic: 'sudoku/1',
      gainCents: 200,
      blocks: Array.from({ length: 9 }, () => [1, 2, 3, 4, 5, 6, 7, 8, 9]),
      uncovered: Array.from({ length: 9 }, (_, b) => [1, b === 5 ? 0 : 1, 1, 1, 1, 1, 1, 1, b === 5 ? 1 : 0]),
      rolls: [
        ['clover', 3],
        [1, 1],
        [2, 3],
        [4, 2],
      ],
    }),
    prizeCents: 200,
  },
  {
    name: 'pharaon/1',
    judge: pharaon1Referee(pharaon, pharaon.stakes[1]!),
    script: () => ({
      mechanic: 'pharaon/1',
      bricks: ['snake', 'bird', 'snake', 'snake', 'pink-stone', ...new Array(26).fill(null)],
      bonusCents: 200,
    }),
    prizeCents: 200,
  },
  {
    name: 'match/1',
    judge: match1Referee(trio, trio.stakes[1]!),
    script: () => ({ mechanic: 'match/1', amounts: [200, 100, 100, 200, 300, 300, 200, 400, 600] }),
    prizeCents: 200,
  },
];

const namesOf = ({ script }: Subject) => Object.keys(script()).filter((name) => name !== 'mechanic');
const INVALID = { invalid: expect.stringMatching(/^\w[^\n]{5,200}$/) };
const throwing = (): never => {
  throw new Error('not for you');
};
/** Whatever it is asked, it throws, also what it throws itself. */
const trap: ProxyHandler<object> = new Proxy({}, { get: () => () => throwingTrap() });
const throwingTrap = (): never => {
  throw new Proxy({}, trap);
};

describe.each(SUBJECTS)('$name', (subject) => {
  const { judge, script, prizeCents, name } = subject;

  test('its script is judged, in whatever order the members come', () => {
    expect(judge(script())).toEqual({ prizeCents });
    expect(judge(Object.fromEntries(Object.entries(script()).reverse()))).toEqual({ prizeCents });
  });

  test('a script without prototype, and one of another realm, are scripts too', () => {
    expect(judge(Object.assign(Object.create(null), script()))).toEqual({ prizeCents });
    expect(judge(runInNewContext(`(${JSON.stringify(script())})`))).toEqual({ prizeCents });
  });

  test('judging changes nothing and can be done again', () => {
    const frozen = script();
    for (const member of Object.values(frozen)) Object.freeze(member);
    Object.freeze(frozen);
    expect(judge(frozen)).toEqual({ prizeCents });
    expect(judge(frozen)).toEqual({ prizeCents });
    expect(frozen).toEqual(script());
  });

  test('each member must be there, as its own', () => {
    for (const missing of Object.keys(script())) {
      const { [missing]: taken, ...others } = script();
      expect(judge(others)).toEqual({ invalid: `the script lacks ${missing}` });
      expect(judge(Object.assign(Object.create({ [missing]: taken }), others))).toEqual(INVALID);
      expect(judge({ ...others, [missing]: undefined })).toEqual(INVALID);
    }
    expect(judge(Object.create(script()))).toEqual(INVALID);
    expect(judge({ __proto__: script() })).toEqual(INVALID);
  });

  test.each(['prizeCents', 'constructor', 'toString', 'hasOwnProperty', '__proto__', '', 'a'.repeat(100_000)])(
    'no other member may be there: %.20p',
    (other) => {
      const more = Object.defineProperty(script(), other, { value: 1, enumerable: true });
      expect(judge(more)).toEqual({
        invalid: expect.stringMatching(/^the script has a member that is none of mechanic/),
      });
      const hidden = Object.defineProperty(script(), other, { value: 1 });
      expect(judge(hidden)).toEqual({ invalid: 'the script has hidden members' });
    },
  );

  test('no symbol may name a member, nor may a member be hidden', () => {
    expect(judge({ ...script(), [Symbol.toStringTag]: 'Object' })).toEqual({
      invalid: 'the script has hidden members',
    });
    expect(judge({ ...script(), [Symbol.toPrimitive]: () => 1 })).toEqual({ invalid: 'the script has hidden members' });
    for (const member of Object.keys(script())) {
      expect(judge(Object.defineProperty(script(), member, { enumerable: false }))).toEqual(INVALID);
    }
  });

  test.each(['sudoku/2', 'sudoku', 'match/1 ', 'SUDOKU/1', '', null, 1, ['sudoku/1'], Object('sudoku/1'), Symbol('x')])(
    'the mechanic is the one of the regulation, not %p',
    (mechanic) => {
      expect(judge({ ...script(), mechanic })).toEqual({ invalid: `mechanic is not ${name}` });
      expect(judge({ ...script(), mechanic: [name] })).toEqual({ invalid: `mechanic is not ${name}` });
    },
  );

  test.each([
    undefined,
    null,
    true,
    0,
    Number.NaN,
    10n,
    '',
    '{}',
    Symbol('script'),
    throwing,
    [],
    [1],
    new Map(),
    new Date(0),
    /x/,
    new Uint8Array(9),
    Promise.resolve(),
    Object('text'),
    new WeakMap(),
    new Error('x'),
    Object.create(Object.create({})),
    globalThis,
  ])('%p is no script, nor any member of one', (value) => {
    expect(judge(value)).toEqual(INVALID);
    for (const member of namesOf(subject)) {
      expect(judge({ ...script(), [member]: value })).toEqual(INVALID);
    }
  });

  test('a script that wears another class is none', () => {
    class Unit {}
    for (const clothed of [new Map(), new Date(), Object(1), [], () => 1, new Unit(), new (class extends Unit {})()]) {
      expect(judge(Object.assign(clothed, script()))).toEqual(INVALID);
    }
  });

  test('lists of a class, typed ones and things like a list are none', () => {
    class Cells extends Array {}
    for (const member of namesOf(subject).filter((each) => Array.isArray(script()[each]))) {
      const items = script()[member] as unknown[];
      const likes = [
        Cells.from(items),
        { ...items, length: items.length },
        Object.setPrototypeOf({ ...items, length: items.length }, Array.prototype),
        Object.setPrototypeOf([...items], null),
        Object.setPrototypeOf([...items], {}),
        Object.setPrototypeOf([...items], [...items]),
        Object.setPrototypeOf([...items], []),
        new Set(items),
        (function like(..._items: unknown[]) {
          // biome-ignore lint/complexity/noArguments: one more thing that looks like a list
          return arguments;
        })(...items),
      ];
      for (const like of likes) expect(judge({ ...script(), [member]: like })).toEqual(INVALID);
    }
  });

  test('holes are nothing, also where a prototype fills them', () => {
    for (const place of placesOf(script()).filter(({ list }) => list)) {
      const holed = replaced(script(), place.path, (list) => {
        const items = [...(list as unknown[])];
        delete items[1];
        return items;
      });
      expect(judge(holed)).toEqual(INVALID);
      for (const fill of [(list: object) => list, (list: object) => Object.setPrototypeOf(list, Object.prototype)]) {
        const filled = replaced(script(), place.path, (list) => {
          const items = [...(list as unknown[])];
          delete items[1];
          return Object.setPrototypeOf(items, fill(list as object));
        });
        expect(judge(filled)).toEqual(INVALID);
      }
    }
  });

  test('huge lists and deep or cyclic ones are answered at once', () => {
    const began = performance.now();
    const cyclic: unknown[] = [];
    for (let i = 0; i < 9; i++) cyclic.push(cyclic);
    let deep: unknown = 1;
    for (let i = 0; i < 100_000; i++) deep = [deep];
    const bad = [
      new Array(2 ** 32 - 1),
      new Array(1_000_000).fill(null),
      new Array(1_000_000).fill([1, 1]),
      cyclic,
      deep,
    ];
    for (const value of bad) {
      for (const { path } of placesOf(script())) expect(judge(replaced(script(), path, () => value))).toEqual(INVALID);
    }
    const self = script();
    for (const member of namesOf(subject)) expect(judge(Object.assign(self, { [member]: self }))).toEqual(INVALID);
    expect(performance.now() - began).toBeLessThan(5_000);
  });

  test('whatever throws while it is read is no script, at every place', () => {
    const { proxy: revoked, revoke } = Proxy.revocable<unknown[]>([], {});
    revoke();
    for (const bad of [
      new Proxy({}, trap),
      new Proxy([], trap),
      new Proxy(new Array(9).fill(1), { get: throwing }),
      revoked,
    ]) {
      expect(judge(bad)).toEqual(INVALID);
      for (const { path } of placesOf(script())) expect(judge(replaced(script(), path, () => bad))).toEqual(INVALID);
    }
    for (const thrown of [undefined, null, 'text', 1, Symbol('x'), new Proxy({}, trap), throwing]) {
      const getter = {
        get: () => {
          throw thrown;
        },
        enumerable: true,
      };
      for (const member of Object.keys(script())) {
        expect(judge(Object.defineProperty(script(), member, getter))).toEqual({
          invalid: 'the script cannot be read',
        });
      }
    }
  });

  test('a member that is another at its second reading is judged by the first', () => {
    for (const { path } of placesOf(script())) {
      const key = path.at(-1)!;
      let readings = 0;
      const counted = replaced(script(), path.slice(0, -1), (parent) => {
        const value = (parent as Record<PropertyKey, unknown>)[key];
        return Object.defineProperty(parent, key, {
          get: () => (readings++ === 0 ? value : throwing()),
          enumerable: true,
        });
      });
      expect(judge(counted)).toEqual({ prizeCents });
      expect(readings).toBe(1);
    }
  });

  test('boxed numbers and texts, fractions and -0 are what they are at no place', () => {
    for (const { path, value } of placesOf(script()).filter(({ list }) => !list)) {
      const others = [Number.NaN, -0, 0.5, Number.POSITIVE_INFINITY, -1, 2 ** 32 + 1, true, undefined, {}, [value]];
      const boxed = value === null ? [] : [Object(value), { valueOf: () => value, toString: () => value }];
      for (const other of [...others, ...boxed, typeof value === 'number' ? String(value) : 1]) {
        const verdict = judge(replaced(script(), path, () => other));
        expect([path, other, verdict]).toEqual([path, other, INVALID]);
      }
    }
  });

  test('any value whatever has a verdict, alone and at any place of a script', () => {
    const anything = fc.anything({
      withBigInt: true,
      withBoxedValues: true,
      withDate: true,
      withMap: true,
      withSet: true,
      withNullPrototype: true,
      withSparseArray: true,
      withTypedArray: true,
      withObjectString: true,
      withUnicodeString: true,
    });
    const places = placesOf(script());
    fc.assert(
      fc.property(anything, fc.nat(places.length - 1), (value, place) => {
        const verdicts = [judge(value), judge(replaced(script(), places[place]!.path, () => value))];
        for (const verdict of verdicts) {
          const [key, ...more] = Object.keys(verdict);
          expect(more).toEqual([]);
          expect(['prizeCents', 'invalid']).toContain(key);
        }
      }),
    );
  });
});

interface Place {
  readonly path: readonly string[];
  readonly value: unknown;
  readonly list: boolean;
}

/** Every member and item of a script, at any depth. */
function placesOf(value: unknown, path: readonly string[] = []): Place[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, child]) => [
    { path: [...path, key], value: child, list: Array.isArray(child) },
    ...placesOf(child, [...path, key]),
  ]);
}

/** The script with what stands at a path replaced in place; an empty path is the script itself. */
function replaced(script: unknown, path: readonly string[], change: (value: unknown) => unknown): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return change(script);
  const parent = script as Record<string, unknown>;
  parent[key] = replaced(parent[key], rest, change);
  return parent;
}
