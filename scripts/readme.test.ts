// README.md must not drift: its benchmark table is the one in bench/results, and its links lead somewhere.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type LinalgResult, report } from "../bench/linalg-report.ts";

const root = join(import.meta.dirname, "..");
const read = (path: string) => readFileSync(join(root, path), "utf8");

test("the benchmark table in README.md is the one in bench/results/linalg.json", () => {
  const result = JSON.parse(read("bench/results/linalg.json")) as LinalgResult;
  const block = read("README.md")
    .match(/<!-- bench:linalg -->\n([\s\S]*?)<!-- \/bench:linalg -->/)?.[1]
    .trim();
  expect(block).toBe(report(result));
});

test.each([
  "README.md",
  "CONTRIBUTING.md",
  "docs/linalg.md",
  "docs/architecture.md",
  "docs/browser.md",
  "docs/errors.md",
])("links in %s exist", (page) => {
  const folder = join(page, "..");
  const targets = [...read(page).matchAll(/\]\((?!https?:)([^)#]+)/g)].map((m) => m[1]);
  for (const target of targets) expect(existsSync(join(root, folder, target)), `${page} → ${target}`).toBe(true);
});
