import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isAlive } from '../embedded/processes.ts';
import { Failure } from '../failure.ts';

export const LOCK_FILE = 'launcher.lock';

interface Holder {
  readonly pid: number;
  /** When the kernel started that process, so that a number that was given to another process is not taken for it. */
  readonly started: string | null;
}

/** One launcher a data folder. Refuses with a Failure while another lives; the lock of a dead one is taken over. */
export function takeLauncherLock(dataFolder: string): { release(): void } {
  const file = join(dataFolder, LOCK_FILE);
  for (;;) {
    if (placeLock(file)) return { release: () => rmSync(file, { force: true }) };
    const holder = readHolder(file);
    if (holder && lives(holder)) {
      throw new Failure(
        `the data in ${dataFolder} is in use by the platform running as process ${holder.pid}; stop it, or choose another folder with --data DIR`,
      );
    }
    rmSync(file, { force: true });
  }
}

/** The lock appears with its content, so that nobody reads a half-written one; false where there is one already. */
function placeLock(file: string): boolean {
  const mine: Holder = { pid: process.pid, started: startOf(process.pid) };
  const fresh = `${file}.${process.pid}`;
  try {
    writeFileSync(fresh, JSON.stringify(mine));
    linkSync(fresh, file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw new Failure(`the data folder ${dirname(file)} cannot be locked: ${(error as Error).message}`);
  } finally {
    rmSync(fresh, { force: true });
  }
}

/** The process id of the launcher that runs on this folder, or null. */
export function runningLauncher(dataFolder: string): number | null {
  const holder = readHolder(join(dataFolder, LOCK_FILE));
  return holder && lives(holder) ? holder.pid : null;
}

function readHolder(file: string): Holder | null {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Holder;
  } catch {
    return null;
  }
}

function lives({ pid, started }: Holder): boolean {
  return isAlive(pid) && (started === null || startOf(pid) === started);
}

/** Linux keeps it as field 22 of /proc/<pid>/stat; elsewhere null. */
function startOf(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null;
  } catch {
    return null;
  }
}
