import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
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

describe('several folders, joined by a colon', () => {
  test('are read as one', () => {
    const added = mkdtempSync(join(tmpdir(), 'enjeu-regulations-'));
    expect(loadRegulations(`${regulationsFolder()}:${added}`).all).toHaveLength(3);
    moveTo(added, 'sudoku@2009-01-26.json', 'sudoku@2010-01-01.json', (text) =>
      text.replaceAll('2009-01-26', '2010-01-01').replaceAll('2009-02-05', '2010-02-05'),
    );
    const ids = loadRegulations(`${regulationsFolder()}:${added}`).all.map(({ id }) => id);
    expect(ids).toEqual(ids.toSorted());
    expect(ids).toContain('sudoku@2010-01-01');
    expect(ids).toHaveLength(4);
  });

  test('may hold the same regulation twice, but not two contents under one id', () => {
    const added = mkdtempSync(join(tmpdir(), 'enjeu-regulations-'));
    moveTo(added, 'sudoku@2009-01-26.json', 'sudoku@2009-01-26.json', (text) => JSON.stringify(JSON.parse(text)));
    expect(loadRegulations(`${regulationsFolder()}:${added}`).all).toHaveLength(3);
    moveTo(added, 'sudoku@2009-01-26.json', 'sudoku@2009-01-26.json', (text) =>
      text.replace('2009-02-05', '2009-02-06'),
    );
    expect(() => loadRegulations(`${regulationsFolder()}:${added}`)).toThrow(ConfigError);
    expect(() => loadRegulations(`${regulationsFolder()}:${added}`)).toThrow(/sudoku@2009-01-26\.json is not the/);
  });

  test('all have to be there', () => {
    expect(() => loadRegulations(`${regulationsFolder()}:/nowhere`)).toThrow(/\/nowhere cannot be read \(ENOENT\)/);
  });
});

function moveTo(folder: string, name: string, as: string, change: (text: string) => string): void {
  writeFileSync(join(folder, as), change(readFileSync(join(regulationsFolder(), name), 'utf8')));
}
