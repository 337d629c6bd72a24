// The models of the demo: one that has not seen the films that are held out, measured on them, and one of all data, to be served.
import { join } from "node:path";
import type { Engine, ModelParts } from "@nearkin/core";
import { openDataset, shellWord } from "@nearkin/data";
import { cacheFolder } from "@nearkin/data/encoders";
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
    cache: cacheFolder(),
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

/** The model against the best of the baselines and chance, on every truth: which of them is kindest to it is not for us to choose. */
function headline({ recommenders, base, truths, k }: EvaluationResult): string {
  const figure = (row: RecommenderResult, truth: string) => row.truths[truth].metrics["paper HR"].mean;
  const lines = truths.map(({ name: truth }) => {
    const of = (name: string) => recommenders.filter((row) => row.name === name).map((row) => figure(row, truth))[0];
    const [best] = recommenders
      .filter(({ kind }) => kind === "baseline")
      .sort((one, other) => figure(other, truth) - figure(one, truth));
    return `   ${truth.padEnd(20)} ${percent(of(base))} ${percent(of("random"))} ${percent(figure(best, truth))}  ${best.name}\n`;
  });
  return (
    `   Of the ${k} films nearest to each of ${truths[0].queries} that it has not seen, so many go with it, by what is called so:\n` +
    `   ${"".padEnd(20)}  model chance  best baseline\n${lines.join("")}` +
    "   The sample is dense: over long times nearly every film goes with every other.\n"
  );
}

const percent = (share: number): string => `${(100 * share).toFixed(0)} %`.padStart(6);

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
