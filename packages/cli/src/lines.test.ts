import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterAll, expect, test } from "vitest";
import { type Line, readLines, splitLines } from "./lines.ts";

const folder = mkdtempSync(join(tmpdir(), "nearkin-lines-"));
const path = join(folder, "lines.jsonl");
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("empty lines are left out, and keep their numbers", async () => {
  writeFileSync(path, "one\n\r\n  \ntwo");
  const read: { text: string; line: number }[] = [];
  for await (const { text, line } of readLines(path)) read.push({ text, line });
  expect(read).toEqual([
    { text: "one", line: 1 },
    { text: "two", line: 4 },
  ]);
});

test("a byte-order mark is no part of the first line, and elsewhere a character like others", async () => {
  writeFileSync(path, '\ufeff{"user":"a"}\r\n\ufeffb\u2028b\rb\n');
  const read: string[] = [];
  for await (const { text } of readLines(path)) read.push(text);
  expect(read).toEqual(['{"user":"a"}', "\ufeffb\u2028b\rb"]);
});

test("lines are the same wherever the pieces of a file end, and say where they end", async () => {
  const bytes = Buffer.from("één\r\n\nzwei\ntr");
  for (const size of [1, 2, 5, 100]) {
    const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) =>
      bytes.subarray(i * size, (i + 1) * size),
    );
    const read: Line[] = [];
    for await (const next of splitLines(Readable.from(pieces))) read.push(next);
    expect(read).toEqual([
      { text: "één", line: 1, bytes: 7, whole: true },
      { text: "", line: 2, bytes: 8, whole: true },
      { text: "zwei", line: 3, bytes: 13, whole: true },
      { text: "tr", line: 4, bytes: 15, whole: false },
    ]);
  }
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
