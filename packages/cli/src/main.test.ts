import { expect, test } from "vitest";
import packageJson from "../package.json" with { type: "json" };
import { run } from "./testing/run.ts";

test("--version prints the version", async () => {
  expect(await run("--version")).toEqual({ code: 0, out: `${packageJson.version}\n`, err: "" });
});

test("--help shows examples", async () => {
  const { code, out, err } = await run("--help");
  expect(code).toBe(0);
  expect(out).toContain("Examples:\n  $ nearkin demo");
  expect(err).toBe("");
});

test("no command at all shows the help and is a usage error", async () => {
  const { code, out, err } = await run();
  expect({ code, out }).toEqual({ code: 2, out: "" });
  expect(err).toContain("Usage: nearkin");
});

test("a mistyped command suggests the nearest", async () => {
  expect(await run("engnies")).toMatchInlineSnapshot(`
    {
      "code": 2,
      "err": "USAGE: unknown command 'engnies'
    (Did you mean engines?)
    Try: nearkin --help
    ",
      "out": "",
    }
  `);
});

test("a mistyped option suggests the nearest and names the command's help", async () => {
  expect(await run("engines", "--jsno")).toMatchInlineSnapshot(`
    {
      "code": 2,
      "err": "USAGE: unknown option '--jsno'
    (Did you mean --json?)
    Try: nearkin engines --help
    ",
      "out": "",
    }
  `);
});

test("help of a command shows its examples", async () => {
  const { code, out } = await run("help", "engines");
  expect(code).toBe(0);
  expect(out).toContain("$ nearkin engines --json");
});
