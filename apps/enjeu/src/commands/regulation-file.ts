import { readFileSync, statSync } from 'node:fs';
import { mechanicFaults } from '#mechanics';
import { lineOf, parseRegulation, type Regulation } from '#regulation';
import { Failure } from '../failure.ts';

/** Ten times what three tables of 255 rows and their parameters take. */
const MOST_BYTES = 2 ** 20;

/** A regulation as it stands in a file, whatever the file is called. A Failure has a line for every fault. */
export function readRegulationFile(path: string): { readonly text: string; readonly regulation: Regulation } {
  const text = textOf(path);
  const parsed = parseRegulation(text, mechanicFaults);
  if ('faults' in parsed) throw new Failure(parsed.faults.map((fault) => `${path}: ${lineOf(fault)}`));
  return { text, regulation: parsed.value };
}

function textOf(path: string): string {
  const bytes = bytesOf(path);
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new Failure(`${path}: is not UTF-8 text`);
  }
}

/** Looks before it reads, so that it neither waits for a pipe nor takes in a disk. */
function bytesOf(path: string): Buffer {
  try {
    const stats = statSync(path);
    if (stats.isDirectory()) throw new Failure(`${path}: is a folder; name one regulation's file`);
    if (!stats.isFile()) throw new Failure(`${path}: is no regular file`);
    if (stats.size > MOST_BYTES) {
      throw new Failure(`${path}: has ${stats.size} bytes; a regulation has ${MOST_BYTES} at most`);
    }
    return readFileSync(path);
  } catch (error) {
    if (error instanceof Failure) throw error;
    const { code, message } = error as NodeJS.ErrnoException;
    throw new Failure(`${path}: ${code === 'ENOENT' ? 'is not there' : `cannot be read (${code ?? message})`}`);
  }
}
