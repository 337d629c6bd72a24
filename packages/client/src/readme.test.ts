// README.md must not drift from what it describes.
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { createClient } from "./client/client.ts";
import { allRoutes } from "./contract/routes.ts";
import { fieldOperators, filterLimits } from "./filter/filter.ts";
import { parseFilter } from "./filter/parse.ts";

const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
const code = Array.from(readme.matchAll(/`([^`\n]+)`/g), ([, text]) => text);

/** `items.similar`, `users.metric.get`, … */
function methodsOf(value: object, path: readonly string[] = []): string[][] {
  return Object.entries(value).flatMap(([name, inner]) =>
    typeof inner === "function" ? [[...path, name]] : methodsOf(inner, [...path, name]),
  );
}

test("every method of the client is named", () => {
  const named = new Set(
    code.flatMap((text) => text.match(/\w+(?:\.\w+)*/g) ?? []).flatMap((name) => [name, ...name.split(".")]),
  );
  const unnamed = methodsOf(createClient({ url: "/" })).filter((path) =>
    path.length < 3 ? !named.has(path[path.length - 1]) : !named.has(path.slice(1).join(".")),
  );
  expect(unnamed).toEqual([]);
});

test("every filter of the table is one, and every operator is in it", () => {
  const table = readme.match(/\| text \| JSON \|\n[\s\S]*?\n\n/)?.[0] ?? "";
  const filters = table.split("\n").flatMap((row) => row.split("|")[1]?.match(/`[^`]+`/g) ?? []);
  const whole = filters.map((text) => text.slice(1, -1)).filter((text) => !/^(?:[<>=]+|not in|.*….*)$/.test(text));
  expect(whole.length).toBeGreaterThan(12);
  for (const text of whole) parseFilter(text);
  for (const operator of [...fieldOperators, "all", "any", "not", "same", "seen", "added"])
    expect(table).toMatch(new RegExp(`\\b${operator}\\b`));
  parseFilter(readme.match(/\n```\n(genres[^`]*)```/)?.[1] ?? "");
});

test("the limits and what is not sent again are as it says", () => {
  const { nodes, depth, text } = filterLimits;
  expect(readme.replaceAll(/\s+/g, " ")).toContain(
    `at most ${nodes} parts, ${depth} levels and, as text, ${text.toLocaleString("en")} characters`,
  );
  expect(allRoutes.filter(({ idempotent }) => !idempotent).map(({ name }) => name)).toEqual([
    "rollbackModel",
    "createKey",
  ]);
});
