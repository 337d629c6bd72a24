// docs/errors.md lists every code, and nothing else.
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { shown } from "./errors.ts";

const read = (path: string) => readFileSync(new URL(path, import.meta.url), "utf8");

test("every error code has its row in docs/errors.md", () => {
  const union = /export type ErrorCode =([^;]*);/.exec(read("./errors.ts"))?.[1] ?? "";
  const codes = [...union.matchAll(/"([A-Z_]+)"/g)].map(([, code]) => code);
  const rows = [...read("../../../docs/errors.md").matchAll(/^\| `([A-Z_]+)` \|/gm)].map(([, code]) => code);
  expect(codes).toContain("BAD_ARGUMENT");
  expect(rows).toEqual(codes);
});

test("a refused value is shown as JSON, of a long one the beginning", () => {
  expect([17, "a\nb", undefined, ["x"], { a: 1 }].map(shown)).toEqual([
    "17",
    '"a\\nb"',
    "undefined",
    '["x"]',
    '{"a":1}',
  ]);
  expect(shown("x".repeat(81))).toBe(`"${"x".repeat(80)}"…`);
  expect(shown(Array(1000).fill(1))).toHaveLength(81);
});
