import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { exportJWK, generateKeyPair, type JWK } from 'jose';

/** What the provider keeps over restarts, so that tokens stay valid. */
export interface ProviderKeys {
  readonly jwks: { readonly keys: readonly JWK[] };
  /** Signs the cookies of sessions. */
  readonly cookies: readonly string[];
}

export const SIGNING_ALGORITHM = 'ES256';

/** Reads the provider's keys from its folder, or makes them at the first start. Rejects when the folder is unusable. */
export async function providerKeys(folder: string): Promise<ProviderKeys> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, 'provider-keys.json');
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as ProviderKeys;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw new Error(`${file} cannot be read`, { cause: error });
  }
  const keys = await makeKeys();
  // Whole or not at all: half a key would lock everybody out at the next start.
  writeFileSync(`${file}.new`, `${JSON.stringify(keys)}\n`, { mode: 0o600 });
  renameSync(`${file}.new`, file);
  return keys;
}

async function makeKeys(): Promise<ProviderKeys> {
  const { privateKey } = await generateKeyPair(SIGNING_ALGORITHM, { extractable: true });
  const jwk = {
    ...(await exportJWK(privateKey)),
    alg: SIGNING_ALGORITHM,
    use: 'sig',
    kid: randomBytes(8).toString('hex'),
  };
  return { jwks: { keys: [jwk] }, cookies: [randomBytes(32).toString('base64url')] };
}
