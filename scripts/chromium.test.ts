import { afterEach, expect, test, vi } from "vitest";
import { findChromium } from "./chromium.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

test("takes the first browser that exists", () => {
  expect(findChromium({}, ["/nowhere/chromium", process.execPath, "/other"])).toBe(process.execPath);
});

test("NEARKIN_CHROMIUM comes first, and must exist", () => {
  expect(findChromium({ NEARKIN_CHROMIUM: process.execPath }, [])).toBe(process.execPath);
  expect(() => findChromium({ NEARKIN_CHROMIUM: "/nowhere" }, [process.execPath])).toThrowErrorMatchingInlineSnapshot(
    `[Error: NEARKIN_CHROMIUM is /nowhere, but there is no such file]`,
  );
});

test("without a browser: aloud on a desk, an error in CI", () => {
  const warn = vi.spyOn(console, "warn").mockReturnValue();
  expect(findChromium({}, [])).toBeUndefined();
  expect(warn.mock.calls).toMatchInlineSnapshot(`
    [
      [
        "The browser tests are SKIPPED: no Chromium found; install one (\`apt-get install chromium\`) or set NEARKIN_CHROMIUM to its path",
      ],
    ]
  `);
  expect(() => findChromium({ CI: "true" }, [])).toThrowErrorMatchingInlineSnapshot(
    `[Error: no Chromium found, and CI=true demands the browser tests: install one (\`apt-get install chromium\`) or set NEARKIN_CHROMIUM to its path]`,
  );
});
