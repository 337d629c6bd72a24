// Ranking test items among 160,000 candidates and measuring their lists, as `nearkin evaluate` does it, against the time in which memory can be
// read: all rows once for each query. Every list is exact, and the same on all engines.
import { createEngine, type EngineKind, type LiftedRows } from "@nearkin/core";
import { cosines, metricRecommender, type Recommender } from "@nearkin/evaluate";
import { openBlas } from "@nearkin/native";
import { measureRecommender } from "../packages/evaluate/src/evaluate.ts";
import { type EvaluateCase, type EvaluateResult, report, verdictTable } from "./evaluate-report.ts";
import { type Catalogue, contentCatalogue, ITEMS, modelCatalogue, placeCatalogue } from "./evaluate-world.ts";
import { best, machine, time, writePage, writeResult } from "./harness.ts";
import { memoryReader } from "./memory-read.ts";
import type { BenchOptions } from "./run.ts";

const READS = 5; // of the memory, in each round
const KINDS: readonly EngineKind[] = ["wasm", "wasm-relaxed", "native"];

interface Case {
  name: string;
  catalogue: Catalogue;
  recommender(rows: LiftedRows): Recommender;
}

/** Made one after the other: each takes a few hundred megabytes. */
const cases: readonly ((queries: number) => Case)[] = [
  (queries) => ({
    name: "model of four channels, with popularity",
    catalogue: modelCatalogue(queries),
    recommender: (rows) =>
      metricRecommender(rows, { name: "model", weights: [0.4, 0.3, 0.2, 0.1], temperature: 0.2, popularity: 0.25 }),
  }),
  (queries) => cosineCase(contentCatalogue(queries, 500)),
  (queries) => cosineCase(contentCatalogue(queries)),
];

function cosineCase(catalogue: Catalogue): Case {
  return {
    name: `cosine of categories, ${catalogue.kinds.toLocaleString("en")} kinds`,
    catalogue,
    recommender: (rows) => cosines({ channels: ["categories", "text"], rows })[0],
  };
}

export async function run({ rounds, queries, write }: BenchOptions): Promise<void> {
  const info = machine();
  const results: EvaluateCase[] = [];
  for (const make of cases) results.push(await contend(make(queries), { rounds, workers: info.cores }));
  process.stderr.write("\r\u001b[K");
  const result: EvaluateResult = {
    suite: "evaluate",
    date: new Date().toISOString().slice(0, 10),
    machine: info,
    rounds,
    items: ITEMS,
    queries,
    cases: results,
  };
  const path = writeResult("evaluate", result);
  process.stdout.write(`${report(result)}\n\n${verdictTable(result)}\n\nwritten to ${path}\n`);
  if (write) writePage("evaluate", report(result));
}

/** All engines and the memory in turn, round after round. */
async function contend(
  { name, catalogue, recommender }: Case,
  { rounds, workers }: { rounds: number; workers: number },
): Promise<EvaluateCase> {
  const { layout, truth, events } = catalogue;
  const rowBytes = ITEMS * layout.width * 4;
  const reader = await memoryReader(rowBytes, workers);
  const engines = [];
  for (const kind of KINDS) {
    const engine = await createEngine({ engine: kind, workers, native: openBlas }).catch((error: Error) => {
      process.stderr.write(`${kind} takes no part: ${error.message}\n`);
      return undefined;
    });
    if (!engine) continue;
    const scope = engine.scope();
    engines.push({ kind, engine, scope, ranked: recommender(placeCatalogue(engine, scope, catalogue)) });
  }
  const reads: number[] = [];
  const times: Record<string, number[]> = {};
  const figures = new Set<string>(); // one, if all engines agree
  let ties = 0;
  for (let round = 0; round < rounds; round++) {
    process.stderr.write(`\r\u001b[K${name}: round ${round + 1} of ${rounds}`);
    reads.push(...time(READS, () => reader.read()));
    for (const { kind, ranked } of engines) {
      const started = performance.now();
      const { truths, catalogue: shown } = measureRecommender(ranked, {
        seed: 1,
        kind: "baseline",
        truths: [truth],
        events,
      });
      times[kind] = [...(times[kind] ?? []), performance.now() - started];
      figures.add(JSON.stringify([[...truths], shown]));
      ties = shown.ties;
      if (kind === "native") await new Promise((resolve) => setTimeout(resolve, 60)); // its idle threads go on spinning
    }
  }
  for (const { engine, scope } of engines) {
    scope.close();
    await engine.close();
  }
  await reader.close();
  if (figures.size !== 1) throw new Error(`${name}: the engines do not agree`);
  return {
    name,
    columns: layout.width,
    rowBytes,
    ties,
    read: round3(best(reads)),
    best: Object.fromEntries(Object.entries(times).map(([kind, ms]) => [kind, round3(best(ms))])),
  };
}

const round3 = (x: number) => Number(x.toFixed(3));
