import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

export interface Finished {
  readonly code: number | null;
  /** Standard output and error, mixed in order, at most 64 KiB of the end. */
  readonly output: string;
}

export interface RunOptions {
  readonly cwd?: string;
  readonly uid?: number;
  readonly gid?: number;
  readonly env?: NodeJS.ProcessEnv;
}

/**
 * Runs a program to its end, in a process group of its own: Ctrl-C in the terminal does not reach it. Rejects only when
 * it cannot be started at all.
 */
export function run(command: string, args: readonly string[], options: RunOptions = {}): Promise<Finished> {
  return new Promise((resolve, reject) => {
    const env = options.env ?? process.env;
    const child = spawn(command, args, { ...options, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    const keep = (chunk: Buffer) => {
      output = (output + chunk.toString()).slice(-65_536);
    };
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, output }));
  });
}

/** Whether a process of this number runs; one of another user counts, one that ended and was not collected yet does not. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !isZombie(pid);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function isZombie(pid: number): boolean {
  try {
    return /^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

/** Resolves true once the process is gone, false when it is still there after `timeoutMs`. */
export async function waitUntilGone(pid: number, timeoutMs: number): Promise<boolean> {
  const until = Date.now() + timeoutMs;
  while (isAlive(pid)) {
    if (Date.now() > until) return false;
    await sleep(20);
  }
  return true;
}

/** Sends a signal; a process that is gone already is no error. */
export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
