import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { mechanicFaults } from '#mechanics';
import { parseRegulation, validateRegulation } from '#regulation';

const text = readFileSync(new URL('../data/pharaon@2008-12-17.json', import.meta.url), 'utf8');

// biome-ignore lint/suspicious/noExplicitAny: the tests break the shape on purpose.
function faultsAfter(change: (regulation: any) => void) {
  const regulation = JSON.parse(text);
  change(regulation);
  const result = validateRegulation(regulation, mechanicFaults);
  return 'faults' in result ? result.faults : [];
}

const placesAfter = (change: Parameters<typeof faultsAfter>[0]) => faultsAfter(change).map(({ place }) => place);

test('the file as it stands has no fault', () => {
  expect(faultsAfter(() => {})).toEqual([]);
});

test('all faults are reported with their places, whatever else is wrong', () => {
  expect(
    faultsAfter((regulation) => {
      regulation.colour = 'red';
      regulation.names.de = 'Pharao';
      delete regulation.signedOn;
      regulation.blockSize = 100_000;
      regulation.stakes[0].rows[1].count = 1.5;
      regulation.stakes[1].rows[0].prizeCents = '750000';
      regulation.stakes[2].rows[7].note = '';
      regulation.stakes[2].stakeCents = 50;
      regulation.errata[0].why.en = ' ';
    }).map(({ place }) => place),
  ).toEqual([
    'names.de',
    'signedOn',
    'stakes[0].rows[1].count',
    'stakes[1].rows[0].prizeCents',
    'stakes[2].rows[7].note',
    'errata[0].why.en',
    'colour',
    'stakes[2].stakeCents',
    'stakes[1].rows',
    'stakes[2].rows',
  ]);
});

test('more prizes than units are refused, even where another member is wrong', () => {
  const faults = faultsAfter((regulation) => {
    regulation.blockSize = 101_337;
    regulation.mechanic = 'pharaon';
  });
  expect(faults).toContainEqual({ place: 'mechanic', message: 'must be like game/1' });
  expect(faults).toContainEqual({ place: 'stakes[0].rows', message: '101338 prizes do not fit in 101337 units' });
  expect(faults.length).toBe(4);
});

test.each<[string, Parameters<typeof faultsAfter>[0], string | string[]]>([
  ['a stake that stands twice', (r) => (r.stakes[1].stakeCents = 50), 'stakes[1].stakeCents'],
  [
    'a prize that stands twice',
    (r) => (r.stakes[1].rows[3].prizeCents = 300),
    [
      'stakes[1].rows[5].prizeCents',
      'stakes[1].printed.totalCents',
      'stakes[1].parameters.combinations[6].prizeCents',
      'stakes[1].parameters.bonusPerMille[3].prizeCents',
    ],
  ],
  ['an id with another day', (r) => (r.id = 'pharaon@2008-12-18'), 'id'],
  ['an id of another game', (r) => (r.id = 'sudoku@2008-12-17'), 'id'],
  ['an opening before the signature', (r) => (r.opensOn = '2008-12-16'), 'opensOn'],
  ['a day that does not exist', (r) => (r.opensOn = '2009-02-29'), 'opensOn'],
  ['rules in one language only', (r) => r.rules.en.pop(), 'rules'],
  ['no rows', (r) => (r.stakes[0].rows = []), 'stakes[0].rows'],
  ['a prize of nothing', (r) => (r.stakes[0].rows[0].prizeCents = 0), 'stakes[0].rows[0].prizeCents'],
  ['a prize above four bytes', (r) => (r.stakes[0].rows[0].prizeCents = 2 ** 32), 'stakes[0].rows[0].prizeCents'],
  ['parameters that are no object', (r) => (r.stakes[0].parameters = []), 'stakes[0].parameters'],
])('%s is a fault at its place, and so is what follows from it', (_, change, place) => {
  expect(placesAfter(change)).toEqual([place].flat());
});

test('a table with more rows than a byte can number is refused', () => {
  const rows = Array.from({ length: 256 }, (_, i) => ({ count: 1, prizeCents: i + 1 }));
  expect(placesAfter((regulation) => (regulation.stakes[0].rows = rows))).toEqual(['stakes[0].rows']);
});

test('a game cannot take the name of the common rules', () => {
  expect(placesAfter((r) => Object.assign(r, { game: 'general', id: 'general@2008-12-17' }))).toContain('game');
});

test('a doubled member is refused with its place in the text, and so is what is no JSON', () => {
  expect(parseRegulation(text.replace('"game"', '"id": "pharaon@2008-12-17", "game"'), mechanicFaults)).toEqual({
    faults: [{ place: '', message: expect.stringMatching(/"id" stands twice at character \d+/) }],
  });
  expect(parseRegulation('', mechanicFaults)).toEqual({
    faults: [{ place: '', message: expect.stringContaining('ends too early') }],
  });
});

test('of a text that is JSON but not strict everything else is said too', () => {
  const parsed = parseRegulation(
    text.replace('"count": 8,', '"count": 8.5,').replace('"signedOn"', '"siegnedOn"'),
    mechanicFaults,
  );
  expect(parsed).toEqual({
    faults: [
      { place: '', message: expect.stringMatching(/not a plain integer: 8\.5 at character \d+/) },
      { place: 'signedOn', message: 'is missing' },
      { place: 'stakes[0].rows[1].count', message: 'must be a whole number' },
      { place: 'siegnedOn', message: 'is not a member of this format' },
    ],
  });
});

test('a text of any depth is refused, not stumbled over', () => {
  const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
  const places = [deep, text.replace('"stones"', `"deep": ${deep}, "stones"`)].map((json) => {
    const parsed = parseRegulation(json, mechanicFaults);
    if (!('faults' in parsed)) throw new Error('it passed');
    expect(parsed.faults[0]?.message).toContain('more than 64 levels');
    return parsed.faults.slice(1).map(({ place }) => place);
  });
  expect(places).toEqual([[''], ['parameters.deep']]);
});

test('a __proto__ in the text is an unknown member, not a prototype', () => {
  expect(parseRegulation(text.replace('"game"', '"__proto__": {}, "game"'), mechanicFaults)).toEqual({
    faults: [{ place: '__proto__', message: 'is not a member of this format' }],
  });
});

test('whatever JSON comes, the validator answers with faults and never throws', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect('faults' in validateRegulation(value, mechanicFaults)).toBe(true);
    }),
  );
});

test('an unknown member anywhere is found', () => {
  const objects: string[][] = [];
  const walk = (value: unknown, path: string[]) => {
    if (typeof value !== 'object' || value === null) return;
    if (!Array.isArray(value)) objects.push(path);
    for (const [key, inner] of Object.entries(value)) walk(inner, [...path, key]);
  };
  walk(JSON.parse(text), []);
  expect(objects.length).toBeGreaterThan(80);
  for (const path of objects) {
    const places = placesAfter((regulation) => {
      const target = path.reduce((object, key) => object[key], regulation);
      target.surplus = 1;
    });
    const place = [...path, 'surplus'].join('.').replace(/\.(\d+)/g, '[$1]');
    expect(places).toEqual([place]);
  }
});
