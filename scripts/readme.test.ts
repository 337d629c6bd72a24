// README.md must not drift: its benchmark table is the one in bench/results, and its links lead somewhere.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
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

test.each(["README.md", "docs/linalg.md"])("the first program in %s runs and prints what it says", (page) => {
  const program = read(page).match(/```ts\n([\s\S]*?)```/)?.[1] ?? "";
  const file = join(root, ".cache", `sample-${page.replace(/\W/g, "-")}.ts`);
  mkdirSync(join(root, ".cache"), { recursive: true });
  writeFileSync(file, program);
  const printed = execFileSync(process.execPath, ["--conditions=@nearkin/source", "--import", "tsx", file], {
    cwd: root,
    encoding: "utf8",
  });
  const said = [...program.matchAll(/console\.log\(.*\); \/\/ (.*)/g)].map((m) => `${m[1]}\n`).join("");
  expect(printed).toBe(said);
});
