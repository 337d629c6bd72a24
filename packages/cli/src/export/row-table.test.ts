import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readParquet } from "@nearkin/data";
import { afterAll, beforeAll, expect, test } from "vitest";
import { StopSignals } from "../training-stop.ts";
import { turnOf } from "./out-file.ts";
import { openRowTable, TABLE_KINDS, type TableColumn } from "./row-table.ts";

let root: string;
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), "nearkin-table-"));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

const columns: TableColumn[] = [
  { name: "id", type: "text" },
  { name: 'a "name", odd', type: "double" },
  { name: "count", type: "long" },
];
const rows = [
  ['x,"y"\nz', 0.1, 2 ** 40],
  [" padded ", null, null],
  ["plain", -0.5, -3],
];

test("the same rows in every format", async () => {
  for (const kind of TABLE_KINDS) {
    await using table = await openRowTable(join(root, `t${kind}`), kind, columns);
    await table.append(rows.slice(0, 1));
    await table.append([]);
    await table.append(rows.slice(1));
    expect(await table.finish()).toBe(3);
  }
  expect(readdirSync(root).sort()).toEqual(["t.csv", "t.jsonl", "t.parquet"]);
  const objects = rows.map((row) => Object.fromEntries(columns.map(({ name }, c) => [name, row[c]])));
  expect(await readParquet(join(root, "t.parquet"))).toEqual(objects);
  const lines = readFileSync(join(root, "t.jsonl"), "utf8").trimEnd().split("\n");
  expect(lines.map((line) => JSON.parse(line))).toEqual(objects);
  expect(readFileSync(join(root, "t.csv"), "utf8")).toBe(
    'id,"a ""name"", odd",count\n"x,""y""\nz",0.1,1099511627776\n" padded ",,\nplain,-0.5,-3\n',
  );
});

test("a table is its owner's alone: it may hold what users did", async () => {
  const own = mkdtempSync(join(root, "private-"));
  for (const kind of TABLE_KINDS) {
    const path = join(own, `t${kind}`);
    await using table = await openRowTable(path, kind, columns);
    const [unfinished] = readdirSync(own).filter((name) => name.startsWith(`t${kind}.`));
    expect(statSync(join(own, unfinished)).mode & 0o077).toBe(0);
    await table.append(rows);
    await table.finish();
    expect(statSync(path).mode & 0o777).toBe(0o600);
  }
});

test("what is not finished leaves the old file, and nothing else", async () => {
  const own = mkdtempSync(join(root, "unfinished-"));
  for (const kind of TABLE_KINDS) {
    writeFileSync(join(own, `t${kind}`), "what was there before");
    await using table = await openRowTable(join(own, `t${kind}`), kind, columns);
    await table.append(rows);
  }
  expect(readdirSync(own).sort()).toEqual(["t.csv", "t.jsonl", "t.parquet"]);
  for (const kind of TABLE_KINDS) {
    expect(readFileSync(join(own, `t${kind}`), "utf8")).toBe("what was there before");
  }
});

test("a signal ends it between two pages", async () => {
  using stop = new StopSignals();
  await turnOf(stop);
  const stopped = { signal: AbortSignal.abort() } as StopSignals;
  await expect(turnOf(stopped)).rejects.toMatchObject({ code: "INTERRUPTED", message: "stopped; nothing was written" });
});
