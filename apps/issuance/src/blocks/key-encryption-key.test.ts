import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigError } from '#service';
import { readKeyEncryptionKey } from './key-encryption-key.ts';

const folder = mkdtempSync(join(tmpdir(), 'enjeu-kek-'));
const file = join(folder, 'key');
const hex = '0123456789abcdef'.repeat(4);

afterAll(() => rmSync(folder, { recursive: true }));

test('the key is read from a file or from the environment', async () => {
  writeFileSync(file, `${hex}\n`);
  const expected = Buffer.from(hex, 'hex');
  expect(expected.equals(await readKeyEncryptionKey({ ENJEU_KEY_ENCRYPTION_KEY_FILE: file }))).toBe(true);
  expect(expected.equals(await readKeyEncryptionKey({ ENJEU_KEY_ENCRYPTION_KEY: hex.toUpperCase() }))).toBe(true);
});

test('no key, two keys, an unreadable file and anything but 32 bytes are refused without showing the value', async () => {
  const refusal = async (config: Parameters<typeof readKeyEncryptionKey>[0]) =>
    readKeyEncryptionKey(config).then(
      () => null,
      (error: unknown) => (error instanceof ConfigError ? error.message : String(error)),
    );
  const both = { ENJEU_KEY_ENCRYPTION_KEY_FILE: file, ENJEU_KEY_ENCRYPTION_KEY: hex };
  const one = 'set one of ENJEU_KEY_ENCRYPTION_KEY_FILE and ENJEU_KEY_ENCRYPTION_KEY';
  expect(await refusal({})).toBe(one);
  expect(await refusal(both)).toBe(one);
  expect(await refusal({ ENJEU_KEY_ENCRYPTION_KEY_FILE: join(folder, 'none') })).toMatch(/cannot be read \(ENOENT\)$/);
  expect(await refusal({ ENJEU_KEY_ENCRYPTION_KEY: hex.slice(2) })).toBe(
    'ENJEU_KEY_ENCRYPTION_KEY must hold the key-encryption key, 64 hex digits',
  );
  writeFileSync(file, 'not a key');
  expect(await refusal({ ENJEU_KEY_ENCRYPTION_KEY_FILE: file })).toMatch(/must hold the key-encryption key/);
});
