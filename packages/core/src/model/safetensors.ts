// Named arrays in one file: the safetensors format (https://github.com/huggingface/safetensors), read and written in memory.
//   8 bytes     N, the length of the header, little-endian
//   N bytes     JSON { name: { dtype, shape, data_offsets: [begin, end] }, "__metadata__": { text: text } }, padded with spaces
//   the rest    the arrays, row-major, little-endian, without holes; offsets count from here
// Arrays are used in place, so a host must be little-endian itself; big-endian hosts are out of scope.
import { NearkinError } from "../errors.ts";

interface TensorArrays {
  F64: Float64Array;
  F32: Float32Array;
  /** Bit patterns: JavaScript engines of today have no array of 16-bit floats that can be relied on. */
  F16: Uint16Array;
  I64: BigInt64Array;
  I32: Int32Array;
  U8: Uint8Array;
}

/** Element types that Nearkin reads and writes, named as in the file. */
export type TensorType = keyof TensorArrays;

/** An array with a shape; `[]` is a single number. The type decides the class of `data`; F16 are bit patterns. */
export type Tensor = {
  [T in TensorType]: { readonly type: T; readonly shape: readonly number[]; readonly data: TensorArrays[T] };
}[TensorType];

const ARRAYS = {
  F64: Float64Array,
  F32: Float32Array,
  F16: Uint16Array,
  I64: BigInt64Array,
  I32: Int32Array,
  U8: Uint8Array,
} as const;

const METADATA = "__metadata__";
const PREFIX = 8; // bytes of the header's length

/** By UTF-16 code units, the same everywhere; `localeCompare` is not. */
const byCodeUnits = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/**
 * The bytes of a safetensors file. The same tensors give the same bytes in whatever order they were added: large element types
 * come first, then names in code-unit order, so that every array lies aligned to its element.
 *
 * @example
 * const file = encodeSafetensors({ mean: { type: "F32", shape: [2], data: new Float32Array([1, 2]) } });
 * decodeSafetensors(file).tensors.get("mean")?.shape // => [2]
 */
export function encodeSafetensors(
  tensors: Readonly<Record<string, Tensor>>,
  metadata: Readonly<Record<string, string>> = {},
): Uint8Array<ArrayBuffer> {
  const entries = Object.entries(tensors).sort(
    ([a, x], [b, y]) => itemSize(y.type) - itemSize(x.type) || byCodeUnits(a, b),
  );
  const fields: string[] = [];
  const notes = Object.entries(metadata).sort(([a], [b]) => byCodeUnits(a, b));
  if (notes.length > 0) {
    const pairs = notes.map(([key, text]) => {
      if (typeof text === "string") return `${JSON.stringify(key)}:${JSON.stringify(text)}`;
      throw new NearkinError("BAD_ARGUMENT", `encodeSafetensors: metadata "${key}" must be a text, got ${typeof text}`);
    });
    fields.push(`"${METADATA}":{${pairs.join(",")}}`);
  }
  let end = 0;
  for (const [name, tensor] of entries) {
    checkTensor(name, tensor);
    const begin = end;
    end += tensor.data.byteLength;
    const shape = JSON.stringify(tensor.shape);
    fields.push(`${JSON.stringify(name)}:{"dtype":"${tensor.type}","shape":${shape},"data_offsets":[${begin},${end}]}`);
  }
  const header = new TextEncoder().encode(`{${fields.join(",")}}`);
  const start = Math.ceil((PREFIX + header.length) / 8) * 8;
  const bytes = new Uint8Array(start + end);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(start - PREFIX), true);
  bytes.set(header, PREFIX);
  bytes.fill(0x20, PREFIX + header.length, start);
  let at = start;
  for (const [, { data }] of entries) {
    bytes.set(new Uint8Array(data.buffer, data.byteOffset, data.byteLength), at);
    at += data.byteLength;
  }
  return bytes;
}

/**
 * The tensors of a safetensors file, in the order of their bytes. Arrays that lie aligned are views of `bytes`, others are copies:
 * keep `bytes` unchanged. Files that are cut short, contradict themselves or hold other element types throw `BAD_FILE`.
 */
export function decodeSafetensors(bytes: Uint8Array): {
  tensors: Map<string, Tensor>;
  metadata: Record<string, string>;
} {
  if (bytes.byteLength < PREFIX) {
    throw bad(`a file has at least ${PREFIX} bytes, got ${bytes.byteLength}; it may be cut short`);
  }
  const length = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getBigUint64(0, true);
  if (length > BigInt(bytes.byteLength - PREFIX)) {
    throw bad(`the header should have ${length} bytes, ${bytes.byteLength - PREFIX} follow; it may be cut short`);
  }
  const start = PREFIX + Number(length);
  const header = parseHeader(bytes.slice(PREFIX, start)); // a copy: TextDecoder refuses shared memory
  const size = bytes.byteLength - start;
  const found: { name: string; begin: number; end: number; tensor: Tensor }[] = [];
  let metadata: Record<string, string> = {};
  for (const [name, field] of Object.entries(header)) {
    if (name === METADATA) {
      metadata = readMetadata(field);
    } else {
      const { type, shape, begin, end } = readField(name, field, size);
      const data = arrayAt(type, bytes, start + begin, end - begin);
      found.push({ name, begin, end, tensor: { type, shape, data } as Tensor });
    }
  }
  found.sort((a, b) => a.begin - b.begin || a.end - b.end || byCodeUnits(a.name, b.name));
  let next = 0;
  for (const { name, begin, end } of found) {
    if (begin < next) throw bad(`"${name}" begins at ${begin}, inside the tensor before it, which ends at ${next}`);
    if (begin > next) throw bad(`bytes ${next} to ${begin} belong to no tensor`);
    next = end;
  }
  if (next < size) throw bad(`bytes ${next} to ${size} belong to no tensor`);
  return { tensors: new Map(found.map(({ name, tensor }) => [name, tensor])), metadata };
}

/** A tensor of floats as 32-bit floats: F16 exactly, F64 rounded, F32 as it is and without a copy. */
export function toFloat32(tensor: Tensor): Float32Array {
  switch (tensor.type) {
    case "F32":
      return tensor.data;
    case "F64":
      return new Float32Array(tensor.data);
    case "F16": {
      const { data } = tensor;
      const out = new Float32Array(data.length);
      const bits = new Uint32Array(out.buffer);
      for (let i = 0; i < data.length; i++) bits[i] = halfBits(data[i]);
      for (let i = 0; i < data.length; i++) out[i] *= HALF_SCALE;
      return out;
    }
    default:
      throw new NearkinError(
        "BAD_ARGUMENT",
        `toFloat32: expected F64, F32 or F16, got ${tensor.type}; convert whole numbers yourself, knowing their range`,
      );
  }
}

/** What a float with the bits of `halfBits` has to be multiplied by: 2¹¹², how far apart the two formats' exponents count from. */
export const HALF_SCALE = 2 ** 112;

/** An IEEE 754 binary16 (1 bit of sign, 5 of exponent, 10 of fraction) in a float's places; subnormal or not, its value is 2¹¹² times that. */
export function halfBits(half: number): number {
  const magnitude = (half & 0x7fff) << 13;
  const isNumber = (half & 0x7c00) !== 0x7c00;
  return ((half & 0x8000) << 16) | (isNumber ? magnitude : magnitude | 0x7f800000);
}

const itemSize = (type: TensorType): number => ARRAYS[type]?.BYTES_PER_ELEMENT ?? 0;

function checkTensor(name: string, { type, shape, data }: Tensor): void {
  const problem = (text: string) => new NearkinError("BAD_ARGUMENT", `encodeSafetensors: ${text}`);
  if (name === METADATA) throw problem(`"${METADATA}" is the place of metadata; choose another name`);
  if (!Object.hasOwn(ARRAYS, type)) throw problem(`"${name}" has the unknown type ${JSON.stringify(type)}`);
  if (!(data instanceof ARRAYS[type])) throw problem(`"${name}" is ${type}: expected a ${ARRAYS[type].name}`);
  const count = isShape(shape) ? elements(shape) : Number.NaN;
  if (count !== data.length) {
    throw problem(`"${name}" of shape [${shape}] takes ${count} elements, got ${data.length}`);
  }
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;
const isShape = (value: unknown): value is number[] => Array.isArray(value) && value.every(isCount);
const elements = (shape: readonly number[]): number => shape.reduce((product, size) => product * size, 1);

const bad = (text: string, options?: ErrorOptions) => new NearkinError("BAD_FILE", `safetensors: ${text}`, options);

function parseHeader(bytes: Uint8Array): object {
  let text: string;
  let header: unknown;
  try {
    text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    header = JSON.parse(text);
  } catch (cause) {
    throw bad("the header is not JSON", { cause });
  }
  if (!isObject(header)) throw bad("the header is not a JSON object");
  const twice = repeatedKey(text);
  if (twice !== undefined) throw bad(`the header has the key "${twice}" twice`);
  return header;
}

const isObject = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The first key that stands twice in one object of a valid JSON text: `JSON.parse` would keep the last and drop the rest. */
function repeatedKey(text: string): string | undefined {
  const open: Set<string>[] = [];
  for (const [token, colon] of text.matchAll(/"[^"\\]*(?:\\.[^"\\]*)*(?:"(\s*:)?)?|[{}]/g)) {
    if (token === "{") {
      open.push(new Set());
    } else if (token === "}") {
      open.pop();
    } else if (colon !== undefined) {
      const key: string = JSON.parse(token.slice(0, -colon.length));
      const keys = open[open.length - 1];
      if (keys.has(key)) return key;
      keys.add(key);
    }
  }
  return undefined;
}

function readMetadata(field: unknown): Record<string, string> {
  if (!isObject(field) || !Object.values(field).every((value) => typeof value === "string")) {
    throw bad(`"${METADATA}" must be an object of texts`);
  }
  return field as Record<string, string>;
}

function readField(
  name: string,
  field: unknown,
  size: number,
): { type: TensorType; shape: number[]; begin: number; end: number } {
  if (!isObject(field)) throw bad(`"${name}" is not described by an object`);
  const { dtype, shape, data_offsets: offsets } = field as Record<string, unknown>;
  if (typeof dtype !== "string" || !Object.hasOwn(ARRAYS, dtype)) {
    throw bad(`"${name}" has the type ${JSON.stringify(dtype)}; known are ${Object.keys(ARRAYS).join(", ")}`);
  }
  if (!isShape(shape)) throw bad(`"${name}" has no shape of whole numbers, got ${JSON.stringify(shape)}`);
  if (!Array.isArray(offsets) || offsets.length !== 2 || !offsets.every(isCount)) {
    throw bad(`"${name}" has no data_offsets [begin, end], got ${JSON.stringify(offsets)}`);
  }
  const [begin, end] = offsets as [number, number];
  if (begin > end || end > size) throw bad(`"${name}" lies at [${begin}, ${end}], the file has ${size} bytes of data`);
  const type = dtype as TensorType;
  const expected = elements(shape) * itemSize(type);
  if (expected !== end - begin) {
    throw bad(`"${name}" is ${type} of shape [${shape}]: expected ${expected} bytes, got ${end - begin}`);
  }
  return { type, shape, begin, end };
}

function arrayAt(type: TensorType, bytes: Uint8Array, offset: number, length: number): TensorArrays[TensorType] {
  const size = itemSize(type);
  const aligned = (bytes.byteOffset + offset) % size === 0;
  // `new`, not `slice`: a Node Buffer's slice is a view.
  const part = bytes.subarray(offset, offset + length);
  const source = aligned ? part : new Uint8Array(part);
  return new ARRAYS[type](source.buffer as ArrayBuffer, source.byteOffset, length / size); // shared memory does as well
}
