import { readFileSync } from 'node:fs';
import { mechanicFaults } from '#mechanics';
import { validateRegulation } from '#regulation';

const text = readFileSync(new URL('../data/pharaon@2008-12-17.json', import.meta.url), 'utf8');

// biome-ignore lint/suspicious/noExplicitAny: the tests break the shape on purpose.
function placesAfter(change: (regulation: any) => void): string[] {
  const regulation = JSON.parse(text);
  for (const { printed } of regulation.stakes) printed.count = 7;
  change(regulation);
  const result = validateRegulation(regulation, mechanicFaults);
  return 'faults' in result ? result.faults.map(({ place }) => place) : [];
}

const COUNTS = [0, 1, 2].map((s) => `stakes[${s}].printed.count`);

test('REG-3.1 every number that is printed wrongly is named, whatever else is wrong', () => {
  expect(placesAfter(() => {})).toEqual(COUNTS);
  expect(placesAfter((r) => (r.blockSize = '350000'))).toEqual(['blockSize', ...COUNTS]);
});

test('REG-3.1 a count that cannot be read hides what is computed from it, and its table’s errata, and nothing else', () => {
  const [, second, third] = COUNTS;
  expect(placesAfter((r) => (r.stakes[0].rows[0].count = 0))).toEqual(['stakes[0].rows[0].count', second, third]);
  expect(placesAfter((r) => (r.stakes[0] = null))).toEqual(['stakes[0]', second, third]);
});

test('REG-3.1 a prize that cannot be read hides the total, not the count', () => {
  const change = (r: { stakes: { rows: { prizeCents: number }[]; printed: { totalCents: number } }[] }) => {
    r.stakes[1]!.rows[0]!.prizeCents = 0.5;
    r.stakes[1]!.printed.totalCents = 1;
  };
  expect(placesAfter(change)).toEqual(['stakes[1].rows[0].prizeCents', ...COUNTS]);
});

test('REG-3.1 a printed number that cannot be read hides itself alone', () => {
  const [first, second, third] = COUNTS;
  expect(placesAfter((r) => (r.stakes[1].printed.totalCents = '1'))).toEqual([
    'stakes[1].printed.totalCents',
    first,
    second,
    third,
  ]);
  expect(placesAfter((r) => delete r.stakes[1].printed)).toEqual(['stakes[1].printed', first, third]);
});

test('REG-3.1 an erratum that cannot be read may explain what its article prints', () => {
  const [first, second, third] = COUNTS;
  expect(placesAfter((r) => (r.errata[0].read = 5))).toEqual(['errata[0].read', second, third]);
  expect(placesAfter((r) => (r.errata[0].article = null))).toEqual(['errata[0].article']);
  expect(placesAfter((r) => delete r.errata)).toEqual(['errata']);
  expect(placesAfter((r) => (r.stakes = []))).toEqual(['stakes']);
  expect(placesAfter((r) => (r.errata[0].why.en = ''))).toEqual(['errata[0].why.en', first, second, third]);
});

test('REG-3.1 an erratum of a table that there is not is idle', () => {
  expect(placesAfter((r) => r.errata.push({ ...r.errata[0], article: '3.4' }))).toEqual([...COUNTS, 'errata[2]']);
});

test('a total, or the price of a block, that is too large to count exactly is refused', () => {
  const large = (r: {
    stakes: { stakeCents: number; rows: { count: number; prizeCents: number }[] }[];
    blockSize: number;
  }) => {
    r.blockSize = 2 ** 32 - 1;
    r.stakes[1]!.stakeCents = 2 ** 32 - 1;
    r.stakes[1]!.rows[0] = { count: 2 ** 31, prizeCents: 2 ** 31 };
  };
  expect(placesAfter(large)).toEqual(
    expect.arrayContaining(['stakes[1].rows', 'stakes[1].stakeCents', 'stakes[1].printed.count']),
  );
  expect(placesAfter(large)).not.toContain('stakes[1].printed.totalCents');
});
