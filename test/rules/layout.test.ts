import { posix } from 'node:path';
import { filesBelow, importsOf, ROOT, type Source, sourcesOf } from './source-tree.ts';

const PURE_LIBS = ['money', 'regulation', 'mechanics', 'fairness'];
/** Pure libraries may use each other and these packages, which run in browsers and do no I/O. */
const PURE_PACKAGES = /^(@noble\/(hashes|curves)\/|zod$)/;
const FORBIDDEN_FOLDERS = new Set(['utils', 'common', 'shared', 'helpers', 'services', 'controllers', 'entities']);

function crossAppImports(sources: readonly Source[]): string[] {
  return sources.flatMap((source) => {
    const [top, app] = source.path.split('/');
    return importsOf(source)
      .filter((wanted) => wanted.startsWith('.'))
      .map((wanted) => posix.normalize(posix.join(posix.dirname(source.path), wanted)))
      .filter((target) => target.startsWith('apps/') && (top !== 'apps' || !target.startsWith(`apps/${app}/`)))
      .map((target) => `${source.path} imports ${target}`);
  });
}

function impureImports(sources: readonly Source[]): string[] {
  const allowed = new Set(PURE_LIBS.map((lib) => `#${lib}`));
  return sources
    .filter(({ path }) => PURE_LIBS.some((lib) => path.startsWith(`libs/${lib}/src/`)) && !path.endsWith('.test.ts'))
    .flatMap((source) =>
      importsOf(source)
        .filter((wanted) => !wanted.startsWith('.') && !allowed.has(wanted) && !PURE_PACKAGES.test(wanted))
        .map((wanted) => `${source.path} imports ${wanted}`),
    );
}

function forbiddenFolders(paths: readonly string[]): string[] {
  return paths.filter((path) =>
    path
      .split('/')
      .slice(0, -1)
      .some((folder) => FORBIDDEN_FOLDERS.has(folder)),
  );
}

const sources = sourcesOf(ROOT, ['apps', 'libs']);

test('an app never imports another app, and a library never imports an app', () => {
  expect(crossAppImports(sources)).toEqual([]);
  expect(
    crossAppImports([
      { path: 'apps/wallet/src/a.ts', text: "import { b } from '../../issuance/src/b.ts';" },
      { path: 'libs/money/src/a.ts', text: "export { b } from '../../../apps/wallet/src/b.ts';" },
      { path: 'apps/wallet/src/c.ts', text: "import { b } from './sales/b.ts';" },
    ]),
  ).toEqual([
    'apps/wallet/src/a.ts imports apps/issuance/src/b.ts',
    'libs/money/src/a.ts imports apps/wallet/src/b.ts',
  ]);
});

test('pure libraries import nothing but each other and packages that run anywhere', () => {
  expect(impureImports(sources)).toEqual([]);
  expect(
    impureImports([
      {
        path: 'libs/fairness/src/a.ts',
        text: "import { readFileSync } from 'node:fs';\nimport { sha256 } from '@noble/hashes/sha2.js';",
      },
      { path: 'libs/money/src/a.ts', text: "const pg = await import('pg');" },
    ]),
  ).toEqual(['libs/fairness/src/a.ts imports node:fs', 'libs/money/src/a.ts imports pg']);
});

test('no folder is named after a kind of class or after nothing in particular', () => {
  const paths = ['apps', 'libs', 'test', 'bench'].flatMap((folder) =>
    filesBelow(`${ROOT}/${folder}`).map((file) => file.slice(ROOT.length + 1)),
  );
  expect(forbiddenFolders(paths)).toEqual([]);
  expect(forbiddenFolders(['apps/wallet/src/utils/a.ts', 'apps/wallet/src/account/utils.ts'])).toEqual([
    'apps/wallet/src/utils/a.ts',
  ]);
});
