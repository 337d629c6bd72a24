import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterAll, expect, test } from "vitest";
import { readLines } from "./lines.ts";

const folder = mkdtempSync(join(tmpdir(), "nearkin-lines-"));
const path = join(folder, "lines.jsonl");
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("empty lines are left out, and keep their numbers", async () => {
  writeFileSync(path, "one\n\r\n  \ntwo");
  const read: { text: string; line: number }[] = [];
  for await (const next of readLines(path)) read.push(next);
  expect(read).toEqual([
    { text: "one", line: 1 },
    { text: "two", line: 4 },
  ]);
});

test("what cannot be read is named", async () => {
  await expect(readLines(folder).next()).rejects.toThrow(`--in: ${folder} cannot be read: EISDIR`);
});

test("nothing is kept of lines that were read", async () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const heap = () => {
    collect();
    return process.memoryUsage().heapUsed;
  };
  const lines = 100_000;
  writeFileSync(path, "{}\n".repeat(lines));
  let [read, early] = [0, 0];
  for await (const _ of readLines(path)) {
    read++;
    if (read === lines / 10) early = heap();
  }
  expect(read).toBe(lines);
  expect((heap() - early) / lines).toBeLessThan(50); // bytes a line; a promise alone takes more
});
