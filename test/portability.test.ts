// Core as it is built for users, everywhere it claims to run: one small program, by several bundlers and by none, in Node and in
// pages under different headers. Wherever the strict engine runs, its results are the same to the bit.
//   NEARKIN_NODE=/path/to/node24:/path/to/node22 npx vitest run --project portability     further versions of Node
import { execFile } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { type Browser, chromium } from "playwright";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { chromiumArguments, findChromium } from "../scripts/chromium.ts";
import { type Built, buildAll } from "./portability/build.ts";
import { type Headers, Pages, type Visit, type VisitOptions } from "./portability/pages.ts";
import type { Report } from "./portability/program.ts";

const isolated: Headers = {
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Embedder-Policy": "require-corp",
};

const policies = {
  isolated,
  credentialless: { ...isolated, "Cross-Origin-Embedder-Policy": "credentialless" },
  bare: {},
  strictest: {
    ...isolated,
    "Content-Security-Policy": "script-src 'self' 'wasm-unsafe-eval'; worker-src 'self' blob:",
  },
  noBlobs: { ...isolated, "Content-Security-Policy": "script-src 'self' 'wasm-unsafe-eval'" },
  trustedTypes: { ...isolated, "Content-Security-Policy": "require-trusted-types-for 'script'" },
  noWasm: { ...isolated, "Content-Security-Policy": "script-src 'self'" },
} satisfies Record<string, Headers>;

const bundleNames = ["unbundled", "vite", "esbuild-esm", "esbuild-iife", "rolldown"];

let root: string; // everything is built in here
let built: Built;
/** What Node computes with one thread: what everyone else must compute. */
let expected: Required<Pick<Report, "hash" | "values">>;
let expectedGrown: string;

beforeAll(async () => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "nearkin-portability-")));
  built = await buildAll(root);
  const { hash, values } = await runNode(process.execPath, built.node.esm, "workers=1&values");
  const grown = await runNode(process.execPath, built.node.esm, "scenario=grow&workers=1");
  expected = { hash: String(hash), values: values ?? [] };
  expectedGrown = String(grown.hash);
});

afterAll(() => {
  rmSync(root, { recursive: true, force: true });
});

/** A process of its own, which must end by itself and in silence. */
async function runNode(node: string, file: string, orders: string): Promise<Report> {
  const { stdout, stderr } = await promisify(execFile)(node, [file, orders], { maxBuffer: 2 ** 24 });
  expect(stderr).toBe("");
  return JSON.parse(stdout);
}

function strict(workers: number, sharedMemory: boolean, ...notes: unknown[]) {
  return { kind: "wasm", workers, sharedMemory, reproducible: true, notes };
}

/** Largest difference, relative where values are large. */
function difference(a: readonly number[] | undefined, b: readonly number[]): number {
  if (a?.length !== b.length) return Number.POSITIVE_INFINITY;
  return a.reduce((worst, x, i) => Math.max(worst, Math.abs(x - b[i]) / Math.max(1, Math.abs(b[i]))), 0);
}

const nodes = [process.execPath, ...(process.env.NEARKIN_NODE ?? "").split(delimiter).filter(Boolean)];

describe.each(nodes)("Node %s", (node) => {
  test.each(["esm", "commonjs"] as const)("%s: the same bits with 1, 2 and 3 threads", async (format) => {
    for (const workers of [1, 2, 3]) {
      const report = await runNode(node, built.node[format], `workers=${workers}`);
      expect(report).toMatchObject({ info: strict(workers, true), hash: expected.hash, afterClose: "ENGINE_CLOSED" });
      expect(report.wakes > 0).toBe(workers > 1);
    }
  });

  test("ends by itself when an engine was left open", async () => {
    const report = await runNode(node, built.node.esm, "workers=2&close=no");
    expect(report).toMatchObject({ info: strict(2, true), hash: expected.hash });
  });

  test("relaxed arithmetic agrees to rounding", async () => {
    const report = await runNode(node, built.node.esm, "engine=wasm-relaxed&workers=2&values");
    expect(report).toMatchObject({ info: { kind: "wasm-relaxed", workers: 2, reproducible: false, notes: [] } });
    expect(difference(report.values, expected.values)).toBeLessThan(1e-12);
  });

  test.each(["reproducible", "fastest"])(
    "no WebAssembly at all, %s: plain TypeScript that says why",
    async (policy) => {
      const report = await runNode(node, built.node.esm, `workers=2&without=WebAssembly&values&policy=${policy}`);
      expect(report.info).toMatchObject({
        kind: "plain",
        notes: [expect.stringContaining("WebAssembly is not defined")],
      });
      expect(difference(report.values, expected.values)).toBeLessThan(1e-12);
    },
  );

  test.each([true, false])("memory grows (shared: %s)", async (shared) => {
    const report = await runNode(node, built.node.esm, `scenario=grow&workers=2&shared=${shared}`);
    expect(report.error).toBeUndefined();
    expect(report).toMatchObject({ info: { sharedMemory: shared }, hash: expectedGrown, afterClose: "ENGINE_CLOSED" });
  });

  test("twenty engines one after the other", async () => {
    const report = await runNode(node, built.node.esm, "scenario=reopen&times=20&workers=2");
    expect(report).toMatchObject({ info: strict(2, true), hash: expected.hash, afterClose: "ENGINE_CLOSED" });
  });
});

const executablePath = findChromium(process.env, { onMissing: () => {} }); // vitest.config.ts has said it

describe.skipIf(!executablePath)(`Chromium${executablePath ? "" : " (skipped: no Chromium)"}`, () => {
  let browser: Browser;
  let pages: Pages;

  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: String(executablePath), args: chromiumArguments });
    pages = await Pages.open(browser, built.bundles, policies);
  });

  afterAll(async () => {
    await pages?.close();
    await browser?.close();
  });

  /** A visit that may leave nothing uncaught. */
  async function visit(
    policy: keyof typeof policies,
    bundle: string,
    orders: string,
    options?: VisitOptions,
  ): Promise<Visit> {
    const visited = await pages.visit(policy, bundle, orders, options);
    expect(visited.uncaught).toEqual([]);
    return visited;
  }

  describe.each(bundleNames)("%s", (bundle) => {
    test("isolated: two threads, the same bits", async () => {
      const { report, complaints, workersLeft } = await visit("isolated", bundle, "workers=2");
      expect(report).toMatchObject({ info: strict(2, true), hash: expected.hash, sleeps: 0, workers: 1, blobs: 0 });
      expect(report.wakes).toBeGreaterThan(0);
      expect(complaints).toEqual([]);
      expect(workersLeft).toBe(0);
    });

    test("isolated, in a dedicated worker: it may sleep while others work", async () => {
      const { report, complaints } = await visit("isolated", bundle, "workers=2", { inWorker: true });
      expect(report).toMatchObject({ info: strict(2, true), hash: expected.hash });
      expect(report.wakes).toBeGreaterThan(0);
      expect(report.sleeps).toBeGreaterThan(0);
      expect(complaints).toEqual([]);
    });

    test("not isolated: one thread that says why, the same bits", async () => {
      const { report, complaints, workersLeft } = await visit("bare", bundle, "workers=2");
      const why = "one thread only: memory cannot be shared here (a page must be cross-origin isolated)";
      expect(report).toMatchObject({ info: strict(1, false, why), hash: expected.hash, wakes: 0, workers: 0 });
      expect(complaints).toEqual([]);
      expect(workersLeft).toBe(0);
    });

    test("the recommended Content-Security-Policy costs nothing", async () => {
      const { report, complaints } = await visit("strictest", bundle, "workers=2");
      expect(report).toMatchObject({ info: strict(2, true), hash: expected.hash });
      expect(complaints).toEqual([]);
    });
  });

  // What the engine meets below does not depend on how it was bundled: the commonest bundle stands for all.
  describe("vite, less common", () => {
    const bundle = "vite";

    test("isolated with credentialless embedding", async () => {
      const { report } = await visit("credentialless", bundle, "workers=2");
      expect(report).toMatchObject({ info: strict(2, true), hash: expected.hash });
    });

    test.each([false, true])(
      "no workers from blobs (worker-src): one thread, no hang (in a worker: %s)",
      async (inWorker) => {
        const { report } = await visit("noBlobs", bundle, "workers=2", { inWorker });
        const why = "one thread only: workers may not start here (worker-src)";
        expect(report).toMatchObject({ info: strict(1, true, why), hash: expected.hash, wakes: 0, blobs: 0 });
      },
    );

    test.each([
      ["Worker", "Worker is not defined"],
      ["luck", "Uncaught Error: bad luck"],
    ])("workers that do not start (without %s): one thread", async (what, message) => {
      const { report, complaints } = await visit("isolated", bundle, `workers=2&without=${what}`);
      expect(report).toMatchObject({
        info: strict(1, true, `one thread only: ${message}`),
        hash: expected.hash,
        blobs: 0,
      });
      expect(complaints).toEqual([]);
    });

    test("trusted types: one thread", async () => {
      const { report } = await visit("trustedTypes", bundle, "workers=2");
      const why = expect.stringMatching(/^one thread only: .*TrustedScriptURL/);
      expect(report).toMatchObject({ info: strict(1, true, why), hash: expected.hash, blobs: 0 });
    });

    test.each(["reproducible", "fastest"])(
      "no 'wasm-unsafe-eval', %s: plain TypeScript that says why",
      async (policy) => {
        const { report } = await visit("noWasm", bundle, `workers=2&values&policy=${policy}`);
        const why =
          /^plain TypeScript instead of WebAssembly: WebAssembly could not be compiled \(.+\); a page needs script-src 'wasm-unsafe-eval', or use the engine plain$/;
        expect(report.info).toEqual({
          kind: "plain",
          workers: 1,
          sharedMemory: false,
          reproducible: false,
          notes: [expect.stringMatching(why)],
        });
        expect(difference(report.values, expected.values)).toBeLessThan(1e-12);
      },
    );

    test.each(["wasm", "wasm-relaxed"])(
      "no 'wasm-unsafe-eval', asked for %s: an error that says why",
      async (engine) => {
        const { report } = await visit("noWasm", bundle, `workers=2&engine=${engine}`);
        expect(report.error).toEqual({
          name: "NearkinError",
          code: "ENGINE_UNAVAILABLE",
          message: expect.stringMatching(
            /^WebAssembly could not be compiled \(.+\); a page needs script-src 'wasm-unsafe-eval', or use the engine plain$/,
          ),
        });
      },
    );

    test("relaxed arithmetic agrees to rounding", async () => {
      const { report } = await visit("isolated", bundle, "engine=wasm-relaxed&workers=2&values");
      expect(report).toMatchObject({ info: { kind: "wasm-relaxed", workers: 2, reproducible: false, notes: [] } });
      expect(difference(report.values, expected.values)).toBeLessThan(1e-12);
    });

    test.each(["isolated", "bare"] as const)("memory grows (%s)", async (policy) => {
      const { report } = await visit(policy, bundle, "scenario=grow&workers=2");
      expect(report.error).toBeUndefined();
      expect(report).toMatchObject({
        info: { sharedMemory: policy === "isolated" },
        hash: expectedGrown,
        afterClose: "ENGINE_CLOSED",
      });
    });

    test("close ends the workers; without it they stay", async () => {
      const closed = await visit("isolated", bundle, "workers=3");
      expect(closed).toMatchObject({ report: { afterClose: "ENGINE_CLOSED", workers: 2 }, workersLeft: 0 });
      const open = await visit("isolated", bundle, "workers=3&close=no", { workersKept: 2 });
      expect(open).toMatchObject({ report: { workers: 2 }, workersLeft: 2 });
    });

    test.each(["isolated", "bare"] as const)("twenty engines one after the other (%s)", async (policy) => {
      const { report, workersLeft } = await visit(policy, bundle, "scenario=reopen&times=20&workers=2");
      expect(report).toMatchObject({ hash: expected.hash, afterClose: "ENGINE_CLOSED" });
      expect(report.error).toBeUndefined();
      expect(report.workers).toBe(policy === "isolated" ? 20 : 0);
      expect(workersLeft).toBe(0);
    });
  });
});
