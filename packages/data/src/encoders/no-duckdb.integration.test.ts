// This entry never loads DuckDB: neither in fact, nor can it, by its imports.
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { DuckDBInstance } from "@duckdb/node-api";
import ts from "typescript";
import { afterAll, expect, test } from "vitest";
import { outputOf, startChild } from "./testing/child.ts";
import { npy, TestFolder } from "./testing/files.ts";

const folder = new TestFolder();
afterAll(() => folder.remove());

const loaded = async (...args: string[]) => JSON.parse(await outputOf(startChild("loaded-modules.ts", { args })));

test("using the entry leaves DuckDB out of the process", async () => {
  folder.write("x.ids.txt", "a\n");
  const file = folder.write("x.npy", npy("<f4", [1, 2], new Float32Array([1, 2])));
  expect(await loaded("encoders", file)).toMatchObject({ duckdb: 0 });
});

test("where it is used, it would be seen", async () => {
  const path = join(folder.path, "x.parquet");
  const instance = await DuckDBInstance.create(":memory:");
  const connection = await instance.connect();
  await connection.run(`COPY (SELECT 1 AS id, [1::FLOAT] AS v) TO '${path}' (FORMAT parquet)`);
  connection.closeSync();
  instance.closeSync();
  expect((await loaded("parquet", path)).duckdb).toBeGreaterThan(5);
});

test("no import leads out of the folder, or to a package but these", () => {
  const here = dirname(fileURLToPath(import.meta.url));
  const packages = new Set<string>();
  const files = new Set<string>();
  const visit = (path: string) => {
    if (files.has(path)) return;
    files.add(path);
    for (const { fileName } of ts.preProcessFile(readFileSync(path, "utf8"), true, true).importedFiles) {
      if (fileName.startsWith(".")) visit(join(dirname(path), fileName));
      else if (!fileName.startsWith("node:")) packages.add(fileName);
    }
  };
  visit(join(here, "index.ts"));
  expect(files.size).toBeGreaterThan(10);
  // Apart from the folder, one file that imports nothing.
  for (const file of files) if (file !== join(here, "../nearest.ts")) expect(dirname(file)).toBe(here);
  expect([...packages].sort()).toEqual(["@nearkin/core"]);
});
