import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { fromHex } from '#fairness';
import { ConfigError } from '#service';

/** The key-encryption key comes from a file or from the environment; fragment for `readConfig`. */
export const keyEncryption = {
  ENJEU_KEY_ENCRYPTION_KEY_FILE: z.string().min(1).optional(),
  ENJEU_KEY_ENCRYPTION_KEY: z.string().min(1).optional(),
};

/**
 * The 32 bytes under which secrets and decks are encrypted, from 64 hex digits (a line end after them is let pass).
 * @throws ConfigError, which never holds the value: none given, both given, an unreadable file, anything else than 32 bytes
 */
export async function readKeyEncryptionKey(config: {
  readonly ENJEU_KEY_ENCRYPTION_KEY_FILE?: string | undefined;
  readonly ENJEU_KEY_ENCRYPTION_KEY?: string | undefined;
}): Promise<Uint8Array> {
  const { ENJEU_KEY_ENCRYPTION_KEY_FILE: file, ENJEU_KEY_ENCRYPTION_KEY: given } = config;
  if ((file === undefined) === (given === undefined)) {
    throw new ConfigError('set one of ENJEU_KEY_ENCRYPTION_KEY_FILE and ENJEU_KEY_ENCRYPTION_KEY');
  }
  const hex = (given ?? (await contentOf(file as string))).trim().toLowerCase();
  if (!/^[0-9a-f]{64}$/.test(hex)) {
    throw new ConfigError(`${file ?? 'ENJEU_KEY_ENCRYPTION_KEY'} must hold the key-encryption key, 64 hex digits`);
  }
  return fromHex(hex, 32);
}

async function contentOf(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new ConfigError(`${file} cannot be read (${(error as NodeJS.ErrnoException).code ?? error})`);
  }
}
