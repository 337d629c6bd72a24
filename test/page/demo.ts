// The demo that all of these tests look at, made once for all files: `nearkin demo` with its page, less thoroughly trained, by the engine that
// computes the same bits on every machine. It is made while other projects run; a file of this project waits for it (visits.ts).
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
  /** Holds its models and results, and `failed.txt` if it could not be made. */
  readonly folder: string;
}

const training = `
train:
  preset: fast
  siamese: { steps: 100 }
  ssl: { steps: 80 }
`;

export default async function makeDemo(project: TestProject): Promise<() => Promise<void>> {
  execFileSync(process.execPath, [fileURLToPath(new URL("../../scripts/build-page.mjs", import.meta.url))], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  const kept = process.env.NEARKIN_PAGE_DEMO;
  const folder = kept || mkdtempSync(join(tmpdir(), "nearkin-page-"));
  mkdirSync(folder, { recursive: true });
  const config = join(folder, "nearkin.yaml");
  writeFileSync(config, training);
  const port = await anyPort();
  const demo = startNearkin(
    ["demo", "--engine", "wasm", "--workers", "1", "--config", config, "--out", folder, "--port", String(port)],
    /^ {2}(http:\S+?)\/?\n[\s\S]*Ctrl-C ends it/m,
  );
  demo.listening.catch((error: unknown) => writeFileSync(join(folder, "failed.txt"), String(error)));
  project.provide("demo", { url: `http://127.0.0.1:${port}`, folder });
  return async () => {
    await demo.end();
    if (!kept) rmSync(folder, { recursive: true, force: true });
  };
}
