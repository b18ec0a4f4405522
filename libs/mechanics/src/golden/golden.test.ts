import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { sha256, toHex, utf8 } from '#fairness';
import { MECHANICS, type Script, scriptDigest, scriptsOf } from '#mechanics';
import { cents } from '#money';
import type { GameRegulation } from '#regulation';

/** The regulation whose stakes and prizes a mechanic's vectors go through. */
const REGULATIONS: Readonly<Record<string, string>> = {
  'sudoku/1': '../../../regulation/data/sudoku@2009-01-26.json',
  'pharaon/1': '../../../regulation/data/pharaon@2008-12-17.json',
  'match/1': './match-1.regulation.json',
};

const SEEDS_PER_PRIZE = 3;
const WHOLE_SCRIPTS = 6;

interface Unit {
  readonly stakeCents: number;
  readonly prizeCents: number;
  readonly seed: string;
}

interface Golden {
  readonly mechanic: string;
  readonly regulation: string;
  readonly digests: readonly (Unit & { readonly scriptDigest: string })[];
  readonly scripts: readonly (Unit & { readonly script: Script })[];
}

const WHY =
  'scripts of issued units would differ from the digests that were sealed with them: a mechanic that has issued units ' +
  'never changes. Undo the change, or make it a new version beside this one, with vectors of its own (GOLDEN=add).';

const readJson = (name: string) => JSON.parse(readFileSync(new URL(name, import.meta.url), 'utf8'));
const goldenFile = (id: string) => new URL(`./${id.replace('/', '-')}.golden.json`, import.meta.url);

function renderOf(regulation: GameRegulation, { stakeCents, prizeCents, seed }: Unit): Script {
  return scriptsOf(regulation, stakeCents).render(cents(prizeCents), seed);
}

function* unitsOf({ id, stakes }: GameRegulation): Generator<Unit> {
  for (const { stakeCents, rows } of stakes) {
    for (const prizeCents of [0, ...rows.map((row) => row.prizeCents)]) {
      for (let n = 0; n < SEEDS_PER_PRIZE; n++) {
        const seed = toHex(sha256(utf8(`${id} ${stakeCents} ${prizeCents} ${n}`))).slice(0, 32);
        yield { stakeCents, prizeCents, seed };
      }
    }
  }
}

function vectorsOf(mechanic: string, regulation: GameRegulation): Golden {
  const units = [...unitsOf(regulation)];
  const some = units.filter((_, n) => n % Math.floor(units.length / WHOLE_SCRIPTS) === 0);
  return {
    mechanic,
    regulation: regulation.id,
    digests: units.map((unit) => ({ ...unit, scriptDigest: scriptDigest(renderOf(regulation, unit)) })),
    scripts: some.map((unit) => ({ ...unit, script: renderOf(regulation, unit) })),
  };
}

/** A line for each vector. */
function written({ mechanic, regulation, digests, scripts }: Golden): string {
  const lines = (items: readonly object[]) => items.map((item) => `    ${JSON.stringify(item)}`).join(',\n');
  const head = `  "mechanic": ${JSON.stringify(mechanic)},\n  "regulation": ${JSON.stringify(regulation)},`;
  return `{\n${head}\n  "digests": [\n${lines(digests)}\n  ],\n  "scripts": [\n${lines(scripts)}\n  ]\n}\n`;
}

/** `GOLDEN=add` writes the vectors of a new version; those that stand are never written again. */
function addMissing(): void {
  for (const [id, name] of Object.entries(REGULATIONS)) {
    if (existsSync(goldenFile(id))) continue;
    writeFileSync(goldenFile(id), written(vectorsOf(id, readJson(name))), { flag: 'wx' });
  }
}
if (process.env['GOLDEN'] === 'add') addMissing();

test('every mechanic and version has golden vectors', () => {
  expect([...MECHANICS.keys()].filter((id) => !(id in REGULATIONS && existsSync(goldenFile(id))))).toEqual([]);
});

const present = Object.keys(REGULATIONS).filter((id) => existsSync(goldenFile(id)));
describe.each(present)('%s', (id) => {
  const regulation: GameRegulation = readJson(REGULATIONS[id]!);
  const golden: Golden = JSON.parse(readFileSync(goldenFile(id), 'utf8'));

  test('the vectors hold three seeds of every prize of every stake, and of a loss', () => {
    expect(golden.mechanic).toBe(id);
    expect(golden.regulation).toBe(regulation.id);
    const units = golden.digests.map(({ stakeCents, prizeCents, seed }) => ({ stakeCents, prizeCents, seed }));
    expect(units).toEqual([...unitsOf(regulation)]);
    expect(golden.scripts.length).toBeGreaterThanOrEqual(WHOLE_SCRIPTS);
  });

  test('each unit has the script that it had when the vectors were made', () => {
    for (const unit of golden.scripts) {
      expect({ why: WHY, script: renderOf(regulation, unit) }).toEqual({ why: WHY, script: unit.script });
    }
    const differing = golden.digests.filter((unit) => scriptDigest(renderOf(regulation, unit)) !== unit.scriptDigest);
    expect({ why: WHY, differing }).toEqual({ why: WHY, differing: [] });
  });
});
