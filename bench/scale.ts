// Beyond one machine, on one: what preparation and personalisation cost on a Spark cluster of one and of two workers beside what they cost without
// Spark, and what each further server over one PostgreSQL costs. Parts that a run leaves out keep their earlier results.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { machine, writePage, writeResult } from "./harness.ts";
import type { BenchOptions } from "./run.ts";
import { measurePersonalize } from "./scale-personalize.ts";
import { measurePrepare } from "./scale-prepare.ts";
import { measureReplicas } from "./scale-replicas.ts";
import { report, type ScaleResult } from "./scale-report.ts";

const USERS = 300_000; // starting must be the smaller part of what is measured

export async function run({ rounds, write, rows, parts }: BenchOptions): Promise<void> {
  const result = earlier();
  const asks = (name: string) => parts.some((part) => part === name);
  const taken = () => ({ date: new Date().toISOString().slice(0, 10), machine: machine() });
  // Saved after each: a part takes minutes.
  if (asks("prepare")) save({ prepare: { ...taken(), ...(await measurePrepare({ rows })) } });
  if (asks("personalize")) save({ personalize: { ...taken(), ...(await measurePersonalize({ users: USERS })) } });
  if (asks("replicas")) save({ replicas: await measureReplicas({ rounds }) });
  process.stdout.write(`${report(result)}\n`);
  if (write) writePage("scale", report(result), "docs/scaling.md");

  function save(part: Partial<ScaleResult>): void {
    process.stderr.write(`written to ${writeResult("scale", Object.assign(result, part))}\n`);
  }
}

function earlier(): ScaleResult {
  const path = join(import.meta.dirname, "results", "scale.json");
  if (existsSync(path)) return JSON.parse(readFileSync(path, "utf8")) as ScaleResult;
  return { suite: "scale", prepare: null, personalize: null, replicas: null };
}
