import { ed25519 } from '@noble/curves/ed25519.js';
import { fromBase64Url, toBase64Url } from './base64url.ts';
import { fromHex, toHex, utf8 } from './bytes.ts';
import { canonical, NotCanonical } from './canonical.ts';
import { canonicalDigest } from './digest.ts';

/** An Ed25519 key that signs. `secretKey` is RFC 8032's 32-byte private key. */
export interface SigningKey {
  readonly keyId: string;
  readonly secretKey: Uint8Array;
}

export type Signed<Value extends object> = Value & { readonly keyId: string; readonly signature: string };

/** RFC 7638 thumbprint, base64url, of a public key given as the JWK's `x`. */
export function keyIdOf(x: string): string {
  return toBase64Url(canonicalDigest({ crv: 'Ed25519', kty: 'OKP', x }));
}

/** A signing key of 32 random bytes. */
export function signingKey(secretKey: Uint8Array): SigningKey {
  if (secretKey.length !== 32) throw new RangeError(`an Ed25519 key has 32 bytes, not ${secretKey.length}`);
  return { keyId: keyIdOf(publicKeyOf(secretKey)), secretKey };
}

/** The JWK's `x` of a private key. */
export function publicKeyOf(secretKey: Uint8Array): string {
  return toBase64Url(ed25519.getPublicKey(secretKey));
}

/** The object with `keyId` and with Ed25519 (RFC 8032) over the canonical object without its own `signature`. */
export function sign<Value extends object>(value: Value, key: SigningKey): Signed<Value> {
  const { signature: _, ...rest } = { ...value, keyId: key.keyId } as Value & { keyId: string; signature?: unknown };
  const unsigned = rest as unknown as Value & { keyId: string };
  return { ...unsigned, signature: toHex(ed25519.sign(utf8(canonical(unsigned)), key.secretKey)) };
}

/**
 * Whether `signature` is the key's over this object. `x` is the JWK's. S at or above L, points that are not canonical and
 * public keys of small order are refused; so is everything malformed.
 */
export function verifySignature(value: object, x: string): boolean {
  const { signature, ...unsigned } = value as { readonly signature?: unknown };
  if (typeof signature !== 'string') return false;
  try {
    const message = utf8(canonical(unsigned));
    // The library's other mode, made for consensus among old nodes, accepts keys of small order.
    return ed25519.verify(fromHex(signature, 64), message, fromBase64Url(x, 32), { zip215: false });
  } catch (error) {
    if (error instanceof RangeError || error instanceof NotCanonical) return false;
    throw error;
  }
}

/** True as well for bytes that are no point of the curve: neither is a key. */
export function isOfSmallOrder(publicKey: Uint8Array): boolean {
  try {
    return ed25519.Point.fromBytes(publicKey, false).isSmallOrder();
  } catch {
    return true;
  }
}
