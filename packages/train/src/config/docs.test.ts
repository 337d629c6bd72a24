// docs/training.md must not drift: it has every key of `train:` with the values of every preset, every warning, event and column of the history.
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { presets } from "./presets.ts";
import { trainConfigSchema } from "./schema.ts";

const read = (path: string) => readFileSync(new URL(path, import.meta.url), "utf8");
const page = read("../../../../docs/training.md");

interface JsonSchema {
  properties?: Record<string, JsonSchema>;
}

/** Every key that holds a value, as a path: `siamese.steps`. */
function pathsOf({ properties = {} }: JsonSchema, before: readonly string[] = []): string[] {
  return Object.entries(properties).flatMap(([key, inner]) => {
    const path = [...before, key];
    return inner.properties ? pathsOf(inner, path) : [path.join(".")];
  });
}

const paths = pathsOf(trainConfigSchema.toJSONSchema() as JsonSchema);

/** Rows of the tables of keys: | `key` | type | default | fast | paper | meaning | */
const rows = new Map(
  [...page.matchAll(/^\| `([\w.]+)` \| ([^|]+) \| ([^|]*) \| ([^|]*) \| ([^|]*) \| (.+) \|$/gm)].map(
    ([, key, type, standard, fast, paper, meaning]) => [key, { type, values: [standard, fast, paper], meaning }],
  ),
);

test("the schema has the keys that are looked for", () => {
  expect(paths.length).toBeGreaterThan(50);
  expect(paths).toEqual(expect.arrayContaining(["seed", "model.link", "siamese.steps", "ssl.holdout"]));
});

test("docs/training.md has a row for every key of train:, and no other", () => {
  expect([...rows.keys()].sort()).toEqual([...paths].sort());
});

test.each(paths)("docs/training.md: the values of %s are those of the presets", (path) => {
  const valueIn = (preset: object) =>
    path.split(".").reduce((at, key) => (at as Record<string, unknown>)[key] as object, preset);
  const values = [presets.default, presets.fast, presets.paper].map((preset) => written(valueIn(preset)));
  expect(rows.get(path)?.values).toEqual(values);
  expect(rows.get(path)?.meaning.length).toBeGreaterThan(0);
});

/** A value as the page writes it: lists in brackets, everything else as it is. */
function written(value: unknown): string {
  return Array.isArray(value) ? `[${value.join(", ")}]` : String(value);
}

test("docs/training.md has every choice that a key offers", () => {
  const schema = trainConfigSchema.toJSONSchema() as JsonSchema;
  for (const path of paths) {
    const found = path.split(".").reduce((at: JsonSchema | undefined, key) => at?.properties?.[key], schema);
    for (const choice of (found as { enum?: string[] }).enum ?? []) {
      expect(rows.get(path)?.type, path).toContain(`\`${choice}\``);
    }
  }
});

test("docs/training.md has every warning, in the order of the code", () => {
  const union = read("../events.ts").match(/type WarningCode =([^;]*);/)?.[1] ?? "";
  const codes = [...union.matchAll(/"([A-Z0-9_]+)"/g)].map((m) => m[1]);
  expect(codes.length).toBeGreaterThan(5);
  expect([...page.matchAll(/^\| `([A-Z][A-Z0-9_]+)` \|/gm)].map((m) => m[1])).toEqual(codes);
});

test("docs/training.md has every event and every column of the history", () => {
  const events = [...read("../events.ts").matchAll(/type: "(\w+)"/g)].map((m) => m[1]);
  expect(events.length).toBeGreaterThan(7);
  expect(events.filter((type) => !page.includes(`| \`${type}\` |`))).toEqual([]);
  const columns = read("../run/history.ts").match(/const FIXED = \[([^\]]*)\]/)?.[1] ?? "";
  const names = [...columns.matchAll(/^ *"(\w+)"/gm)].map((m) => m[1]);
  expect(names.length).toBeGreaterThan(10);
  const table = page.slice(page.indexOf("| in `history.parquet` |"), page.indexOf("### From Python"));
  expect(names.filter((name) => !table.includes(`\`${name}\``))).toEqual([]);
});
