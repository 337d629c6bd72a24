import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { encodeSafetensors, type Tensor } from "@nearkin/core";
import { afterAll, expect, test } from "vitest";
import { npy, TestFolder } from "./testing/files.ts";
import { alignVectors, readVectors } from "./vectors.ts";

const folder = new TestFolder();
afterAll(() => folder.remove());

const floats = (shape: number[], values: number[]): Tensor => ({ type: "F32", shape, data: new Float32Array(values) });
const ints = (values: number[]): Tensor => ({ type: "I32", shape: [values.length], data: new Int32Array(values) });
const safetensors = (name: string, tensors: Record<string, Tensor>) =>
  folder.write(`${name}.safetensors`, encodeSafetensors(tensors));

test("safetensors: ids of 32 and of 64 bits", async () => {
  const vectors = floats([2, 2], [1, 2, 0, 0]);
  const table = { dimensions: 2, ids: ["7", "-1"], vectors: new Float32Array([1, 2, 0, 0]) };
  expect(await readVectors(safetensors("i32", { vectors, tmdbId: ints([7, -1]) }))).toEqual(table);
  const wide: Tensor = { type: "I64", shape: [2], data: new BigInt64Array([2n ** 53n + 1n, 3n]) };
  expect((await readVectors(safetensors("i64", { vectors, ids: wide }))).ids).toEqual(["9007199254740993", "3"]);
});

test("safetensors: half and double precision", async () => {
  const half: Tensor = { type: "F16", shape: [1, 2], data: new Uint16Array([0x3c00, 0xc000]) };
  const double: Tensor = { type: "F64", shape: [1, 2], data: new Float64Array([0.1, 2]) };
  const path = safetensors("types", { half, double, id: ints([1]) });
  expect((await readVectors(path, { tensor: "half" })).vectors).toEqual(new Float32Array([1, -2]));
  expect((await readVectors(path, { tensor: "double" })).vectors).toEqual(new Float32Array([0.1, 2]));
});

test("safetensors: `id` goes before other whole numbers, and `ids` chooses", async () => {
  const path = safetensors("choice", { v: floats([1, 1], [5]), id: ints([1]), year: ints([1999]) });
  expect((await readVectors(path)).ids).toEqual(["1"]);
  expect((await readVectors(path, { ids: "year" })).ids).toEqual(["1999"]);
});

test("npy: ids beside it, in three forms, or in a file that is named", async () => {
  const data = npy("<f4", [2, 2], new Float32Array([1, 2, 3, 4]));
  folder.write("text.ids.txt", "tt01\r\ntt 02\n");
  folder.write("json.ids.jsonl", '"a\\nb"\n12\n');
  folder.write("numbers.ids.npy", npy("<i8", [2], new BigInt64Array([10n, 11n])));
  const ids = async (name: string) => (await readVectors(folder.write(`${name}.npy`, data))).ids;
  expect(await ids("text")).toEqual(["tt01", "tt 02"]);
  expect(await ids("json")).toEqual(["a\nb", "12"]);
  expect(await ids("numbers")).toEqual(["10", "11"]);
  const named = await readVectors(folder.write("bare.npy", data), { ids: join(folder.path, "text.ids.txt") });
  expect(named).toEqual({ dimensions: 2, ids: ["tt01", "tt 02"], vectors: new Float32Array([1, 2, 3, 4]) });
});

test("Parquet goes through the function passed in", async () => {
  const calls: unknown[] = [];
  const table = { dimensions: 1, ids: ["a"], vectors: new Float32Array([1]) };
  const readParquet = async (...args: unknown[]) => {
    calls.push(args);
    return table;
  };
  expect(await readVectors("x.parquet", { tensor: "plot", readParquet })).toBe(table);
  expect(calls).toEqual([["x.parquet", { tensor: "plot" }]]);
});

test("aligned to ids, with zero rows for what is missing", () => {
  const table = { dimensions: 2, ids: ["a", "b", "none"], vectors: new Float32Array([1, 2, 3, 4, 0, 0]) };
  expect(alignVectors(table, ["b", "x", "none", "a"])).toEqual({
    vectors: new Float32Array([3, 4, 0, 0, 0, 0, 1, 2]),
    missing: 2,
  });
});

test("files that are not what they should be", async () => {
  const failure = (path: string, options = {}) => folder.failure(readVectors(path, options));
  const v = floats([2, 1], [1, 2]);
  const id = ints([1, 2]);
  expect(await failure(join(folder.path, "nowhere.npy"))).toMatchInlineSnapshot(
    `"BAD_FILE: <folder>/nowhere.npy: cannot be read (ENOENT: no such file or directory, open '<folder>/nowhere.npy')"`,
  );
  expect(await failure("vectors.csv")).toMatchInlineSnapshot(
    `"BAD_ARGUMENT: readVectors: expected .safetensors, .npy or .parquet, got vectors.csv"`,
  );
  expect(await failure("vectors.parquet")).toMatchInlineSnapshot(
    `"BAD_ARGUMENT: readVectors: vectors.parquet is Parquet; pass readParquet: readParquetVectors from @nearkin/data, or save it as safetensors"`,
  );
  const whole = encodeSafetensors({ v, id });
  const short = folder.write("short.safetensors", whole.subarray(0, whole.length - 3));
  expect(await failure(short)).toMatchInlineSnapshot(
    `"BAD_FILE: <folder>/short.safetensors: safetensors: "v" lies at [8, 16], the file has 13 bytes of data"`,
  );
  expect(await failure(safetensors("two", { title: v, plot: v, id }))).toMatchInlineSnapshot(
    `"BAD_FILE: <folder>/two.safetensors: expected one float tensor of shape (n, d), got plot, title; name it, as in vectors:two.safetensors#plot"`,
  );
  expect(await failure(safetensors("two", { title: v, plot: v, id }), { tensor: "Plot" })).toMatchInlineSnapshot(
    `"BAD_FILE: <folder>/two.safetensors: expected "Plot", one float tensor of shape (n, d), got plot, title; name it, as in vectors:two.safetensors#plot"`,
  );
  expect(await failure(safetensors("flat", { id }))).toMatchInlineSnapshot(
    `"BAD_FILE: <folder>/flat.safetensors: expected one float tensor of shape (n, d), got none"`,
  );
  expect(await failure(safetensors("no-ids", { v }))).toMatchInlineSnapshot(
    `"BAD_FILE: <folder>/no-ids.safetensors: no ids for its vectors; looked for <folder>/no-ids.ids.txt, <folder>/no-ids.ids.jsonl, <folder>/no-ids.ids.npy"`,
  );
  expect(await failure(safetensors("float-ids", { v, id: floats([2], [1, 2]) }), { ids: "id" })).toMatchInlineSnapshot(
    `"BAD_FILE: <folder>/float-ids.safetensors: ids "id" must be I32 or I64 of shape (n), got F32 [2]"`,
  );
  expect(await failure(folder.write("ints.npy", npy("<i4", [2], new Int32Array(2))))).toMatchInlineSnapshot(
    `"BAD_FILE: <folder>/ints.npy: expected floats of shape (n, d), got I32 [2]"`,
  );
  folder.write("few.ids.txt", "a\n");
  expect(await failure(folder.write("few.npy", npy("<f4", [2, 1], new Float32Array(2))))).toMatchInlineSnapshot(
    `"BAD_FILE: <folder>/few.npy: 2 vectors, but 1 ids"`,
  );
  folder.write("odd.ids.jsonl", '"a"\n{"id": 1}\n');
  expect(await failure(folder.write("odd.npy", npy("<f4", [2, 1], new Float32Array(2))))).toMatchInlineSnapshot(
    `"BAD_FILE: <folder>/odd.ids.jsonl:2: expected a JSON text or whole number, got {"id": 1}"`,
  );
});

test("values that are not to be used", async () => {
  const failure = (name: string, tensors: Record<string, Tensor>) =>
    folder.failure(readVectors(safetensors(name, tensors)));
  const id = ints([4, 5]);
  expect(await failure("nan", { v: floats([2, 2], [1, 2, 3, Number.NaN]), id })).toMatchInlineSnapshot(
    `"BAD_VALUE: <folder>/nan.safetensors: the vector of id "5" has NaN at position 1; write a row of zeros for an item without a vector"`,
  );
  expect(await failure("inf", { v: floats([2, 2], [-Infinity, 2, 3, 4]), id })).toMatchInlineSnapshot(
    `"BAD_VALUE: <folder>/inf.safetensors: the vector of id "4" has -Infinity at position 0; write a row of zeros for an item without a vector"`,
  );
  expect(await failure("twice", { v: floats([2, 1], [1, 2]), id: ints([5, 5]) })).toMatchInlineSnapshot(
    `"BAD_VALUE: <folder>/twice.safetensors: id "5" stands twice; keep one row for each id"`,
  );
});

const shared = process.env.NEARKIN_SHARED_DATA ?? fileURLToPath(new URL("../../../../../shared/data", import.meta.url));
const real = join(shared, "minilm", "vectors.safetensors");
if (!existsSync(real))
  process.stderr.write(`SKIPPED: reading real vectors; ${real} is not there (NEARKIN_SHARED_DATA)\n`);

test.skipIf(!existsSync(real))("real vectors: of norm 1, or missing", async () => {
  for (const tensor of ["title", "plot"]) {
    const { dimensions, ids, vectors } = await readVectors(real, { tensor });
    expect(dimensions).toBe(384);
    expect(vectors.length).toBe(ids.length * 384);
    let missing = 0;
    for (let row = 0; row < ids.length; row++) {
      const norm = Math.sqrt(vectors.subarray(row * 384, (row + 1) * 384).reduce((sum, x) => sum + x * x, 0));
      if (norm === 0) missing++;
      else expect(Math.abs(norm - 1)).toBeLessThan(5e-3); // stored with 11 bits
    }
    expect(missing).toBeLessThan(ids.length / 2);
  }
});
