// How fast training is: (A) its steps against PyTorch, (B) a whole run on real ratings, (C) catalogues of up to a million items.
// Parts that a run leaves out keep their earlier results.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { writePage, writeResult } from "./harness.ts";
import type { BenchOptions } from "./run.ts";
import { report, type TrainResult, verdictTable } from "./train-report.ts";
import { timeScale } from "./train-scale.ts";
import { timeSteps } from "./train-steps.ts";
import { timeWhole } from "./train-whole.ts";
import { repository } from "./train-work.ts";

const SCALE_STEPS = 20;

export async function run({ rounds, write, parts, engine, steps }: BenchOptions): Promise<void> {
  const result = earlier();
  if (parts.includes("steps")) result.steps = await timeSteps(rounds);
  if (parts.includes("whole")) result.whole = (await timeWhole(engine, steps)) ?? result.whole;
  if (parts.includes("scale")) result.scale = await timeScale({ engine, steps: steps ?? SCALE_STEPS });
  const path = writeResult("train", result);
  process.stdout.write(`${report(result)}\n\n${verdictTable(result)}\n\nwritten to ${path}\n`);
  if (write) writePage("train", report(result));
}

function earlier(): TrainResult {
  const path = join(repository, "bench", "results", "train.json");
  if (!existsSync(path)) return { suite: "train", steps: null, whole: null, scale: null };
  return JSON.parse(readFileSync(path, "utf8")) as TrainResult;
}
