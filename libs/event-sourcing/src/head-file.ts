import { type FileHandle, open } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import type { SignedHead } from '#fairness';

const NEWLINE = 0x0a;
const TAIL_BYTES = 64 * 1024;

/** The file of signed heads outside the database: one JSON line each, in order, only ever added to. */
export class HeadFile {
  private constructor(private readonly handle: FileHandle) {}

  /** Opens the file, or makes it. What a crash left of an unfinished last line is cut off: it was never acknowledged. */
  static async open(path: string): Promise<HeadFile> {
    const handle = await open(path, 'a+');
    const { size } = await handle.stat();
    const tail = await tailOf(handle, size);
    const whole = size - tail.length + tail.lastIndexOf(NEWLINE) + 1;
    if (whole < size) await handle.truncate(whole);
    return new HeadFile(handle);
  }

  /** Resolves when the line is on the disk. One that cannot be written whole is taken back: the next would stand behind it. */
  async add(head: SignedHead): Promise<void> {
    const { size } = await this.handle.stat();
    try {
      await this.handle.appendFile(`${JSON.stringify(head)}\n`);
      await this.handle.datasync();
    } catch (error) {
      await this.handle.truncate(size);
      throw error;
    }
  }

  close(): Promise<void> {
    return this.handle.close();
  }
}

/** The lines of the file, parsed, without any checks; nothing where there is no file. An unfinished last line is left out. */
export async function* readHeadFile(path: string): AsyncGenerator<unknown> {
  const handle = await openToRead(path);
  if (!handle) return;
  try {
    const { size } = await handle.stat();
    const tail = await tailOf(handle, size);
    const end = size - tail.length + tail.lastIndexOf(NEWLINE);
    if (end < 0) return;
    const input = handle.createReadStream({ end, start: 0, autoClose: false });
    for await (const line of createInterface({ input })) yield parsed(line);
  } finally {
    await handle.close();
  }
}

/** The newest line of the file, parsed, without any checks; null where there is none. */
export async function newestInHeadFile(path: string): Promise<unknown> {
  const handle = await openToRead(path);
  if (!handle) return null;
  try {
    const tail = await tailOf(handle, (await handle.stat()).size);
    const lines = tail
      .subarray(0, tail.lastIndexOf(NEWLINE) + 1)
      .toString('utf8')
      .trimEnd()
      .split('\n');
    const newest = lines.at(-1);
    return newest ? parsed(newest) : null;
  } finally {
    await handle.close();
  }
}

async function openToRead(path: string): Promise<FileHandle | null> {
  try {
    return await open(path, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

async function tailOf(handle: FileHandle, size: number): Promise<Buffer> {
  const length = Math.min(size, TAIL_BYTES);
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, size - length);
  return buffer.subarray(0, bytesRead);
}

/** What is no JSON stays text, which no signature fits. */
function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return line;
  }
}
