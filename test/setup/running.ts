import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isAlive } from '../../apps/enjeu/src/embedded/processes.ts';

const PREFIX = 'enjeu-test-';
const ENDINGS = Symbol.for('enjeu.test.endings');

/** What this run has started and must stop, shared by the setups of all projects of one run, last started first stopped. */
export function endings(): (() => Promise<void>)[] {
  const shared = globalThis as { [ENDINGS]?: (() => Promise<void>)[] };
  shared[ENDINGS] ??= [];
  return shared[ENDINGS];
}

/** A folder of this run, named after its process; it goes at the end, or at the next run when this one is killed. */
export function folderOfThisRun(what: string): string {
  mkdirSync(tmpdir(), { recursive: true });
  return mkdtempSync(join(tmpdir(), `${PREFIX}${process.pid}-${what}-`));
}

/** Folders that runs left behind which ended without their teardown. */
export function foldersOfDeadRuns(what: string): string[] {
  return readdirSync(tmpdir())
    .filter((name) => name.startsWith(PREFIX) && name.includes(`-${what}-`))
    .filter((name) => !isAlive(Number(name.slice(PREFIX.length).split('-')[0])))
    .map((name) => join(tmpdir(), name));
}

export function forget(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
}
