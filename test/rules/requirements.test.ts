import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT, type Source, sourcesOf } from './source-tree.ts';

const read = (name: string) => JSON.parse(readFileSync(join(import.meta.dirname, name), 'utf8'));
const numbers: string[] = Object.values(read('requirements.json') as Record<string, string[]>).flat();
const notYet: Record<string, string> = read('not-yet.json');

/** Numbers that stand in the name of a test: `test('SUD-4.3.1: …')`, also of a table test. */
function testedIn(tests: readonly Source[]): Set<string> {
  const names = tests.flatMap(({ text }) =>
    [...text.matchAll(/\b(?:test|it|describe)(?:\.\w+)*\s*(?:\([^'"`]*?\)\s*)?\(\s*(['"`])((?:(?!\1)[\s\S])*)\1/g)].map(
      (match) => match[2] ?? '',
    ),
  );
  return new Set(names.flatMap((name) => name.match(/\b(?:REG|SUD|PHA)-(?:X|\d)(?:\.\d+)*[a-z]?\b/g) ?? []));
}

function faults(tested: ReadonlySet<string>, awaited: Readonly<Record<string, string>>): string[] {
  return [
    ...numbers.filter((n) => !tested.has(n) && !awaited[n]).map((n) => `${n} has no test and is not awaited`),
    ...numbers.filter((n) => tested.has(n) && awaited[n]).map((n) => `${n} has a test and is awaited too`),
    ...[...tested, ...Object.keys(awaited)].filter((n) => !numbers.includes(n)).map((n) => `${n} is no requirement`),
  ];
}

test('every requirement has a test that names it, or stands in not-yet.json with the part that brings it, never both', () => {
  const tests = sourcesOf(ROOT, ['apps', 'libs', 'test']).filter(
    ({ path }) => path.endsWith('.test.ts') && path !== 'test/rules/requirements.test.ts',
  );
  expect(faults(testedIn(tests), notYet)).toEqual([]);
});

test('the rule finds a requirement without a test, one named twice, and one that does not exist', () => {
  const tested = testedIn([
    {
      path: 'a.test.ts',
      text: "test('REG-2.1: a block holds its table', () => {});\ntest.each([1])('REG-9.9 %p', () => {});",
    },
  ]);
  expect([...tested]).toEqual(['REG-2.1', 'REG-9.9']);
  const awaited = Object.fromEntries(numbers.filter((n) => n !== 'REG-2.2').map((n) => [n, 'a later part']));
  expect(faults(tested, awaited)).toEqual([
    'REG-2.2 has no test and is not awaited',
    'REG-2.1 has a test and is awaited too',
    'REG-9.9 is no requirement',
  ]);
});
