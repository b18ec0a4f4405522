import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { apiDocuments } from '../../apps/gateway/src/api/documents.ts';
import { filesBelow, ROOT } from './source-tree.ts';

const FOLDER = join(ROOT, 'docs', 'api');

/** What differs between the documents as they are generated and as they are committed. */
function stale(generated: ReadonlyMap<string, string>, committed: ReadonlyMap<string, string>): string[] {
  const missing = [...generated.keys()].filter((path) => !committed.has(path)).map((path) => `${path} is missing`);
  const left = [...committed.keys()].filter((path) => !generated.has(path)).map((path) => `${path} is not generated`);
  const old = [...generated]
    .filter(([path, text]) => committed.has(path) && committed.get(path) !== text)
    .map(([path]) => `${path} is stale`);
  return [...missing, ...left, ...old];
}

test('docs/api is what `npm run api` writes', async () => {
  const generated = await apiDocuments();
  const committed = new Map(filesBelow(FOLDER).map((file) => [relative(FOLDER, file), readFileSync(file, 'utf8')]));
  expect(stale(generated, committed)).toEqual([]);

  const planted = new Map(generated);
  const [first, second] = [...planted.keys()] as [string, string];
  planted.delete(first);
  planted.set(second, '{}\n').set('events/Forgotten.v1.schema.json', '{}\n');
  expect(stale(generated, planted)).toEqual([
    `${first} is missing`,
    'events/Forgotten.v1.schema.json is not generated',
    `${second} is stale`,
  ]);
}, 60_000);

/** Exit code and output of redocly, which finds faults that the generators do not. */
async function lint(...files: string[]): Promise<{ passed: boolean; output: string }> {
  const redocly = join(ROOT, 'node_modules', '@redocly', 'cli', 'bin', 'cli.js');
  const environment = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
  try {
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [redocly, 'lint', ...files], {
      cwd: ROOT,
      env: environment,
    });
    return { passed: true, output: stdout + stderr };
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string };
    return { passed: false, output: stdout + stderr };
  }
}

test('redocly passes both API descriptions without a warning, and would not pass a faulty one', async () => {
  const files = ['openapi.json', 'asyncapi.json'].map((name) => join(FOLDER, name));
  const { passed, output } = await lint(...files);
  expect(output).not.toMatch(/Warning was generated|Error was generated/);
  expect(passed).toBe(true);

  const faulty = join(mkdtempSync(join(tmpdir(), 'enjeu-api-')), 'asyncapi.json');
  writeFileSync(faulty, readFileSync(files[1]!, 'utf8').replace('"action": "send"', '"action": "shout"'));
  expect((await lint(faulty)).passed).toBe(false);
}, 120_000);
