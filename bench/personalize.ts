// Metrics of users: (A) fits against PyTorch, (B) one user in a browser, (C) the memory of the filter over many users. Parts that a run leaves out keep
// their earlier results.
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { writePage, writeResult } from "./harness.ts";
import { timeInBrowser } from "./personalize-browser.ts";
import { timeFits } from "./personalize-fits.ts";
import { watchMemory } from "./personalize-memory.ts";
import { makeUsersDataset } from "./personalize-models.ts";
import { type PersonalizeResult, report } from "./personalize-report.ts";
import type { BenchOptions } from "./run.ts";

export async function run({ rounds, write, parts }: BenchOptions): Promise<void> {
  const result = earlier();
  if (parts.includes("fits")) result.fits = await timeFits(rounds);
  if (parts.includes("browser") || parts.includes("memory")) {
    const folder = mkdtempSync(join(tmpdir(), "nearkin-bench-"));
    try {
      const dataset = await makeUsersDataset(folder);
      if (parts.includes("browser")) result.browser = (await timeInBrowser(folder, dataset)) ?? result.browser;
      if (parts.includes("memory")) result.memory = (await watchMemory(folder, dataset)) ?? result.memory;
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
  const path = writeResult("personalize", result);
  process.stdout.write(`${report(result)}\n\nwritten to ${path}\n`);
  if (write) writePage("personalize", report(result));
}

function earlier(): PersonalizeResult {
  const path = join(import.meta.dirname, "results", "personalize.json");
  if (!existsSync(path)) return { suite: "personalize", fits: null, browser: null, memory: null };
  return JSON.parse(readFileSync(path, "utf8")) as PersonalizeResult;
}
