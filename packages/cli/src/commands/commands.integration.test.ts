import { expect, test } from "vitest";
import { run } from "../testing/run.ts";

test("engines shows each engine with its speed, and a reason for one that is missing", async () => {
  const { code, out } = await run("engines");
  expect(code).toBe(0);
  expect(out).toMatch(/^wasm \(default\) +\d+ +\d+\.\d \/ \d+\.\d +\S+ +yes$/m);
  expect(out).toMatch(/^plain +1 /m);
  expect(out).toMatch(/^native +\d+ |native: not available\. .+/m);
});

test("engines --json is one document a program can read", async () => {
  const { out } = await run("engines", "--json");
  const { engines } = JSON.parse(out) as {
    engines: { engine: string; available: boolean; error?: number; info?: { reproducible: boolean } }[];
  };
  expect(engines.map((e) => e.engine)).toEqual(["wasm", "wasm-relaxed", "native", "plain"]);
  const wasm = engines[0];
  expect(wasm.available).toBe(true);
  expect(wasm.info?.reproducible).toBe(true);
  expect(wasm.error).toBeLessThan(1e-14);
});

test("a wrong engine or number of workers is a usage error that says what is right", async () => {
  const engine = await run("demo", "--engine", "cuda");
  expect({ code: engine.code, err: engine.err.split("\n")[0] }).toEqual({
    code: 2,
    err: "USAGE: option '--engine <kind>' argument 'cuda' is invalid. Allowed choices are auto, wasm, wasm-relaxed, native, plain.",
  });
  const workers = await run("demo", "--workers", "none");
  expect({ code: workers.code, err: workers.err.split("\n")[0] }).toEqual({
    code: 2,
    err: "USAGE: option '--workers <n>' argument 'none' is invalid. Expected a whole number of at least 1.",
  });
});

test("a seed that is none is refused", async () => {
  const { code, err } = await run("demo", "--seed", "x");
  expect({ code, err: err.split("\n")[0] }).toEqual({
    code: 2,
    err: "USAGE: option '--seed <n>' argument 'x' is invalid. Expected a whole number of at least 0.",
  });
});
