import { readFileSync, statSync } from 'node:fs';
import { Failure } from './failure.ts';

/** What a file may be. */
export interface FileLimits {
  /** What it is, for whoever named another one: `a receipt`. */
  readonly what: string;
  readonly mostBytes: number;
}

/** The text of a file; a Failure says why there is none. */
export function readText(path: string, limits: FileLimits): string {
  const bytes = bytesOf(path, limits);
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new Failure(`${path}: is not UTF-8 text`);
  }
}

/** Looks before it reads, so that it neither waits for a pipe nor takes in a disk. */
function bytesOf(path: string, { what, mostBytes }: FileLimits): Buffer {
  try {
    const stats = statSync(path);
    if (stats.isDirectory()) throw new Failure(`${path}: is a folder; name the file of ${what}`);
    if (!stats.isFile()) throw new Failure(`${path}: is no regular file`);
    if (stats.size > mostBytes) throw new Failure(`${path}: has ${stats.size} bytes; ${what} has ${mostBytes} at most`);
    return readFileSync(path);
  } catch (error) {
    if (error instanceof Failure) throw error;
    const { code, message } = error as NodeJS.ErrnoException;
    throw new Failure(`${path}: ${code === 'ENOENT' ? 'is not there' : `cannot be read (${code ?? message})`}`);
  }
}
