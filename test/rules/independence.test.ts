import { posix } from 'node:path';
import { importsOf, ROOT, type Source, sourcesOf } from './source-tree.ts';

const MECHANICS = 'libs/mechanics/src';
const REFEREE = `${MECHANICS}/referee/`;
const RENDER = `${MECHANICS}/render/`;

const isTest = ({ path }: Source) => path.endsWith('.test.ts');
const below = (folder: string, sources: readonly Source[]) => sources.filter(({ path }) => path.startsWith(folder));

function targetOf(source: Source, wanted: string): string {
  return wanted.startsWith('.') ? posix.normalize(posix.join(posix.dirname(source.path), wanted)) : wanted;
}

/** Without whole-statement type imports and exports, and without comments, which leave nothing at run time. */
function atRunTime({ path, text }: Source): Source {
  const code = text
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/^\s*\/\/.*$/gm, '')
    .replace(/^\s*(?:import|export)\s+type\s[^;]*?\sfrom\s+'[^']+'/gm, '');
  return { path, text: code };
}

/** What code below `referee/` needs from elsewhere when it runs. */
function foreignToReferees(sources: readonly Source[]): string[] {
  return below(REFEREE, sources)
    .filter((source) => !isTest(source))
    .flatMap((source) =>
      importsOf(atRunTime(source))
        .map((wanted) => targetOf(source, wanted))
        .filter((target) => !target.startsWith(REFEREE))
        .map((target) => `${source.path} imports ${target}`),
    );
}

/** Imports from one side to the other, types and tests included: what one side knows, the other is not to be written from. */
function crossings(sources: readonly Source[]): string[] {
  const from = (here: string, there: string) =>
    below(here, sources).flatMap((source) =>
      importsOf(source)
        .map((wanted) => targetOf(source, wanted))
        .filter((target) => target.startsWith(there))
        .map((target) => `${source.path} imports ${target}`),
    );
  return [...from(RENDER, REFEREE), ...from(REFEREE, RENDER)];
}

const sources = sourcesOf(ROOT, [MECHANICS]);

test('the rules below look at the referees and the renderers that there are', () => {
  const names = ['match-1.ts', 'pharaon-1.ts', 'sudoku-1.ts'];
  for (const folder of [REFEREE, RENDER]) {
    expect(below(folder, sources).map(({ path }) => path.slice(folder.length))).toEqual(expect.arrayContaining(names));
  }
});

test('nothing below referee/ imports anything from elsewhere at run time', () => {
  expect(foreignToReferees(sources)).toEqual([]);
  expect(
    foreignToReferees([
      {
        path: `${REFEREE}sudoku-1.ts`,
        text: [
          "import type { Cents } from '#money';",
          "import type {\n  Mechanic,\n} from '../mechanic.ts';",
          "export type { Verdict } from '../mechanic.ts';",
          "import { listOf } from './judging.ts';",
          "import { cents, type Cents as C } from '#money';",
          "import { type Cents as D } from '#money';",
          "import type A from '../a.ts';\nimport { SYMBOLS } from '../parameters/pharaon-1.ts';",
          "export { draw } from '../render/draw.ts';",
          "export * from '../mechanics.ts';",
          "import * as z from 'zod';",
          "import '#regulation';",
          "const { b } = await import('../b.ts');",
        ].join('\n'),
      },
      { path: `${REFEREE}sudoku-1.test.ts`, text: "import { readFileSync } from 'node:fs';" },
      { path: `${RENDER}sudoku-1.ts`, text: "import { sha256 } from '@noble/hashes/sha2.js';" },
    ]),
  ).toEqual(
    [
      '#money',
      '#money',
      `${MECHANICS}/parameters/pharaon-1.ts`,
      `${RENDER}draw.ts`,
      `${MECHANICS}/mechanics.ts`,
      'zod',
      '#regulation',
      `${MECHANICS}/b.ts`,
    ].map((target) => `${REFEREE}sudoku-1.ts imports ${target}`),
  );
});

test('renderers import nothing of the referees, and referees nothing of the renderers, not even a type', () => {
  expect(crossings(sources)).toEqual([]);
  expect(
    crossings([
      { path: `${RENDER}sudoku-1.ts`, text: "import type { Digits } from '../referee/sudoku-1.ts';" },
      { path: `${RENDER}deep/draws.ts`, text: "export { listOf } from '../../referee/judging.ts';" },
      { path: `${REFEREE}pharaon-1.ts`, text: "import { words } from './../render/words.ts';" },
      { path: `${REFEREE}pharaon-1.test.ts`, text: "const { render } = await import('../render/pharaon-1.ts');" },
      { path: `${MECHANICS}/mechanics.ts`, text: "import { match1Renderer } from './render/match-1.ts';" },
      { path: `${RENDER}match-1.ts`, text: "import { evenly } from './draws.ts';" },
    ]),
  ).toEqual([
    `${RENDER}sudoku-1.ts imports ${REFEREE}sudoku-1.ts`,
    `${RENDER}deep/draws.ts imports ${REFEREE}judging.ts`,
    `${REFEREE}pharaon-1.ts imports ${RENDER}words.ts`,
    `${REFEREE}pharaon-1.test.ts imports ${RENDER}pharaon-1.ts`,
  ]);
});
