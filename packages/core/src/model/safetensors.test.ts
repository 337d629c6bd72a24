import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { NearkinError } from "../errors.ts";
import { Bed } from "../testing/bed.ts";
import { errorOf } from "../testing/bounds.ts";
import { decodeSafetensors, encodeSafetensors, type Tensor, toFloat32 } from "./safetensors.ts";

const bed = new Bed({ runs: 200 });
const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

/** A file from a header as text and bytes of data. */
function file(header: string, data: ArrayLike<number> = []): Uint8Array {
  const json = new TextEncoder().encode(header);
  const bytes = new Uint8Array(8 + json.length + data.length);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(json.length), true);
  bytes.set(json, 8);
  bytes.set(data, 8 + json.length);
  return bytes;
}

const tensors = (): Record<string, Tensor> => ({
  bytes: { type: "U8", shape: [3], data: new Uint8Array([1, 2, 255]) },
  half: { type: "F16", shape: [1, 2], data: new Uint16Array([0x3c00, 0xc000]) },
  whole: { type: "I32", shape: [2], data: new Int32Array([-1, 2 ** 31 - 1]) },
  single: { type: "F32", shape: [2, 2], data: new Float32Array([0.1, -0, Infinity, 1e-45]) },
  long: { type: "I64", shape: [1], data: new BigInt64Array([-(2n ** 63n)]) },
  scalar: { type: "F64", shape: [], data: new Float64Array([Math.PI]) },
  empty: { type: "F64", shape: [0, 7], data: new Float64Array(0) },
});

describe("encodeSafetensors", () => {
  test("writes these bytes", () => {
    const bytes = encodeSafetensors(
      {
        b: { type: "U8", shape: [1], data: new Uint8Array([7]) },
        a: { type: "F32", shape: [1, 2], data: new Float32Array([1, -2]) },
      },
      { made: "by hand" },
    );
    const header =
      '{"__metadata__":{"made":"by hand"},"a":{"dtype":"F32","shape":[1,2],"data_offsets":[0,8]},' +
      '"b":{"dtype":"U8","shape":[1],"data_offsets":[8,9]}}';
    const padded = header.padEnd(Math.ceil(header.length / 8) * 8, " ");
    expect(Array.from(bytes.subarray(0, 8))).toEqual([padded.length, 0, 0, 0, 0, 0, 0, 0]);
    expect(text(bytes.subarray(8, 8 + padded.length))).toBe(padded);
    expect(Array.from(bytes.subarray(8 + padded.length))).toEqual([0, 0, 0x80, 0x3f, 0, 0, 0, 0xc0, 7]);
  });

  test("the order of names does not matter", () => {
    const entries = Object.entries(tensors());
    const shuffled = Object.fromEntries([...entries].reverse());
    expect(encodeSafetensors(shuffled, { a: "1", b: "2" })).toEqual(
      encodeSafetensors(Object.fromEntries(entries), { b: "2", a: "1" }),
    );
  });

  test("refuses what would not be a file", () => {
    const f32 = (shape: number[]): Tensor => ({ type: "F32", shape, data: new Float32Array(2) });
    expect(errorOf(() => encodeSafetensors({ a: f32([3]) }))).toMatchInlineSnapshot(`
      {
        "code": "BAD_ARGUMENT",
        "message": "encodeSafetensors: "a" of shape [3] takes 3 elements, got 2",
      }
    `);
    expect(errorOf(() => encodeSafetensors({ a: f32([2.5]) }))).toMatchInlineSnapshot(`
      {
        "code": "BAD_ARGUMENT",
        "message": "encodeSafetensors: "a" of shape [2.5] takes NaN elements, got 2",
      }
    `);
    expect(errorOf(() => encodeSafetensors({ __metadata__: f32([2]) }))).toMatchInlineSnapshot(`
      {
        "code": "BAD_ARGUMENT",
        "message": "encodeSafetensors: "__metadata__" is the place of metadata; choose another name",
      }
    `);
    expect(
      errorOf(() =>
        encodeSafetensors({ a: { type: "F64", shape: [2], data: new Float32Array(2) } as unknown as Tensor }),
      ),
    ).toMatchInlineSnapshot(`
      {
        "code": "BAD_ARGUMENT",
        "message": "encodeSafetensors: "a" is F64: expected a Float64Array",
      }
    `);
    expect(
      errorOf(() =>
        encodeSafetensors({ a: { type: "BF16", shape: [2], data: new Uint16Array(2) } as unknown as Tensor }),
      ),
    ).toMatchInlineSnapshot(`
      {
        "code": "BAD_ARGUMENT",
        "message": "encodeSafetensors: "a" has the unknown type "BF16"",
      }
    `);
    expect(errorOf(() => encodeSafetensors({}, { n: 1 as unknown as string }))).toMatchInlineSnapshot(`
      {
        "code": "BAD_ARGUMENT",
        "message": "encodeSafetensors: metadata "n" must be a text, got number",
      }
    `);
  });
});

describe("decodeSafetensors", () => {
  test("reads back every type, exactly", () => {
    const bytes = encodeSafetensors(tensors(), { format: "nearkin", ключ: "ü" });
    const read = decodeSafetensors(bytes);
    expect(read.metadata).toEqual({ format: "nearkin", ключ: "ü" });
    expect([...read.tensors.keys()]).toEqual(["empty", "long", "scalar", "single", "whole", "half", "bytes"]);
    expect(Object.fromEntries(read.tensors)).toEqual(tensors());
  });

  test("aligned arrays are views, others copies", () => {
    const bytes = encodeSafetensors(tensors());
    for (const { data } of decodeSafetensors(bytes).tensors.values()) expect(data.buffer).toBe(bytes.buffer);
    const shifted = new Uint8Array(bytes.length + 1).subarray(1);
    shifted.set(bytes);
    const { tensors: read } = decodeSafetensors(shifted);
    expect(Object.fromEntries(read)).toEqual(tensors());
    expect(read.get("scalar")?.data.buffer).not.toBe(shifted.buffer);
    expect(read.get("bytes")?.data.buffer).toBe(shifted.buffer);
  });

  test("shared memory works as well", () => {
    const bytes = encodeSafetensors(tensors(), { a: "b" });
    const shared = new Uint8Array(new SharedArrayBuffer(bytes.length));
    shared.set(bytes);
    expect(Object.fromEntries(decodeSafetensors(shared).tensors)).toEqual(tensors());
  });

  test("names and metadata may be any text", () => {
    const one: Tensor = { type: "U8", shape: [1], data: new Uint8Array([1]) };
    const name = fc.string({ unit: "binary" }).filter((key) => key !== "__metadata__" && key !== "__proto__");
    bed.check(fc.tuple(fc.uniqueArray(name), fc.dictionary(fc.string(), fc.string())), ([names, metadata]) => {
      const read = decodeSafetensors(encodeSafetensors(Object.fromEntries(names.map((n) => [n, one])), metadata));
      expect([...read.tensors.keys()].sort()).toEqual([...names].sort());
      expect(read.metadata).toEqual({ ...metadata });
    });
  });

  test("whatever happened to a file, it is read or refused as BAD_FILE", () => {
    const whole = encodeSafetensors(tensors(), { a: "b" });
    const damage = fc.tuple(fc.nat(whole.length - 1), fc.nat(255), fc.nat(whole.length));
    bed.check(damage, ([at, value, length]) => {
      const bytes = whole.slice();
      bytes[at] = value;
      for (const damaged of [bytes, whole.subarray(0, length)]) {
        try {
          decodeSafetensors(damaged);
        } catch (error) {
          expect((error as NearkinError).code).toBe("BAD_FILE");
        }
      }
    });
    for (let length = 0; length < whole.length; length++) {
      expect(() => decodeSafetensors(whole.subarray(0, length))).toThrow(NearkinError);
    }
  });

  const refused: [string, Uint8Array][] = [
    ["too short", new Uint8Array(7)],
    ["header beyond the file", file("{}").subarray(0, 9)],
    ["header length near 2^64", new Uint8Array(8).fill(255)],
    ["no JSON", file("{]")],
    ["no UTF-8", new Uint8Array([1, 0, 0, 0, 0, 0, 0, 0, 0xff])],
    ["not an object", file("[]")],
    ["a tensor that is no object", file('{"a":3}')],
    ["unknown type", file('{"a":{"dtype":"BF16","shape":[1],"data_offsets":[0,2]}}', [0, 0])],
    ["a type from the prototype", file('{"a":{"dtype":"toString","shape":[1],"data_offsets":[0,2]}}', [0, 0])],
    ["shape with a fraction", file('{"a":{"dtype":"U8","shape":[1.5],"data_offsets":[0,1]}}', [0])],
    ["negative shape", file('{"a":{"dtype":"U8","shape":[-1,-1],"data_offsets":[0,1]}}', [0])],
    ["no offsets", file('{"a":{"dtype":"U8","shape":[1]}}', [0])],
    ["offsets beyond the file", file('{"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]}}', [0])],
    ["offsets the wrong way round", file('{"a":{"dtype":"U8","shape":[0],"data_offsets":[1,0]}}', [0])],
    ["shape that does not fit", file('{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,4]}}', [0, 0, 0, 0])],
    [
      "a tensor over another",
      file(
        '{"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},"b":{"dtype":"U8","shape":[2],"data_offsets":[1,3]}}',
        [1, 2, 3],
      ),
    ],
    ["a hole", file('{"a":{"dtype":"U8","shape":[1],"data_offsets":[1,2]}}', [0, 0])],
    ["bytes at the end", file('{"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}}', [0, 0])],
    [
      "a name twice",
      file(
        '{"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"\\u0061":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}}',
        [0],
      ),
    ],
    ["a field twice", file('{"a":{"dtype":"U8","shape":[1],"dtype":"I8","data_offsets":[0,1]}}', [0])],
    ["metadata that is no text", file('{"__metadata__":{"a":1}}')],
  ];

  test("says what is wrong", () => {
    const messages = refused.map(([name, bytes]) => {
      try {
        decodeSafetensors(bytes);
        return `${name}: accepted`;
      } catch (error) {
        const { code, message } = error as NearkinError;
        return `${name}: ${code}: ${message}`;
      }
    });
    expect(messages.join("\n")).toMatchInlineSnapshot(`
      "too short: BAD_FILE: safetensors: a file has at least 8 bytes, got 7; it may be cut short
      header beyond the file: BAD_FILE: safetensors: the header should have 2 bytes, 1 follow; it may be cut short
      header length near 2^64: BAD_FILE: safetensors: the header should have 18446744073709551615 bytes, 0 follow; it may be cut short
      no JSON: BAD_FILE: safetensors: the header is not JSON
      no UTF-8: BAD_FILE: safetensors: the header is not JSON
      not an object: BAD_FILE: safetensors: the header is not a JSON object
      a tensor that is no object: BAD_FILE: safetensors: "a" is not described by an object
      unknown type: BAD_FILE: safetensors: "a" has the type "BF16"; known are F64, F32, F16, I64, I32, U8
      a type from the prototype: BAD_FILE: safetensors: "a" has the type "toString"; known are F64, F32, F16, I64, I32, U8
      shape with a fraction: BAD_FILE: safetensors: "a" has no shape of whole numbers, got [1.5]
      negative shape: BAD_FILE: safetensors: "a" has no shape of whole numbers, got [-1,-1]
      no offsets: BAD_FILE: safetensors: "a" has no data_offsets [begin, end], got undefined
      offsets beyond the file: BAD_FILE: safetensors: "a" lies at [0, 2], the file has 1 bytes of data
      offsets the wrong way round: BAD_FILE: safetensors: "a" lies at [1, 0], the file has 1 bytes of data
      shape that does not fit: BAD_FILE: safetensors: "a" is F32 of shape [2]: expected 8 bytes, got 4
      a tensor over another: BAD_FILE: safetensors: "b" begins at 1, inside the tensor before it, which ends at 2
      a hole: BAD_FILE: safetensors: bytes 0 to 1 belong to no tensor
      bytes at the end: BAD_FILE: safetensors: bytes 1 to 2 belong to no tensor
      a name twice: BAD_FILE: safetensors: the header has the key "a" twice
      a field twice: BAD_FILE: safetensors: the header has the key "dtype" twice
      metadata that is no text: BAD_FILE: safetensors: "__metadata__" must be an object of texts"
    `);
  });
});

describe("toFloat32", () => {
  test("half floats are exact", () => {
    const bits = [0x0000, 0x8000, 0x3c00, 0xbc00, 0x3555, 0x7bff, 0x0400, 0x0001, 0x83ff, 0x7c00, 0xfc00, 0x7e00];
    const values = toFloat32({ type: "F16", shape: [bits.length], data: new Uint16Array(bits) });
    const expected = [
      0,
      -0,
      1,
      -1,
      0.333251953125,
      65504,
      2 ** -14,
      2 ** -24,
      -1023 * 2 ** -24,
      Infinity,
      -Infinity,
      NaN,
    ];
    expect(Array.from(values)).toEqual(expected);
  });

  test("doubles are rounded, singles shared, whole numbers refused", () => {
    expect(toFloat32({ type: "F64", shape: [1], data: new Float64Array([0.1]) })[0]).toBe(Math.fround(0.1));
    const data = new Float32Array([1]);
    expect(toFloat32({ type: "F32", shape: [1], data })).toBe(data);
    expect(errorOf(() => toFloat32({ type: "I32", shape: [1], data: new Int32Array(1) }))).toMatchInlineSnapshot(`
      {
        "code": "BAD_ARGUMENT",
        "message": "toFloat32: expected F64, F32 or F16, got I32; convert whole numbers yourself, knowing their range",
      }
    `);
  });
});
