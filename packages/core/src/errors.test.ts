// docs/errors.md lists every code, and nothing else.
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

const read = (path: string) => readFileSync(new URL(path, import.meta.url), "utf8");

test("every error code has its row in docs/errors.md", () => {
  const union = /export type ErrorCode =([^;]*);/.exec(read("./errors.ts"))?.[1] ?? "";
  const codes = [...union.matchAll(/"([A-Z_]+)"/g)].map(([, code]) => code);
  const rows = [...read("../../../docs/errors.md").matchAll(/^\| `([A-Z_]+)` \|/gm)].map(([, code]) => code);
  expect(codes).toContain("BAD_ARGUMENT");
  expect(rows).toEqual(codes);
});
