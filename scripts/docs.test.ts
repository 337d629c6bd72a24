// Documentation must not drift: tables are those of the stored results, links lead somewhere, the first programs of pages run, and
// docs/data.md knows every key, step and warning there is.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { report as encode } from "../bench/encode-report.ts";
import { report as evaluate } from "../bench/evaluate-report.ts";
import { report as linalg } from "../bench/linalg-report.ts";
import { report as personalize } from "../bench/personalize-report.ts";
import { report as prepare } from "../bench/prepare-report.ts";
import { report as scale } from "../bench/scale-report.ts";
import { report as serve } from "../bench/serve-report.ts";
import { report as train } from "../bench/train-report.ts";
import { configSchema } from "../packages/data/src/config/schema.ts";
import { readResults } from "./results.ts";
import { resultsPage } from "./results-page.ts";
import { ownTable } from "./results-users.ts";
import { taylorTable } from "./taylor-error.ts";

const root = join(import.meta.dirname, "..");
const read = (path: string) => readFileSync(join(root, path), "utf8");

test.each([
  ["encode", encode, "docs/benchmarks.md"],
  ["evaluate", evaluate, "docs/benchmarks.md"],
  ["linalg", linalg, "docs/benchmarks.md"],
  ["personalize", personalize, "docs/benchmarks.md"],
  ["prepare", prepare, "docs/benchmarks.md"],
  ["scale", scale, "docs/scaling.md"],
  ["serve", serve, "docs/benchmarks.md"],
  ["train", train, "docs/benchmarks.md"],
] as [suite: string, report: (result: never) => string, page: string][])(
  "the tables of the suite %s are those of bench/results",
  (suite, report, page) => {
    const result = JSON.parse(read(`bench/results/${suite}.json`)) as never;
    const block = new RegExp(`<!-- bench:${suite} -->\n([\\s\\S]*?)<!-- /bench:${suite} -->`).exec(read(page))?.[1];
    expect(block?.trim()).toBe(report(result));
  },
);

test("the errors of Lemma 1 in docs/personalisation.md are those that npm run taylor-error prints", async () => {
  const block = read("docs/personalisation.md").match(/<!-- taylor -->\n([\s\S]*?)\n<!-- \/taylor -->/)?.[1];
  expect(block).toBe(await taylorTable());
});

test("docs/results.md is what was measured, written down: npm run results", () => {
  const results = readResults();
  expect(read("docs/results.md")).toBe(resultsPage(results));
  const block = read("docs/personalisation.md").match(/<!-- own -->\n([\s\S]*?)\n<!-- \/own -->/)?.[1];
  expect(block).toBe(ownTable(results.personal.default));
});

const pages = [
  ...readdirSync(root).filter((name) => name.endsWith(".md")),
  ...readdirSync(join(root, "docs")).flatMap((name) => (name.endsWith(".md") ? [`docs/${name}`] : [])),
  ...readdirSync(join(root, "packages")).map((name) => `packages/${name}/README.md`),
];

/** The anchors that GitHub gives to a page's headings. */
function anchorsOf(page: string): string[] {
  const headings = Array.from(page.matchAll(/^#+ (.*)$/gm), ([, text]) => text);
  return headings.map((text) =>
    text
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-"),
  );
}

test.each(pages)("links in %s lead to a file, and to a heading of it", (page) => {
  const text = read(page).replaceAll(/```[\s\S]*?```/g, "");
  for (const [, file, anchor] of text.matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)/g)) {
    const target = file === "" ? page : join(page, "..", file);
    expect(existsSync(join(root, target)), `${page} → ${target}`).toBe(true);
    if (anchor) expect(anchorsOf(read(target)), `${page} → ${target}`).toContain(anchor);
  }
});

test("docs/README.md leads to every page of docs/", () => {
  const index = read("docs/README.md");
  const names = readdirSync(join(root, "docs")).filter((name) => name.endsWith(".md") && name !== "README.md");
  expect(names.filter((name) => !index.includes(`](${name}`))).toEqual([]);
});

test("pictures say what they show, and are small enough to be cloned", () => {
  const shown = ["README.md", "docs/page.md"].flatMap((page) =>
    Array.from(read(page).matchAll(/!\[([^\]]*)\]\(([^)]+)\)/g), ([, alt, file]) => ({
      alt,
      file: join(page, "..", file),
    })),
  );
  expect([...new Set(shown.map(({ file }) => file))].sort()).toEqual(
    readdirSync(join(root, "docs/img"), { encoding: "utf8" })
      .map((name) => `docs/img/${name}`)
      .sort(),
  );
  for (const { alt, file } of shown) {
    expect(alt.length, file).toBeGreaterThan(40);
    expect(statSync(join(root, file)).size, file).toBeLessThan(150_000);
  }
});

test.each(["docs/linalg.md", "docs/data.md", "docs/training.md"])(
  "the first program in %s prints what it says",
  (page) => {
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
  },
);

interface JsonSchema {
  properties?: Record<string, JsonSchema>;
  additionalProperties?: JsonSchema | boolean;
  oneOf?: JsonSchema[];
}

/** Every key of a schema, however deep. */
function keysOf({ properties = {}, additionalProperties, oneOf = [] }: JsonSchema): string[] {
  const inner = typeof additionalProperties === "object" ? keysOf(additionalProperties) : [];
  return [...Object.keys(properties), ...Object.values(properties).flatMap(keysOf), ...inner, ...oneOf.flatMap(keysOf)];
}

test("docs/data.md has every key of nearkin.yaml, every step and every warning", () => {
  const page = read("docs/data.md");
  const keys = new Set(keysOf(configSchema.toJSONSchema({ io: "input" }) as JsonSchema));
  expect(keys.size).toBeGreaterThan(50);
  const missing = [...keys].filter((key) => !new RegExp(`[\`.]${key}\``).test(page));
  expect(missing).toEqual([]);
  const steps = readdirSync(join(root, "packages/data/sql"));
  expect(steps.filter((step) => !page.includes(`(../packages/data/sql/${step})`))).toEqual([]);
  const union = read("packages/data/src/inspect/warning.ts").match(/type WarningCode =([^;]*);/)?.[1] ?? "";
  const codes = [...union.matchAll(/"([A-Z0-9_]+)"/g)].map((m) => m[1]);
  expect(codes.length).toBeGreaterThan(10);
  expect([...page.matchAll(/^\| `([A-Z][A-Z0-9_]+)` \|/gm)].map((m) => m[1])).toEqual(codes);
});
