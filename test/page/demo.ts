// The demo that all of these tests look at, made once for all files: `nearkin demo` with its page, less thoroughly trained, by the engine that
// computes the same bits on every machine.
//   NEARKIN_PAGE_DEMO=/a/folder npx vitest run --project page     keeps it there, and takes it the next time
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { TestProject } from "vitest/node";
import { anyPort, startNearkin } from "./nearkin.ts";

declare module "vitest" {
  interface ProvidedContext {
    demo: Demo;
  }
}

interface Demo {
  readonly url: string;
  /** Where its models and results lie. */
  readonly folder: string;
}

const training = `
train:
  preset: fast
  siamese: { steps: 100 }
  ssl: { steps: 80 }
`;

export default async function makeDemo(project: TestProject): Promise<() => Promise<void>> {
  execFileSync(process.execPath, [fileURLToPath(new URL("../../scripts/build-page.mjs", import.meta.url))]);
  const kept = process.env.NEARKIN_PAGE_DEMO;
  const folder = kept || mkdtempSync(join(tmpdir(), "nearkin-page-"));
  mkdirSync(folder, { recursive: true });
  const config = join(folder, "nearkin.yaml");
  writeFileSync(config, training);
  const started = performance.now();
  const demo = await startNearkin(
    ["demo", "--engine", "wasm", "--config", config, "--out", folder, "--port", String(await anyPort())],
    /^ {2}(http:\S+?)\/?\n[\s\S]*Ctrl-C ends it/m,
  );
  console.log(`page: the demo is at ${demo.url} after ${((performance.now() - started) / 1000).toFixed(0)} s`);
  project.provide("demo", { url: demo.url, folder });
  return async () => {
    await demo.end();
    if (!kept) rmSync(folder, { recursive: true, force: true });
  };
}
