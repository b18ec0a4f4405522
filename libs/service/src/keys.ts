import { readFileSync } from 'node:fs';
import {
  type Checked,
  type KeyPurpose,
  type KeySet,
  keyFor,
  readKeySet,
  readSigningKey,
  type SigningKey,
} from '#fairness';
import { ConfigError } from './config.ts';

/**
 * Reads a private key: an Ed25519 JWK with `d` and `kid`; members beyond RFC 8037's are ignored.
 * @throws ConfigError when the file cannot be read, holds anything else, or its parts do not belong together
 */
export function loadSigningKey(file: string): SigningKey {
  const { kty, crv, x, d, kid } = (readJson(file) ?? {}) as Record<string, unknown>;
  return acceptedOf(file, 'an Ed25519 private key (JWK)', readSigningKey({ kty, crv, x, d, kid }));
}

/**
 * Reads the private key of a purpose, whose public half must stand in the key set for that purpose and be valid now:
 * what another key signs nobody can check, and cannot be signed again later.
 * @throws ConfigError for any other key, and for files that cannot be used
 */
export function loadSigningKeyFor(purpose: KeyPurpose, file: string, keysFile: string): SigningKey {
  const key = loadSigningKey(file);
  const known = keyFor(loadJwks(keysFile), key.keyId, purpose, new Date().toISOString());
  if ('refused' in known) throw new ConfigError(`${file} cannot sign under ${keysFile}: ${known.detail}`);
  return key;
}

/**
 * Reads the public keys of the platform.
 * @throws ConfigError when the file cannot be read, or is not a key set as formats.md describes it
 */
export function loadJwks(file: string): KeySet {
  return acceptedOf(file, 'a set of public keys (JWKS)', readKeySet(readJson(file)));
}

function acceptedOf<Value>(file: string, what: string, checked: Checked<Value>): Value {
  if ('refused' in checked) throw new ConfigError(`${file} is not ${what}: ${checked.detail}`);
  return checked.accepted;
}

function readJson(file: string): unknown {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new ConfigError(`${file} cannot be read (${(error as NodeJS.ErrnoException).code ?? error})`);
  }
  try {
    return JSON.parse(text);
  } catch {
    throw new ConfigError(`${file} is not JSON`);
  }
}
