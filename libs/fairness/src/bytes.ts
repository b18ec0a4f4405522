const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));
const encoder = new TextEncoder();

/** Lower-case hex. */
export function toHex(bytes: Uint8Array): string {
  let hex = '';
  for (const byte of bytes) hex += HEX[byte];
  return hex;
}

/** Bytes of lower-case hex; refuses other characters and, where given, another length in bytes with a RangeError. */
export function fromHex(hex: string, length = hex.length / 2): Uint8Array {
  if (!Number.isInteger(length) || hex.length !== length * 2 || !/^[0-9a-f]*$/.test(hex)) {
    throw new RangeError(`not ${length} bytes of lower-case hex: ${JSON.stringify(hex.slice(0, 80))}`);
  }
  const bytes = new Uint8Array(length);
  for (let i = 0; i < length; i++) bytes[i] = Number.parseInt(hex.slice(2 * i, 2 * i + 2), 16);
  return bytes;
}

const ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** The 16 bytes of an id; anything but a lower-case UUID is refused with a RangeError. */
export function idBytes(id: string): Uint8Array {
  if (!ID.test(id)) throw new RangeError(`not a lower-case UUID: ${JSON.stringify(id)}`);
  return fromHex(id.replaceAll('-', ''), 16);
}

export function utf8(text: string): Uint8Array {
  return encoder.encode(text);
}

export function concat(...parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** Four bytes, big-endian; refuses what is not an unsigned 32-bit integer with a RangeError. */
export function u32(value: number): Uint8Array {
  if (value !== value >>> 0) throw new RangeError(`not an unsigned 32-bit integer: ${value}`);
  return Uint8Array.of(value >>> 24, value >>> 16, value >>> 8, value);
}
