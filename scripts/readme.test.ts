// README.md and docs/ must not drift: the benchmark table is the one in bench/results, links lead somewhere, first programs run, and
// docs/data.md knows every key, step and warning there is.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { type EncodeResult, report as encodeReport } from "../bench/encode-report.ts";
import { type EvaluateResult, report as evaluateReport } from "../bench/evaluate-report.ts";
import { type LinalgResult, report } from "../bench/linalg-report.ts";
import { type PersonalizeResult, report as personalizeReport } from "../bench/personalize-report.ts";
import { type PrepareResult, report as prepareReport } from "../bench/prepare-report.ts";
import { type TrainResult, report as trainReport } from "../bench/train-report.ts";
import { configSchema } from "../packages/data/src/config/schema.ts";
import { readResults } from "./results.ts";
import { resultsPage } from "./results-page.ts";
import { ownTable } from "./results-users.ts";
import { taylorTable } from "./taylor-error.ts";

const root = join(import.meta.dirname, "..");
const read = (path: string) => readFileSync(join(root, path), "utf8");

vi.setConfig({ testTimeout: 60_000 }); // programs start engines and databases, on a machine that may be busy

test("the benchmark table in README.md is the one in bench/results/linalg.json", () => {
  const result = JSON.parse(read("bench/results/linalg.json")) as LinalgResult;
  const block = read("README.md")
    .match(/<!-- bench:linalg -->\n([\s\S]*?)<!-- \/bench:linalg -->/)?.[1]
    .trim();
  expect(block).toBe(report(result));
});

test("the figures of prepare in README.md are those in bench/results/prepare.json", () => {
  const result = JSON.parse(read("bench/results/prepare.json")) as PrepareResult;
  const block = read("README.md")
    .match(/<!-- bench:prepare -->\n([\s\S]*?)<!-- \/bench:prepare -->/)?.[1]
    .trim();
  expect(block).toBe(prepareReport(result));
});

test("the figures of encoding in README.md are those in bench/results/encode.json", () => {
  const result = JSON.parse(read("bench/results/encode.json")) as EncodeResult;
  const block = read("README.md")
    .match(/<!-- bench:encode -->\n([\s\S]*?)<!-- \/bench:encode -->/)?.[1]
    .trim();
  expect(block).toBe(encodeReport(result));
});

test("the figures of training in README.md are those in bench/results/train.json", () => {
  const result = JSON.parse(read("bench/results/train.json")) as TrainResult;
  const block = read("README.md")
    .match(/<!-- bench:train -->\n([\s\S]*?)<!-- \/bench:train -->/)?.[1]
    .trim();
  expect(block).toBe(trainReport(result));
});

test("the figures of evaluation in README.md are those in bench/results/evaluate.json", () => {
  const result = JSON.parse(read("bench/results/evaluate.json")) as EvaluateResult;
  const block = read("README.md")
    .match(/<!-- bench:evaluate -->\n([\s\S]*?)<!-- \/bench:evaluate -->/)?.[1]
    .trim();
  expect(block).toBe(evaluateReport(result));
});

test("the figures of personalisation in README.md are those in bench/results/personalize.json", () => {
  const result = JSON.parse(read("bench/results/personalize.json")) as PersonalizeResult;
  const block = read("README.md")
    .match(/<!-- bench:personalize -->\n([\s\S]*?)<!-- \/bench:personalize -->/)?.[1]
    .trim();
  expect(block).toBe(personalizeReport(result));
});

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

test.each([
  "README.md",
  "CONTRIBUTING.md",
  "docs/linalg.md",
  "docs/data.md",
  "docs/sample.md",
  "docs/training.md",
  "docs/method.md",
  "docs/deviations.md",
  "docs/evaluation.md",
  "docs/results.md",
  "docs/personalisation.md",
  "docs/theory.md",
  "docs/architecture.md",
  "docs/browser.md",
  "docs/errors.md",
  "docs/nightly.md",
  "docs/api.md",
  "docs/operations.md",
])("links in %s exist", (page) => {
  const folder = join(page, "..");
  const targets = [...read(page).matchAll(/\]\((?!https?:)([^)#]+)/g)].map((m) => m[1]);
  for (const target of targets) expect(existsSync(join(root, folder, target)), `${page} → ${target}`).toBe(true);
});

test("pictures of the README say what they show, and are small enough to be cloned", () => {
  const shown = [...read("README.md").matchAll(/!\[([^\]]*)\]\((docs\/img\/[^)]+)\)/g)].map(([, alt, file]) => ({
    alt,
    file,
  }));
  expect(shown.map(({ file }) => file.replace("docs/img/", "")).sort()).toEqual(
    readdirSync(join(root, "docs/img")).sort(),
  );
  for (const { alt, file } of shown) {
    expect(alt.length, file).toBeGreaterThan(40);
    expect(statSync(join(root, file)).size, file).toBeLessThan(150_000);
  }
});

test.each(["README.md", "docs/linalg.md", "docs/data.md", "docs/training.md"])(
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
