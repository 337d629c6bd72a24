import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseConfig, prepare } from "@nearkin/data";
import { afterAll, beforeAll, expect, test } from "vitest";
import { run } from "../testing/run.ts";

let folder: string;
let dataset: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "nearkin-inspect-"));
  dataset = join(folder, "films");
  writeFileSync(join(folder, "ratings.csv"), "user,item,rating\nann,a,1\nann,b,2\nbob,a,3\nbob,c,4\n");
  const config = parseConfig({
    simulated: true,
    interactions: { files: "ratings.csv" },
    split: { by: "none" },
    factors: { count: 0 },
  });
  await prepare(config, { out: dataset, folder, threads: 1 });
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Runs the command; what differs from run to run by a word. */
async function inspect(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const { code, out, err } = await run("inspect", ...args);
  const plain = (text: string) => text.replaceAll(folder, "FOLDER");
  return { code, out: plain(out), err: plain(err) };
}

test("prints a report, loud about what is made up, with the warnings last", async () => {
  const { code, out, err } = await inspect(dataset);
  expect({ code, err }).toEqual({ code: 0, err: "" });
  const lines = out.trimEnd().split("\n");
  expect(lines[0]).toMatch(/^films {2}\(id [0-9a-f]{12}\)$/);
  expect(out).toContain("SIMULATED users and ratings");
  expect(lines.at(-1)).toBe(
    "  FEW_INTERACTIONS: training has 4 interactions of 3 items and 2 pairs: little to learn from",
  );
});

test("--json is one document a program can read", async () => {
  const { out } = await inspect(dataset, "--json");
  const { name, simulated, counts, warnings, verified } = JSON.parse(out);
  expect({ name, simulated, users: counts.users, verified }).toEqual({
    name: "films",
    simulated: true,
    users: 2,
    verified: false,
  });
  expect(warnings.map(({ code }: { code: string }) => code)).toEqual([
    "NO_TIMES",
    "MANY_UNDESCRIBED",
    "FEW_INTERACTIONS",
  ]);
});

test("--verify says so, and finds a changed byte", async () => {
  expect((await inspect(dataset, "--verify")).out.trimEnd().split("\n").at(-1)).toBe(
    "Verified: all 12 files have their hashes.",
  );
  expect(JSON.parse((await inspect(dataset, "--verify", "--json")).out).verified).toBe(true);
  const file = join(dataset, "users.parquet");
  const bytes = readFileSync(file);
  const changed = Buffer.from(bytes);
  changed[20] ^= 1;
  writeFileSync(file, changed);
  const { code, out, err } = await inspect(dataset, "--verify");
  writeFileSync(file, bytes);
  expect({ code, out }).toEqual({ code: 1, out: "" });
  expect(err).toMatch(/^BAD_DATASET: FOLDER\/films: users\.parquet was changed: its sha256 is /);
});

test("a folder that is no dataset", async () => {
  expect(await inspect(folder)).toMatchInlineSnapshot(`
    {
      "code": 1,
      "err": "BAD_DATASET: FOLDER has no dataset.json, so it is no dataset; expected the folder that nearkin prepare wrote
    ",
      "out": "",
    }
  `);
  expect((await inspect()).code).toBe(2);
});

test("the help has examples", async () => {
  const { code, out } = await inspect("--help");
  expect(code).toBe(0);
  expect(out).toContain("$ nearkin inspect films-dataset --verify");
});
