import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
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

test("the demo prepares the sample, trains, finds the true weights roughly, and gives similar films with reasons", async () => {
  const folder = mkdtempSync(join(tmpdir(), "nearkin-demo-"));
  try {
    const { code, out, err } = await run("demo", "--encoder", "lsa", "--out", folder);
    expect(code).toBe(0);
    expect(err).toMatch(/^ssl {5}done: /m);
    const [, correlation] = out.match(/correlation of learned and true weights: (\S+)/) ?? [];
    expect(Number(correlation)).toBeGreaterThan(0.5);
    const lines = out.split("\n").filter((line) => / distance \d+\.\d{3} {2}/.test(line));
    expect(lines).toHaveLength(12); // three neighbours of three films and of a draft
    for (const line of lines) {
      const shares = [...line.matchAll(/[a-z]+ (\d+) %/g)].map(([, share]) => Number(share));
      expect(shares.length).toBeGreaterThanOrEqual(5);
      expect(Math.abs(shares.reduce((sum, share) => sum + share, 0) - 100)).toBeLessThanOrEqual(3); // rounded
    }
    const [, typical] = out.match(/Two random films are about (\S+) apart/) ?? [];
    for (const first of [lines[0], lines[3], lines[6]]) {
      expect(Number(first.match(/ distance (\S+)/)?.[1])).toBeLessThan(Number(typical)); // what is shown is similar
    }
    expect(out).toMatch(/The Godfather Part II +distance/);
    expect(out).toMatch(/expected rating \d\.\d\d ± \d\.\d\d; not known of it: director, country/);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}, 240_000);

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
