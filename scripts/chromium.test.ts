import { expect, test } from "vitest";
import { findChromium } from "./chromium.ts";

test("takes the first browser that exists", () => {
  expect(findChromium({}, { paths: ["/nowhere/chromium", process.execPath, "/other"] })).toBe(process.execPath);
});

test("NEARKIN_CHROMIUM comes first, and must exist", () => {
  expect(findChromium({ NEARKIN_CHROMIUM: process.execPath }, { paths: [] })).toBe(process.execPath);
  expect(() =>
    findChromium({ NEARKIN_CHROMIUM: "/nowhere" }, { paths: [process.execPath] }),
  ).toThrowErrorMatchingInlineSnapshot(`[Error: NEARKIN_CHROMIUM is /nowhere, but there is no such file]`);
});

test("without a browser: aloud on a desk, an error in CI", () => {
  const reasons: string[] = [];
  expect(findChromium({}, { paths: [], onMissing: (reason) => reasons.push(reason) })).toBeUndefined();
  expect(reasons).toEqual([
    "no Chromium found; install one (`apt-get install chromium`) or set NEARKIN_CHROMIUM to its path",
  ]);
  expect(() => findChromium({ CI: "true" }, { paths: [] })).toThrowErrorMatchingInlineSnapshot(
    `[Error: no Chromium found, and CI=true demands the browser tests: install one (\`apt-get install chromium\`) or set NEARKIN_CHROMIUM to its path]`,
  );
});
