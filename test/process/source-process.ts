import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

export interface SourceProcess {
  readonly child: ChildProcess;
  /** Everything that it has written so far. */
  readonly output: { stdout: string; stderr: string };
  /** Resolves with the exit code, or with the signal that ended it. */
  readonly ended: Promise<number | NodeJS.Signals>;
  /** Resolves when its output, standard or error, matches; rejects when it ends before. */
  saw(pattern: RegExp): Promise<RegExpExecArray>;
}

/**
 * Runs a TypeScript entry of this repository as a process of its own, with a channel as the launcher gives it.
 * Nothing is inherited from the environment but the path.
 */
export function runSource(entry: string, environment: Readonly<Record<string, string>> = {}): SourceProcess {
  const hooks = new URL('./typescript.mjs', import.meta.url).href;
  const child = spawn(process.execPath, ['--conditions=enjeu-source', '--import', hooks, entry], {
    cwd: fileURLToPath(new URL('../..', import.meta.url)),
    env: { PATH: process.env['PATH'] ?? '', ...environment },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  const output = { stdout: '', stderr: '' };
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    output.stdout += text;
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    output.stderr += text;
  });
  return { child, output, ended: ended(child), saw: (pattern) => seen(child, output, pattern) };
}

/** Not on `close`, which does not come for a child whose channel was closed on this side. */
async function ended(child: ChildProcess): Promise<number | NodeJS.Signals> {
  const [[code, signal]] = await Promise.all([
    once(child, 'exit'),
    once(child.stdout!, 'end'),
    once(child.stderr!, 'end'),
  ]);
  return signal ?? code;
}

async function seen(child: ChildProcess, output: SourceProcess['output'], pattern: RegExp): Promise<RegExpExecArray> {
  const { promise, resolve, reject } = Promise.withResolvers<RegExpExecArray>();
  const look = () => {
    const match = pattern.exec(output.stdout) ?? pattern.exec(output.stderr);
    if (match) resolve(match);
  };
  const gone = () => reject(new Error(`it ended without ${pattern}: ${output.stdout}${output.stderr}`));
  child.stdout?.on('data', look);
  child.stderr?.on('data', look);
  child.once('exit', gone);
  look();
  if (child.exitCode !== null) gone();
  try {
    return await promise;
  } finally {
    child.stdout?.off('data', look);
    child.stderr?.off('data', look);
    child.off('exit', gone);
  }
}
