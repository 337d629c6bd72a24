// Whether two dataset folders are the same: ids and counts exactly, floats to 1e-9 of their size, every table in the same order.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { decodeSafetensors } from "@nearkin/core";
import { openDataset } from "@nearkin/data";
import { expect } from "vitest";
import { Database } from "../../packages/data/src/database.ts";

const CLOSE = 1e-9;

/** @param except parts that may differ: of the manifest, or rejects.parquet, where files have other names */
export async function expectSameDataset(made: string, expected: string, except: readonly string[] = []): Promise<void> {
  const [one, other] = [await openDataset(made), await openDataset(expected)].map(({ manifest }) => manifest);
  for (const part of ["counts", "columns", "channels", "notes", "config", "inputs"] as const) {
    if (!except.includes(part)) expect(one[part], part).toEqual(other[part]);
  }
  expect(one.time).toEqual(other.time);
  expect(one.ratings.mean).toBeCloseTo(other.ratings.mean, 9);
  const files = (readdirSync(expected, { recursive: true }) as string[]).sort();
  expect((readdirSync(made, { recursive: true }) as string[]).sort()).toEqual(files);
  await using database = await Database.open(":memory:", { scratch: "" });
  for (const file of files.filter((name) => name.endsWith(".parquet") && !except.includes(name.slice(0, -8)))) {
    expect(await differingRows(join(made, file), join(expected, file)), file).toEqual({ rows: "as many", differ: 0 });
  }
  for (const file of files.filter((name) => name.endsWith(".safetensors"))) {
    expectSameTensors(join(made, file), join(expected, file), file);
  }

  async function differingRows(a: string, b: string) {
    const describe = (path: string) =>
      database.rows(`SELECT column_name, column_type FROM (DESCRIBE SELECT * FROM read_parquet('${path}'))`);
    const columns = await describe(b);
    expect(await describe(a)).toEqual(columns);
    const same = columns.map(({ column_name, column_type }) => {
      const [x, y] = [`a."${column_name}"`, `b."${column_name}"`];
      return column_type === "DOUBLE" || column_type === "FLOAT"
        ? `(${x} IS NOT DISTINCT FROM ${y} OR abs(${x} - ${y}) <= ${CLOSE} * greatest(abs(${x}), abs(${y})))`
        : `${x} IS NOT DISTINCT FROM ${y}`;
    });
    const numbered = (path: string) => `(SELECT *, row_number() OVER () AS nth FROM read_parquet('${path}'))`;
    const [counts] = await database.rows(
      `SELECT (SELECT COUNT(*) FROM read_parquet('${a}')) AS ours, (SELECT COUNT(*) FROM read_parquet('${b}')) AS theirs`,
    );
    const [{ differ }] = await database.rows(
      `SELECT COUNT(*) AS differ FROM ${numbered(a)} AS a JOIN ${numbered(b)} AS b ON a.nth = b.nth WHERE NOT (${same.join(" AND ")})`,
    );
    const rows = counts.ours === counts.theirs ? "as many" : `${counts.ours} instead of ${counts.theirs}`;
    return { rows, differ: Number(differ) };
  }
}

function expectSameTensors(a: string, b: string, name: string): void {
  const [ours, theirs] = [a, b].map((path) => decodeSafetensors(readFileSync(path)).tensors);
  expect([...ours.keys()], name).toEqual([...theirs.keys()]);
  for (const [key, expected] of theirs) {
    const { shape, data } = ours.get(key) as typeof expected;
    expect(shape, `${name} ${key}`).toEqual(expected.shape);
    let furthest = 0;
    for (let k = 0; k < data.length; k++) {
      const [value, other] = [Number(data[k]), Number(expected.data[k])];
      if (!Object.is(value, other))
        furthest = Math.max(furthest, Math.abs(value - other) / Math.max(Math.abs(value), Math.abs(other)));
    }
    expect(furthest, `${name} ${key}`).toBeLessThanOrEqual(CLOSE);
  }
}
