import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigError } from './config.ts';
import { loadRegulations, regulationsFolder } from './regulations.ts';

function copy(): string {
  const folder = mkdtempSync(join(tmpdir(), 'enjeu-regulations-'));
  cpSync(regulationsFolder(), folder, { recursive: true });
  return folder;
}

test('the built-in regulations are those of both games and the general one', () => {
  const { regulations, general, all } = loadRegulations();
  expect(regulations.map(({ game }) => game).sort()).toEqual(['pharaon', 'sudoku']);
  expect(general.id).toMatch(/^general@/);
  expect(all).toHaveLength(3);
});

test('a file that is not valid fails the start with its name', () => {
  const folder = copy();
  writeFileSync(join(folder, 'chess@2010-01-01.json'), '{"id":"chess@2010-01-01"}');
  expect(() => loadRegulations(folder)).toThrow(ConfigError);
  expect(() => loadRegulations(folder)).toThrow(/chess@2010-01-01\.json/);
});

test('other files in the folder are left alone', () => {
  const folder = copy();
  writeFileSync(join(folder, 'README.md'), 'not a regulation');
  expect(loadRegulations(folder).all).toHaveLength(3);
});

test('a folder that is not there, or without a general regulation, fails the start', () => {
  const folder = copy();
  for (const { id } of loadRegulations(folder).all) if (id.startsWith('general')) rmSync(join(folder, `${id}.json`));
  expect(() => loadRegulations(folder)).toThrow(/no general regulation/);
  expect(() => loadRegulations(join(folder, 'nowhere'))).toThrow(/cannot be read \(ENOENT\)/);
});
