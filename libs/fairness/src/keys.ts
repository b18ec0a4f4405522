import * as z from 'zod';
import { fromBase64Url, toBase64Url } from './base64url.ts';
import { type Checked, checkShape, refuse } from './checked.ts';
import { keyIdShape, timeShape } from './shapes.ts';
import { isOfSmallOrder, keyIdOf, publicKeyOf, type SigningKey, signingKey, verifySignature } from './signing.ts';

export type KeyPurpose = 'blocks' | 'log' | 'archive';

/** A public key as the key set shows it (RFC 8037). */
export interface PublicKeyEntry {
  readonly kty: 'OKP';
  readonly crv: 'Ed25519';
  /** base64url */
  readonly x: string;
  readonly alg: 'EdDSA';
  readonly use: 'sig';
  /** RFC 7638 thumbprint; what signed objects call `keyId`. */
  readonly kid: string;
  readonly purpose: KeyPurpose;
  /** Valid from this moment on … */
  readonly validFrom: string;
  /** … until just before this one, or without end. */
  readonly validUntil: string | null;
}

/** Every key that ever signed: entries are only added. */
export interface KeySet {
  readonly keys: readonly PublicKeyEntry[];
}

/** A private key file: RFC 8037's private JWK. */
export interface PrivateKeyFile {
  readonly kty: 'OKP';
  readonly crv: 'Ed25519';
  readonly x: string;
  readonly d: string;
  readonly kid: string;
}

const base64Url32 = z.string().regex(/^[A-Za-z0-9_-]{43}$/, 'must be 32 bytes of base64url');

const entryShape = z
  .strictObject({
    kty: z.literal('OKP'),
    crv: z.literal('Ed25519'),
    x: base64Url32,
    alg: z.literal('EdDSA'),
    use: z.literal('sig'),
    kid: keyIdShape,
    purpose: z.enum(['blocks', 'log', 'archive']),
    validFrom: timeShape,
    validUntil: timeShape.nullable(),
  })
  .refine((entry) => entry.kid === keyIdOf(entry.x), 'kid is not the thumbprint of x')
  .refine((entry) => isUsableKey(entry.x), 'x is not a usable Ed25519 key')
  .refine(
    (entry) => entry.validUntil === null || entry.validFrom < entry.validUntil,
    'validUntil is not after validFrom',
  );

const keySetShape: z.ZodType<KeySet> = z
  .strictObject({ keys: z.array(entryShape) })
  .refine((set) => new Set(set.keys.map((entry) => entry.kid)).size === set.keys.length, 'a key stands twice');

const privateKeyShape = z.strictObject({
  kty: z.literal('OKP'),
  crv: z.literal('Ed25519'),
  x: base64Url32,
  d: base64Url32,
  kid: keyIdShape,
});

function isUsableKey(x: string): boolean {
  try {
    return !isOfSmallOrder(fromBase64Url(x, 32));
  } catch {
    return false;
  }
}

/** A JWKS as parsed JSON, checked whole: exact members, true thumbprints, no key twice, none of small order. */
export function readKeySet(value: unknown): Checked<KeySet> {
  return checkShape(keySetShape, value);
}

/** The key that signed objects of this purpose at this time, or why it may not have. */
export function keyFor(keys: KeySet, keyId: string, purpose: KeyPurpose, at: string): Checked<PublicKeyEntry> {
  const entry = keys.keys.find((candidate) => candidate.kid === keyId);
  if (!entry) return refuse('key-unknown', `no key ${keyId} in the key set`);
  if (entry.purpose !== purpose) {
    return refuse('key-of-another-purpose', `key ${keyId} signs ${entry.purpose}, not ${purpose}`);
  }
  if (at < entry.validFrom || (entry.validUntil !== null && at >= entry.validUntil)) {
    return refuse(
      'key-not-valid-then',
      `key ${keyId} is valid from ${entry.validFrom} until ${entry.validUntil}, not at ${at}`,
    );
  }
  return { accepted: entry };
}

/** A signed object under the key that it names, which must be of this purpose and valid at this time. */
export function checkSignature<Value extends { readonly keyId: string }>(
  value: Value,
  keys: KeySet,
  purpose: KeyPurpose,
  at: string,
): Checked<Value> {
  const key = keyFor(keys, value.keyId, purpose, at);
  if ('refused' in key) return key;
  if (!verifySignature(value, key.accepted.x))
    return refuse('signature-wrong', `not the signature of key ${value.keyId}`);
  return { accepted: value };
}

/** What a key file of these 32 random bytes holds. */
export function privateKeyFile(secretKey: Uint8Array): PrivateKeyFile {
  const x = publicKeyOf(secretKey);
  return { kty: 'OKP', crv: 'Ed25519', x, d: toBase64Url(secretKey), kid: keyIdOf(x) };
}

/** The entry of the key set that goes with a private key. */
export function publicKeyEntry(
  key: SigningKey,
  purpose: KeyPurpose,
  validFrom: string,
  validUntil: string | null = null,
): PublicKeyEntry {
  const x = publicKeyOf(key.secretKey);
  return { kty: 'OKP', crv: 'Ed25519', x, alg: 'EdDSA', use: 'sig', kid: key.keyId, purpose, validFrom, validUntil };
}

/** A private key file as parsed JSON; refused as malformed when its parts do not belong together. */
export function readSigningKey(value: unknown): Checked<SigningKey> {
  const file = checkShape(privateKeyShape, value);
  if ('refused' in file) return file;
  const { d, x, kid } = file.accepted;
  try {
    const key = signingKey(fromBase64Url(d, 32));
    if (publicKeyOf(key.secretKey) !== x || key.keyId !== kid) return refuse('malformed', 'x or kid is not that of d');
    return { accepted: key };
  } catch (error) {
    if (error instanceof RangeError) return refuse('malformed', 'd is not 32 bytes of base64url');
    throw error;
  }
}
