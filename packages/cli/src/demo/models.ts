// The models of the demo: one that has not seen the films that are held out, measured on them, and one of all data, to be served.
import { join } from "node:path";
import type { Engine, ModelParts } from "@nearkin/core";
import { openDataset, shellWord } from "@nearkin/data";
import {
  type EvaluationResult,
  evaluate,
  gatherModelReport,
  type RecommenderResult,
  readHistory,
  writeModelReport,
} from "@nearkin/evaluate";
import { selectionOf, type TrainConfig, train } from "@nearkin/train";
import { openModel } from "../open-model.ts";
import type { Output } from "../output.ts";
import { duration, liveLine } from "../progress.ts";
import { datasetOfAll } from "../refit.ts";
import { environmentOf } from "../report-environment.ts";
import { trainingBar } from "../training-bar.ts";
import type { DemoFolders } from "./folders.ts";

/** Name of the results, and of the page beside them. */
const RESULTS = "marquee";
/** The sample is dense: within a month, nearly every film goes with every other. */
const TRUTH = "co-interaction 1 d";

interface Making {
  readonly folders: DemoFolders;
  readonly engine: Engine;
  readonly config: TrainConfig;
  readonly signal: AbortSignal;
  readonly output: Output;
}

/** Trains on what is not held out, into `out`. */
export async function trainSplit(
  { folders, engine, config, signal, output }: Making,
  out: string,
): Promise<ModelParts> {
  const { onEvent, end } = trainingBar(output, config, { indent: "   " });
  const model = await train(await openDataset(folders.dataset), config, { engine, out, force: true, signal, onEvent });
  end();
  return model;
}

/** Measures it on the films that it has not seen, and writes figures and page. */
export async function evaluateSplit({ folders, engine, signal, output }: Making): Promise<void> {
  const started = performance.now();
  const live = liveLine(output);
  const dataset = await openDataset(folders.dataset);
  const evaluation = await evaluate(engine, dataset, {
    models: [() => openModel(folders.split, { engine })],
    popularity: [0, "calibrated"],
    onEvent: (event) => {
      signal.throwIfAborted();
      if (event.event === "measuring") live.show(`   measuring ${event.name} …`);
    },
  });
  await using model = await openModel(folders.split, { engine });
  const page = join(folders.results, `${RESULTS}.html`);
  const report = await gatherModelReport(model, dataset, {
    evaluation,
    history: await readHistory(folders.split),
    commands: [{ does: "Make it all again", command: `nearkin demo --fresh --out ${shellWord(folders.out)}` }],
    environment: environmentOf(engine),
  });
  await writeModelReport(page, report);
  live.end(
    `   measured ${evaluation.recommenders.length} recommenders in ${duration((performance.now() - started) / 1000)}`,
  );
  output.write(`${headline(evaluation)}   the whole report: ${page}\n`);
}

/** The model against the best of the baselines, popularity and chance. */
function headline({ recommenders, base, truths, k }: EvaluationResult): string {
  const truth = truths.find(({ name }) => name === TRUTH) ?? truths[0];
  const figure = (row: RecommenderResult) => row.truths[truth.name].metrics["paper HR"];
  const [best] = recommenders
    .filter(({ kind }) => kind === "baseline")
    .sort((one, other) => figure(other).mean - figure(one).mean);
  const shown = new Set([base, best.name, "popularity", "random"]);
  const lines = recommenders
    .filter(({ name }) => shown.has(name))
    .map((row) => {
      const { mean, low, high } = figure(row);
      const name = row.name === base ? "this model" : row.name;
      return `   ${name.padEnd(22)} ${percent(mean)} (${percent(low)} to ${percent(high)})\n`;
    });
  return `   of the ${k} films nearest to each of ${truth.queries} that it has not seen, so many were watched on the same day:\n${lines.join("")}`;
}

const percent = (share: number): string => `${(100 * share).toFixed(0)} %`;

/** Does the steps that the first training chose once more, on everything. */
export async function trainFinal(
  { folders, engine, config, signal, output }: Making,
  split: ModelParts,
): Promise<void> {
  const selection = selectionOf(split);
  const silent: Output = { write: () => {}, log: () => {} }; // it is the same sample
  const all = await datasetOfAll(await openDataset(folders.dataset), silent, signal);
  const { onEvent, end } = trainingBar(output, config, { steps: selection.steps, indent: "   " });
  await train(all, config, { engine, out: folders.model, force: true, selection, signal, onEvent });
  end();
}
