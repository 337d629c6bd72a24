import { createHash } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { NearkinError } from "@nearkin/core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Database, literalPath } from "./database.ts";
import { readParquet } from "./read-parquet.ts";
import { readParquetVectors } from "./vectors-parquet.ts";
import { type ParquetColumn, ParquetWriter, writeParquet } from "./write-parquet.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "nearkin-parquet-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function errorOf(call: () => Promise<unknown>): Promise<string> {
  const error = await call().then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof NearkinError)) throw error ?? new Error("expected an error");
  return `${error.code}: ${error.message}`;
}

describe("writeParquet", () => {
  test("writes every type, with null for what is not there, in a folder with an odd name", async () => {
    const path = join(folder, "it's [new]", "table.parquet");
    await writeParquet(path, [
      { name: "step", type: "integer", values: Int32Array.of(1, -2, 2 ** 31 - 1) },
      { name: 'the "loss"', type: "double", values: [0.1, null, Number.NaN] },
      { name: "arrival", type: "long", values: [2 ** 53 - 1, null, -7] },
      { name: "rate", type: "float", values: Float32Array.of(0.5, -0, 1e-45) },
      { name: "note", type: "text", values: ["für dich", null, ""] },
      { name: "word", type: "term", terms: ["zero", "one"], values: [1, null, 0] },
    ]);
    expect(await readParquet(path)).toEqual(
      [
        { step: 1, 'the "loss"': 0.1, arrival: 2 ** 53 - 1, rate: 0.5, note: "für dich", word: "one" },
        { step: -2, 'the "loss"': null, arrival: null, rate: -0, note: null, word: null },
        { step: 2 ** 31 - 1, 'the "loss"': Number.NaN, arrival: -7, rate: 1e-45, note: "", word: "zero" },
      ].map((row) => ({ ...row, rate: Math.fround(row.rate) })),
    );
    expect(readdirSync(join(folder, "it's [new]"))).toEqual(["table.parquet"]);
  });

  test("vectors are lists of floats, bit for bit, over several chunks; null for one that is not there", async () => {
    const path = join(folder, "vectors.parquet");
    const vectors = Array.from({ length: 5000 }, (_, i) =>
      i % 7 === 3 ? null : Float32Array.of(i, 1 / (i + 1), -1e-45),
    );
    const ids = { name: "id", type: "text" as const, values: vectors.map((_, i) => `v${i}`) };
    await writeParquet(path, [ids, { name: "vector", type: "vector", dimensions: 3, values: vectors }]);
    const table = await readParquetVectors(path);
    expect(table.ids).toEqual(ids.values);
    expect(table.vectors).toEqual(Float32Array.from(vectors.flatMap((vector) => [...(vector ?? [0, 0, 0])])));
    const wrong = { name: "vector", type: "vector" as const, dimensions: 2, values: [Float32Array.of(1, 2, 3)] };
    expect(await errorOf(() => writeParquet(path, [wrong]))).toMatchInlineSnapshot(
      `"BAD_ARGUMENT: writeParquet: column "vector" is vectors of 2 numbers, got 3 numbers"`,
    );
  });

  test("a table without rows has its columns", async () => {
    const path = join(folder, "empty.parquet");
    await writeParquet(path, [
      { name: "a", type: "term", terms: [], values: new Int32Array(0) },
      { name: "b", type: "text", values: [] },
    ]);
    await using database = await Database.open(":memory:", { scratch: folder });
    const described = await database.rows(`DESCRIBE SELECT * FROM read_parquet(${literalPath(path)})`);
    expect(described.map(({ column_name, column_type }) => [column_name, column_type])).toEqual([
      ["a", "VARCHAR"],
      ["b", "VARCHAR"],
    ]);
    expect(await readParquet(path)).toEqual([]);
  });

  test("blocks become one table in their order, and the same bytes for any number of threads", async () => {
    const terms = Array.from({ length: 3000 }, (_, i) => `term ${i}`);
    const hashes = [];
    for (const threads of [1, 2, 3]) {
      const path = join(folder, `blocks-${threads}.parquet`);
      const fields = [
        { name: "at", type: "integer" },
        { name: "word", type: "term", terms },
      ] as const;
      await using writer = await ParquetWriter.open(path, fields, { threads });
      for (const [from, count] of [
        [0, 1],
        [1, 5000],
        [5001, 0],
        [5001, 294_999],
      ]) {
        const at = Int32Array.from({ length: count }, (_, i) => from + i);
        writer.append([at, at.map((i) => (i * 7) % 3000)]);
      }
      expect(writer.rows).toBe(300_000);
      await writer.finish();
      hashes.push(createHash("sha256").update(readFileSync(path)).digest("hex"));
    }
    expect(new Set(hashes).size).toBe(1);
    const rows = await readParquet(join(folder, "blocks-2.parquet"));
    expect(rows).toHaveLength(300_000);
    expect(rows.every(({ at, word }, i) => at === i && word === terms[(i * 7) % 3000])).toBe(true);
  });

  test("what goes wrong leaves the old file and nothing else", async () => {
    const own = mkdtempSync(join(folder, "failed-"));
    const path = join(own, "table.parquet");
    writeFileSync(path, "what was there before");
    {
      await using writer = await ParquetWriter.open(path, [{ name: "a", type: "integer" }]);
      writer.append([Int32Array.of(1)]);
    }
    const columns: [string, ParquetColumn[]][] = [
      ["no columns", []],
      [
        "unequal lengths",
        [
          { name: "a", type: "integer", values: Int32Array.of(1, 2) },
          { name: "b", type: "text", values: ["x"] },
        ],
      ],
      ["another array", [{ name: "a", type: "integer", values: Float64Array.of(1) }]],
      ["numbers as text", [{ name: "a", type: "text", values: Int32Array.of(1) }]],
      ["a fraction", [{ name: "a", type: "integer", values: [1.5] }]],
      ["a long fraction", [{ name: "a", type: "long", values: [0.5] }]],
      ["longs as an array", [{ name: "a", type: "long", values: Float64Array.of(1) }]],
      ["a text as number", [{ name: "a", type: "double", values: ["1"] }]],
      ["a term too many", [{ name: "a", type: "term", terms: ["x"], values: Int32Array.of(0, 1) }]],
    ];
    const errors: Record<string, string> = {};
    for (const [name, bad] of columns) errors[name] = await errorOf(() => writeParquet(path, bad));
    expect(errors).toMatchInlineSnapshot(`
      {
        "a fraction": "BAD_ARGUMENT: writeParquet: column "a" is integer, got 1.5",
        "a long fraction": "BAD_ARGUMENT: writeParquet: column "a" is long, got 0.5",
        "a term too many": "INDEX_OUT_OF_RANGE: writeParquet: column "a" has term 1 of 1",
        "a text as number": "BAD_ARGUMENT: writeParquet: column "a" is double, got "1"",
        "another array": "BAD_ARGUMENT: writeParquet: column "a" is integer, got Float64Array",
        "longs as an array": "BAD_ARGUMENT: writeParquet: column "a" is long, got Float64Array",
        "no columns": "BAD_ARGUMENT: writeParquet: a table has at least one column",
        "numbers as text": "BAD_ARGUMENT: writeParquet: column "a" is text, got Int32Array",
        "unequal lengths": "SHAPE_MISMATCH: writeParquet: columns must be equally long: "b" has 1 values, "a" 2",
      }
    `);
    expect(readdirSync(own)).toEqual(["table.parquet"]);
    expect(readFileSync(path, "utf8")).toBe("what was there before");
  });

  test("what is no Parquet file is a BAD_FILE", async () => {
    const path = join(folder, "no.parquet");
    writeFileSync(path, "what was there before");
    expect(await errorOf(() => readParquet(path))).toContain(`BAD_FILE: ${path}: `);
    expect(await errorOf(() => readParquet(join(folder, "nowhere.parquet")))).toContain("BAD_FILE: ");
  });
});
