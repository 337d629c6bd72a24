// Examples in comments are true: the code of every @example runs, and each line that ends in `// => value` must give that value.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { expect, test } from "vitest";
import * as core from "./index.ts";

const folder = fileURLToPath(new URL(".", import.meta.url));

interface Example {
  title: string;
  code: string;
}

/** The @example blocks of one file, each up to the next tag or the end of its comment. */
function examplesOf(path: string): Example[] {
  const text = readFileSync(join(folder, path), "utf8");
  return [...text.matchAll(/^[ \t]*\* @example\n((?:[ \t]*\*(?!\/| @).*\n)+)/gm)].map((match) => ({
    title: `${path}:${text.slice(0, match.index).split("\n").length + 1}`,
    code: match[1].replace(/^[ \t]*\* ?/gm, ""),
  }));
}

/** `expression // => value` becomes a check; all other lines stay as they are. */
function checked(code: string): string {
  return code.replace(
    /^(.*?);?[ \t]*\/\/ =>[ \t]*(.*)$/gm,
    (_, expression, value) => `check(${expression}, ${value});`,
  );
}

const examples = readdirSync(folder, { recursive: true, encoding: "utf8" })
  .filter((path) => path.endsWith(".ts") && !path.endsWith(".test.ts"))
  .flatMap(examplesOf);

test("there are examples", () => {
  expect(examples.length).toBeGreaterThanOrEqual(4);
});

test.each(examples)("$title", async ({ code }) => {
  expect(code).toContain("// =>");
  let checks = 0;
  const check = (actual: unknown, expected: unknown) => {
    checks++;
    expect(actual).toEqual(expected);
  };
  const options = { target: ts.ScriptTarget.ES2022 };
  const body = ts.transpile(`async function example() { ${checked(code)} }`, options);
  const run = new Function("check", ...Object.keys(core), `${body}; return example();`);
  await run(check, ...Object.values(core));
  expect(checks).toBe(code.match(/\/\/ =>/g)?.length);
});
