import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { afterAll, expect, test } from "vitest";
import { TestFolder } from "./encoders/testing/files.ts";
import { readVectors } from "./encoders/vectors.ts";
import { readParquetVectors } from "./vectors-parquet.ts";

const folder = new TestFolder();
afterAll(() => folder.remove());

async function parquet(name: string, select: string): Promise<string> {
  const path = join(folder.path, name);
  const instance = await DuckDBInstance.create(":memory:");
  const connection = await instance.connect();
  await connection.run(`COPY (${select}) TO '${path.replaceAll("'", "''")}' (FORMAT parquet)`);
  connection.closeSync();
  instance.closeSync();
  return path;
}

const read = (path: string, options = {}) => readVectors(path, { ...options, readParquet: readParquetVectors });

test("lists of floats and doubles, arrays, ids of any kind", async () => {
  const table = { dimensions: 2, ids: ["7", "8"], vectors: new Float32Array([1, 2.5, 0, 0]) };
  const rows = (type: string, id: string) =>
    `SELECT ${id} AS id, CAST(v AS ${type}) AS v FROM (VALUES (7, [1, 2.5]), (8, NULL)) t(n, v)`;
  expect(await read(await parquet("list.parquet", rows("FLOAT[]", "n")))).toEqual(table);
  expect(await read(await parquet("double.parquet", rows("DOUBLE[]", "n::BIGINT")))).toEqual(table);
  expect(await read(await parquet("array.parquet", rows("FLOAT[2]", "n::VARCHAR")))).toEqual(table);
});

test("several chunks, in the order of the file", async () => {
  const path = await parquet("many.parquet", "SELECT i AS id, [i::FLOAT, 1] AS v FROM range(5000) t(i)");
  const { ids, vectors } = await read(path);
  expect(ids).toEqual(Array.from({ length: 5000 }, (_, i) => String(i)));
  expect(vectors[2 * 4321]).toBe(4321);
});

test("columns by name, and a file whose name has quotes and stars", async () => {
  const select = `SELECT 'x' AS "the ""key""", 3 AS year, [1::FLOAT] AS title, [2::FLOAT] AS plot`;
  const path = await parquet("it's [a] *.parquet", select);
  const table = await read(path, { tensor: "plot", ids: 'the "key"' });
  expect(table).toEqual({ dimensions: 1, ids: ["x"], vectors: new Float32Array([2]) });
});

test("what cannot be read", async () => {
  const failure = (path: string, options = {}) => folder.failure(read(path, options));
  const select = async (name: string, sql: string) => failure(await parquet(`${name}.parquet`, sql));
  expect(await failure(join(folder.path, "nowhere.parquet"))).toMatchInlineSnapshot(
    `"BAD_FILE: <folder>/nowhere.parquet: cannot be read (ENOENT: no such file or directory, stat '<folder>/nowhere.parquet')"`,
  );
  expect(await failure(folder.write("not.parquet", "id,v\n"))).toMatchInlineSnapshot(
    `"BAD_FILE: <folder>/not.parquet: Invalid Input Error: File '<folder>/not.parquet' too small to be a Parquet file"`,
  );
  expect(await select("none", "SELECT 1 AS id, 2.0::FLOAT AS v")).toMatchInlineSnapshot(
    `"BAD_FILE: <folder>/none.parquet: expected one column of vectors (a list or array of FLOAT or DOUBLE), got id INTEGER, v FLOAT"`,
  );
  expect(await select("two", "SELECT 1 AS id, [1::FLOAT] AS title, [1::FLOAT] AS plot")).toMatchInlineSnapshot(
    `"BAD_FILE: <folder>/two.parquet: expected one column of vectors (a list or array of FLOAT or DOUBLE), got id INTEGER, title FLOAT[], plot FLOAT[]"`,
  );
  expect(await failure(join(folder.path, "two.parquet"), { tensor: "Plot" })).toMatchInlineSnapshot(
    `"BAD_FILE: <folder>/two.parquet: expected "Plot" to be a column of vectors (a list or array of FLOAT or DOUBLE), got id INTEGER, title FLOAT[], plot FLOAT[]"`,
  );
  expect(await select("no-id", "SELECT NULL::INTEGER AS id, [1::FLOAT] AS v")).toMatchInlineSnapshot(
    `"BAD_VALUE: <folder>/no-id.parquet: row 1 has no id"`,
  );
  expect(
    await select("ragged", "SELECT * FROM (VALUES (1, [1::FLOAT]), (2, [1::FLOAT, 2])) t(id, v)"),
  ).toMatchInlineSnapshot(`"BAD_FILE: <folder>/ragged.parquet: the vector of id "2" has 2 values, another has 1"`);
  expect(await select("null", "SELECT 'a' AS id, [1::FLOAT, NULL] AS v")).toMatchInlineSnapshot(
    `"BAD_VALUE: <folder>/null.parquet: the vector of id "a" has NaN at position 1; write a row of zeros for an item without a vector"`,
  );
  expect(
    await select("twice", "SELECT * FROM (VALUES ('a', [1::FLOAT]), ('a', [2::FLOAT])) t(id, v)"),
  ).toMatchInlineSnapshot(`"BAD_VALUE: <folder>/twice.parquet: id "a" stands twice; keep one row for each id"`);
});
