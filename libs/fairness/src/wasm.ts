/** As much of WebAssembly's binary format as our one module needs: instructions as bytes, and the module around them. */
export type Code = readonly number[];

/** LEB128, unsigned. */
function unsigned(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...unsigned(value >>> 7)];
}

/** LEB128, signed. */
function signed(value: number): number[] {
  const isLast = value >= -64 && value < 64;
  return isLast ? [value & 0x7f] : [(value & 0x7f) | 0x80, ...signed(value >> 7)];
}

const simd = (opcode: number): Code => [0xfd, ...unsigned(opcode)];

export const get = (local: number): Code => [0x20, ...unsigned(local)];
export const set = (local: number): Code => [0x21, ...unsigned(local)];
export const constant = (value: number): Code => [0x41, ...signed(value)];
export const addIndex: Code = [0x6a];
/** Loads 16 bytes at the address on the stack plus the offset. */
export const load = (offset: number): Code => [...simd(0x00), 0x04, ...unsigned(offset)];
/** Loads four bytes and puts them into all four lanes. */
export const loadSplat = (offset: number): Code => [...simd(0x09), 0x02, ...unsigned(offset)];
export const store = (offset: number): Code => [...simd(0x0b), 0x04, ...unsigned(offset)];
export const and: Code = simd(0x4e);
export const or: Code = simd(0x50);
export const xor: Code = simd(0x51);
export const shiftLeft: Code = simd(0xab);
export const shiftRight: Code = simd(0xad);
export const add: Code = simd(0xae);

/** Repeats the body until the index local, which the body moves on, reaches the limit. */
export function loopUntil(index: number, limit: number, body: Code): Code {
  return [0x03, 0x40, ...body, ...get(index), ...constant(limit), 0x49, 0x0d, 0x00, 0x0b];
}

/** The two constructors that both browsers and servers have; described here, as the types of neither are in use. */
interface WebAssemblyHost {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object) => { readonly exports: object };
}

/** What a module exports; an error where the machine has no WebAssembly, does not know an instruction, or forbids it. */
export function exportsOf(module: Uint8Array): object {
  const { WebAssembly } = globalThis as unknown as { readonly WebAssembly: WebAssemblyHost };
  return new WebAssembly.Instance(new WebAssembly.Module(module)).exports;
}

const I32 = 0x7f;
const V128 = 0x7b;

/** A module with one function over i32 parameters, so many i32 and v128 locals after them, and one page of memory. */
export function moduleOf(name: string, parameters: number, indices: number, vectors: number, body: Code): Uint8Array {
  const code = [0x02, ...unsigned(indices), I32, ...unsigned(vectors), V128, ...body, 0x0b];
  const text = (value: string) => [value.length, ...Array.from(value, (letter) => letter.charCodeAt(0))];
  const section = (id: number, content: Code) => [id, ...unsigned(content.length), ...content];
  return Uint8Array.from([
    ...[0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00],
    ...section(1, [0x01, 0x60, parameters, ...new Array<number>(parameters).fill(I32), 0x00]),
    ...section(3, [0x01, 0x00]),
    ...section(5, [0x01, 0x00, 0x01]),
    ...section(7, [0x02, ...text('memory'), 0x02, 0x00, ...text(name), 0x00, 0x00]),
    ...section(10, [0x01, ...unsigned(code.length), ...code]),
  ]);
}
