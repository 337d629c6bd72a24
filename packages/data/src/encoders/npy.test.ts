import { expect, test } from "vitest";
import { decodeNpy } from "./npy.ts";
import { npy } from "./testing/files.ts";

test("each type of element", () => {
  expect(decodeNpy(npy("<f8", [2], new Float64Array([1.5, -2])))).toEqual({
    type: "F64",
    shape: [2],
    data: new Float64Array([1.5, -2]),
  });
  expect(decodeNpy(npy("<f4", [1, 2], new Float32Array([1, 2]))).data).toEqual(new Float32Array([1, 2]));
  expect(decodeNpy(npy("<f2", [1, 1], new Uint16Array([0x3c00])))).toMatchObject({ type: "F16" });
  expect(decodeNpy(npy("<i8", [2], new BigInt64Array([5n, -(2n ** 60n)]))).data[1]).toBe(-(2n ** 60n));
  expect(decodeNpy(npy("<i4", [1], new Int32Array([-7]))).data).toEqual(new Int32Array([-7]));
});

test("columns first becomes rows first", () => {
  const columns = npy("<f4", [2, 3], new Float32Array([1, 4, 2, 5, 3, 6]), true);
  expect(decodeNpy(columns).data).toEqual(new Float32Array([1, 2, 3, 4, 5, 6]));
});

test("a file that begins anywhere in its buffer, and version 2", () => {
  const file = npy("<f4", [1, 2], new Float32Array([1, 2]));
  const shifted = Buffer.concat([Buffer.alloc(3), file]).subarray(3);
  expect(decodeNpy(shifted).data).toEqual(new Float32Array([1, 2]));
  const second = Buffer.concat([file.subarray(0, 10), Buffer.alloc(2), file.subarray(10)]);
  second[6] = 2;
  expect(decodeNpy(second).data).toEqual(new Float32Array([1, 2]));
});

test("what cannot be read", () => {
  const file = npy("<f4", [2, 2], new Float32Array(4));
  const read = (bytes: Uint8Array) => () => decodeNpy(bytes);
  expect(read(new Uint8Array(20))).toThrowErrorMatchingInlineSnapshot(
    `[NearkinError: npy: a file begins with \\x93NUMPY and a version; this is something else, or cut short]`,
  );
  expect(read(file.subarray(0, 60))).toThrowErrorMatchingInlineSnapshot(
    `[NearkinError: npy: the header should end at byte 128, the file has 60; it may be cut short]`,
  );
  expect(read(file.subarray(0, file.length - 1))).toThrowErrorMatchingInlineSnapshot(
    `[NearkinError: npy: <f4 of shape [2,2] takes 16 bytes, 15 follow the header; it may be cut short]`,
  );
  expect(read(npy(">f4", [1], new Float32Array(1)))).toThrowErrorMatchingInlineSnapshot(
    `[NearkinError: npy: elements of type >f4 are not read; save them as <f8, <f4, <f2, <i8, <i4]`,
  );
  expect(read(npy("<f4", [Number.NaN], new Float32Array(1)))).toThrowErrorMatchingInlineSnapshot(
    `[NearkinError: npy: the header must give descr, fortran_order and shape, got {'descr': '<f4', 'fortran_order': False, 'shape': (NaN,), }]`,
  );
});
