import { mkdtempSync, rmSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SignedHead } from '#fairness';
import { HeadFile, newestInHeadFile, readHeadFile } from './head-file.ts';

const { jest } = import.meta;
const folder = mkdtempSync(join(tmpdir(), 'enjeu-head-file-'));
afterAll(() => rmSync(folder, { recursive: true }));

const headAt = (position: number) => ({ position, chain: 'ab'.repeat(32) }) as SignedHead;

/** A disk that is full after half of what is written next. */
async function fullAfterHalf(path: string): Promise<void> {
  const handle = await open(path, 'a+');
  const prototype: FileHandle = Object.getPrototypeOf(handle);
  await handle.close();
  const { appendFile } = prototype;
  jest.spyOn(prototype, 'appendFile').mockImplementationOnce(async function (this: FileHandle, line) {
    await appendFile.call(this, String(line).slice(0, 20));
    throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
  });
}

test('a head that could be written only in part leaves nothing, and the next one stands on its own line', async () => {
  const path = join(folder, 'heads.jsonl');
  const file = await HeadFile.open(path);
  await file.add(headAt(1));
  await fullAfterHalf(path);
  await expect(file.add(headAt(2))).rejects.toThrow('no space left');
  await file.add(headAt(3));
  await file.close();
  const lines: unknown[] = [];
  for await (const line of readHeadFile(path)) lines.push(line);
  expect(lines).toEqual([headAt(1), headAt(3)]);
  expect(await newestInHeadFile(path)).toEqual(headAt(3));
});
