import { afterEach, expect, test, vi } from "vitest";
import { openBlasAvailable } from "./available.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

const missing = async () => ({ available: false, reason: "not found", remedy: "install it" }) as const;

test("without OpenBLAS: aloud on a desk", async () => {
  const write = vi.spyOn(process.stderr, "write").mockReturnValue(true);
  expect(await openBlasAvailable({}, missing)).toBe(false);
  expect(write.mock.calls).toEqual([["SKIPPED: the native engine; not found; install it\n"]]);
});

test("without OpenBLAS: an error in CI, and for a variable that names the wrong file", async () => {
  await expect(openBlasAvailable({ CI: "true" }, missing)).rejects.toThrowErrorMatchingInlineSnapshot(
    `[Error: CI=true demands the tests of the native engine: not found; install it]`,
  );
  await expect(openBlasAvailable({ NEARKIN_OPENBLAS: "x" }, missing)).rejects.toThrowErrorMatchingInlineSnapshot(
    `[Error: not found; install it]`,
  );
});
