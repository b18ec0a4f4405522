import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { keyIdOf, publicKeyEntry } from '#fairness';
import { ConfigError } from './config.ts';
import { loadJwks, loadSigningKey } from './keys.ts';

const folder = mkdtempSync(join(tmpdir(), 'enjeu-keys-'));

function file(content: unknown): string {
  const path = join(folder, `${Math.random()}.json`);
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}

function privateJwk() {
  const { kty, crv, x, d } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
  return { kty, crv, x: x!, d, kid: keyIdOf(x!) };
}

test('a private key is loaded with its id, whatever else its file says', () => {
  const jwk = privateJwk();
  expect(loadSigningKey(file({ ...jwk, purpose: 'log' })).keyId).toBe(jwk.kid);
});

test('the public keys are loaded', () => {
  const key = loadSigningKey(file(privateJwk()));
  const set = { keys: [publicKeyEntry(key, 'log', '2009-02-05T12:00:00.000Z')] };
  expect(loadJwks(file(set))).toEqual(set);
});

test.each([
  ['a file that is not there', () => join(folder, 'nowhere')],
  ['a file that is not JSON', () => file('{')],
  ['a file that holds null', () => file('null')],
  ['a public key alone', () => file({ ...privateJwk(), d: undefined })],
  ['halves of two keys', () => file({ ...privateJwk(), d: privateJwk().d })],
])('%s is no signing key, and the message names the file but not the key', (_, path) => {
  const name = path();
  expect(() => loadSigningKey(name)).toThrow(ConfigError);
  expect(() => loadSigningKey(name)).toThrow(name);
});

test('a key set with a thumbprint that is not its key’s is refused', () => {
  const entry = publicKeyEntry(loadSigningKey(file(privateJwk())), 'log', '2009-02-05T12:00:00.000Z');
  expect(() => loadJwks(file({ keys: [{ ...entry, kid: keyIdOf(privateJwk().x) }] }))).toThrow(ConfigError);
});
