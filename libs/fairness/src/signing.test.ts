import { createPublicKey, verify as nodeVerify } from 'node:crypto';
import { ed25519 } from '@noble/curves/ed25519.js';
import fc from 'fast-check';
import {
  canonical,
  fromHex,
  keyFor,
  keyIdOf,
  privateKeyFile,
  publicKeyEntry,
  readKeySet,
  readSigningKey,
  sign,
  signingKey,
  toBase64Url,
  toHex,
  utf8,
  verifySignature,
} from '#fairness';

// RFC 8037, appendix A.
const RFC_8037 = {
  d: 'nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A',
  x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo',
  thumbprint: 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k',
};
const secretKey = fromHex('9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60');
const key = signingKey(secretKey);
const entry = publicKeyEntry(key, 'blocks', '2009-01-01T00:00:00.000Z');

/** The order of the base point, RFC 8032 §5.1. */
const L = 2n ** 252n + 27742317777372353535851937790883648493n;

test('the key of RFC 8037 has the public key and thumbprint that the RFC gives', () => {
  expect(entry.x).toBe(RFC_8037.x);
  expect(key.keyId).toBe(RFC_8037.thumbprint);
  expect(keyIdOf(RFC_8037.x)).toBe(RFC_8037.thumbprint);
  expect(privateKeyFile(secretKey)).toEqual({
    kty: 'OKP',
    crv: 'Ed25519',
    x: RFC_8037.x,
    d: RFC_8037.d,
    kid: key.keyId,
  });
});

test('an independent implementation of Ed25519 accepts the signature over the canonical object without it', () => {
  const { signature, ...unsigned } = sign({ b: [1, { signature: 'kept' }], a: 'é' }, key);
  const publicKey = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: RFC_8037.x }, format: 'jwk' });
  expect(canonical(unsigned)).toBe(`{"a":"é","b":[1,{"signature":"kept"}],"keyId":"${key.keyId}"}`);
  expect(nodeVerify(null, utf8(canonical(unsigned)), publicKey, fromHex(signature))).toBe(true);
});

test('signing again replaces key and signature, and changes nothing else', () => {
  const once = sign({ a: 1 }, key);
  expect(sign(once, key)).toEqual(once);
});

test('a signature holds for its object and key only', () => {
  const other = signingKey(new Uint8Array(32).fill(9));
  const otherX = publicKeyEntry(other, 'blocks', entry.validFrom).x;
  fc.assert(
    fc.property(fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.integer()), fc.nat(511), (value, bit) => {
      const signed = sign(value, key);
      expect(verifySignature(signed, entry.x)).toBe(true);
      expect(verifySignature(signed, otherX)).toBe(false);
      expect(verifySignature({ ...signed, d: 1 }, entry.x)).toBe(false);
      const bytes = fromHex(signed.signature);
      bytes[bit >> 3]! ^= 1 << (bit & 7);
      expect(verifySignature({ ...signed, signature: toHex(bytes) }, entry.x)).toBe(false);
    }),
    { numRuns: 20 },
  );
});

test('the second form of a signature, with S at or above L, is refused', () => {
  const signed = sign({ a: 1 }, key);
  const bytes = fromHex(signed.signature);
  let s = 0n;
  for (let i = 63; i >= 32; i--) s = (s << 8n) | BigInt(bytes[i]!);
  let twin = s + L;
  for (let i = 32; i < 64; i++) {
    bytes[i] = Number(twin & 255n);
    twin >>= 8n;
  }
  expect(twin).toBe(0n);
  expect(verifySignature({ ...signed, signature: toHex(bytes) }, entry.x)).toBe(false);
});

test('keys of small order, for which one signature fits every message, are refused everywhere', () => {
  // The neutral point: R = neutral, S = 0 satisfies the equation for any message.
  const neutral = ed25519.Point.ZERO.toBytes();
  const x = toBase64Url(neutral);
  const forged = { a: 1, keyId: keyIdOf(x), signature: toHex(neutral) + '00'.repeat(32) };
  expect(verifySignature(forged, x)).toBe(false);
  const points = ['00'.repeat(32), `${'00'.repeat(31)}80`, `ec${'ff'.repeat(30)}7f`, `01${'00'.repeat(31)}`];
  for (const point of points) {
    const small = toBase64Url(fromHex(point));
    expect(readKeySet({ keys: [{ ...entry, x: small, kid: keyIdOf(small) }] })).toMatchObject({ refused: 'malformed' });
  }
});

test('what is malformed is no signature', () => {
  const signed = sign({ a: 1 }, key);
  const bad = [undefined, null, 1, '', 'zz', signed.signature.toUpperCase(), `${signed.signature}00`];
  for (const signature of bad) expect(verifySignature({ ...signed, signature }, entry.x)).toBe(false);
  expect(verifySignature({ ...signed, a: 0.5 }, entry.x)).toBe(false);
  for (const x of ['', '!', `${entry.x}=`, `${entry.x.slice(0, -1)}p`]) expect(verifySignature(signed, x)).toBe(false);
});

test('a private key file reads back, and one whose parts do not belong together is refused', () => {
  const file = privateKeyFile(secretKey);
  expect(readSigningKey(JSON.parse(JSON.stringify(file)))).toEqual({ accepted: key });
  const other = privateKeyFile(new Uint8Array(32).fill(9));
  const wrong: unknown[] = [
    { ...file, x: other.x },
    { ...file, kid: other.kid },
    { ...file, d: other.d },
    { ...file, d: file.d.slice(1) },
    { ...file, crv: 'X25519' },
    { ...file, extra: 1 },
    null,
  ];
  for (const value of wrong) expect(readSigningKey(value)).toMatchObject({ refused: 'malformed' });
});

test('a key set with a wrong thumbprint, a doubled key, an unknown member or an empty validity is refused', () => {
  expect(readKeySet({ keys: [entry] })).toEqual({ accepted: { keys: [entry] } });
  const wrong: unknown[] = [
    { keys: [entry, entry] },
    { keys: [{ ...entry, kid: keyIdOf(toBase64Url(new Uint8Array(32).fill(9))) }] },
    { keys: [{ ...entry, d: RFC_8037.d }] },
    { keys: [{ ...entry, purpose: 'anything' }] },
    { keys: [{ ...entry, validUntil: entry.validFrom }] },
    { keys: [{ ...entry, validFrom: '2009-01-01' }] },
    { keys: [entry], more: 1 },
    [],
  ];
  for (const value of wrong) expect(readKeySet(value)).toMatchObject({ refused: 'malformed' });
});

test('a key is found by its id, purpose and validity, and a refusal says which failed', () => {
  const keys = { keys: [{ ...entry, validUntil: '2010-01-01T00:00:00.000Z' }] };
  const at = '2009-06-01T00:00:00.000Z';
  expect(keyFor(keys, entry.kid, 'blocks', at)).toEqual({ accepted: keys.keys[0] });
  expect(keyFor(keys, 'unknown', 'blocks', at)).toMatchObject({ refused: 'key-unknown' });
  expect(keyFor(keys, entry.kid, 'archive', at)).toMatchObject({ refused: 'key-of-another-purpose' });
  expect(keyFor(keys, entry.kid, 'blocks', '2010-01-01T00:00:00.000Z')).toMatchObject({
    refused: 'key-not-valid-then',
  });
});
