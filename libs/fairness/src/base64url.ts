/** Base64url without padding, RFC 4648 §5. */
export function toBase64Url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
}

/** The bytes, when the text is the one canonical way to write so many of them; else a RangeError. */
export function fromBase64Url(text: string, length: number): Uint8Array {
  if (/^[A-Za-z0-9_-]*$/.test(text) && text.length % 4 !== 1) {
    const raw = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
    const bytes = Uint8Array.from(raw, (character) => character.charCodeAt(0));
    if (bytes.length === length && toBase64Url(bytes) === text) return bytes;
  }
  throw new RangeError(`not ${length} bytes of base64url`);
}
