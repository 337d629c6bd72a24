// nearkin report model: what a model is and how well it does, as one page to read, print and pass on.
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { type Engine, type Model, NearkinError } from "@nearkin/core";
import { type Dataset, openDataset, shellWord } from "@nearkin/data";
import { cacheFolder } from "@nearkin/data/encoders";
import {
  checkReportPath,
  type EvaluationResult,
  evaluate,
  gatherModelReport,
  type ModelReport,
  parseEvaluation,
  readHistory,
  reportJsonPath,
  writeModelReport,
} from "@nearkin/evaluate";
import { Command } from "commander";
import { type EngineFlags, openEngine, wholeNumber, withEngineFlags } from "../engine.ts";
import { openAskedModel, simulatedLine } from "../model-flags.ts";
import type { Output } from "../output.ts";
import { prepareLine } from "../prepare-line.ts";
import { duration, type LiveLine, liveLine } from "../progress.ts";
import { environmentOf } from "../report-environment.ts";

interface ReportFlags extends EngineFlags {
  dataset: string;
  evaluation?: string;
  out: string;
  seed: number;
}

/** β of the model's rows where the command evaluates by itself. */
const POPULARITY = [0, "calibrated"] as const;

export function reportModelCommand(output: Output): Command {
  const command = new Command("model")
    .description("write a page on a model: what it is, how it was trained, how well it does, with examples")
    .argument("<model>", "the folder that nearkin train wrote")
    .requiredOption("--dataset <folder>", "the dataset that it was trained on")
    .option("--evaluation <json>", "figures that nearkin evaluate --out wrote (default: evaluate now, with baselines)")
    .option("--out <file>", "the page, .html; its numbers go beside it, .json", "report.html")
    .option("--seed <n>", "of baselines that draw", wholeNumber(0), 1);
  return withEngineFlags(command)
    .addHelpText(
      "after",
      `
The page is one file: it fetches nothing, runs no script, follows light and dark, and can be printed. Both files are replaced when all is done.
The same inputs give the same page, but for its last section, which says where and when it was made.

Examples:
  $ nearkin report model models/films --dataset datasets/films                  evaluate, then write report.html and report.json
  $ nearkin report model models/films --dataset datasets/films --out films.html
  $ nearkin evaluate datasets/films models/films --out films-evaluation.json    or evaluate first, as you like it,
  $ nearkin report model models/films --dataset datasets/films --evaluation films-evaluation.json`,
    )
    .action((folder: string, flags: ReportFlags) => runReport(folder, flags, output));
}

async function runReport(folder: string, flags: ReportFlags, output: Output): Promise<void> {
  const started = performance.now();
  await checkReportPath(flags.out); // before minutes of work
  if (flags.evaluation !== undefined && resolve(flags.evaluation) === resolve(reportJsonPath(flags.out))) {
    throw new NearkinError(
      "BAD_ARGUMENT",
      `--out: the page's own JSON would replace ${flags.evaluation}; name another page`,
    );
  }
  const given = flags.evaluation === undefined ? undefined : await readEvaluation(flags.evaluation);
  const dataset = await openDataset(flags.dataset);
  await using engine = await openEngine(flags);
  const live = liveLine(output);
  const evaluation = given ?? (await evaluateNow(engine, dataset, { folder, flags, live }));
  await using model = await openAskedModel(folder, engine);
  live.show("looking for neighbours …");
  const report = await gatherModelReport(model, dataset, {
    evaluation,
    history: await readHistory(folder),
    commands: commandLines(model, evaluation, { folder, flags, dataset }),
    environment: environmentOf(engine),
  });
  const written = await writeModelReport(flags.out, report);
  live.end(`reported on ${folder} in ${duration((performance.now() - started) / 1000)}`);
  output.write(`${written.join("\n")}\n`);
  output.log(simulatedLine(model));
}

async function readEvaluation(path: string): Promise<EvaluationResult> {
  const text = await readFile(path, "utf8").catch((cause: Error) => {
    throw new NearkinError("BAD_ARGUMENT", `--evaluation: ${path} cannot be read (${cause.message})`, { cause });
  });
  return parseEvaluation(text, path);
}

interface Evaluating {
  folder: string;
  flags: ReportFlags;
  live: LiveLine;
}

async function evaluateNow(
  engine: Engine,
  dataset: Dataset,
  { folder, flags, live }: Evaluating,
): Promise<EvaluationResult> {
  const started = performance.now();
  const result = await evaluate(engine, dataset, {
    models: [() => openAskedModel(folder, engine)],
    popularity: POPULARITY,
    seed: flags.seed,
    cache: cacheFolder(),
    onEvent: (event) => event.event === "measuring" && live.show(`measuring ${event.name} …`),
  });
  live.end(`measured ${result.recommenders.length} recommenders in ${duration((performance.now() - started) / 1000)}`);
  return result;
}

/** From the source to this page. The configuration of training is in the report, to be saved as train.yaml. */
function commandLines(
  { parts }: Model,
  evaluation: EvaluationResult,
  { folder, flags, dataset }: { folder: string; flags: ReportFlags; dataset: Dataset },
): ModelReport["reproduce"]["commands"] {
  const [model, data, page] = [folder, flags.dataset, flags.out].map(shellWord);
  const prepare = prepareLine(dataset);
  const engine = flags.engine === "auto" ? "" : ` --engine ${flags.engine}`;
  const seed = flags.seed === 1 ? "" : ` --seed ${flags.seed}`;
  const file = flags.evaluation === undefined ? undefined : shellWord(flags.evaluation);
  const report = `nearkin report model ${model} --dataset ${data}`;
  return [
    ...(prepare === undefined ? [] : [{ does: "Prepare the data", command: prepare }]),
    {
      does: `Train; train.yaml is the configuration below${parts.notes.from ? ". It started from another model: add --from" : ""}`,
      command: `nearkin train ${data} --config train.yaml --engine ${parts.engine.kind} --out ${model}`,
    },
    ...(file === undefined
      ? [{ does: "Evaluate, and write this report", command: `${report}${seed}${engine} --out ${page}` }]
      : [
          {
            does: evaluated(evaluation),
            command: `nearkin evaluate ${data} ${model}${asEvaluated(evaluation)}${engine} --out ${file}`,
          },
          { does: "Write this report", command: `${report} --evaluation ${file}${engine} --out ${page}` },
        ]),
  ];
}

function evaluated({ recommenders }: EvaluationResult): string {
  const folders = new Set(recommenders.filter(({ kind }) => kind === "model").flatMap(({ seeds }) => seeds)).size;
  return folders > 1 ? `Evaluate; the evaluation has models of ${folders} seeds: name all their folders` : "Evaluate";
}

/** Options that an evaluation was made with, as far as its rows tell. SPE has an option and seeds of its own, with other baselines or without. */
function asEvaluated({ recommenders, base }: EvaluationResult): string {
  const models = recommenders.filter(({ kind }) => kind === "model");
  const baselines = recommenders.filter(({ kind }) => kind === "baseline");
  const spe = baselines.find(({ name }) => name === "SPE");
  const drawn = baselines.find((row) => row !== spe);
  const betas = [...new Set(models.map(({ name }) => / β = (.+)$/s.exec(name)?.[1] ?? "0"))];
  return [
    betas.join() === "0" ? "" : ` --popularity ${betas.join(",")}`,
    drawn === undefined ? " --no-baselines" : drawn.seeds[0] === 1 ? "" : ` --seed ${drawn.seeds[0]}`,
    spe === undefined ? "" : ` --spe ${spe.seeds.join(",")}`,
    base === recommenders[0].name ? "" : ` --base ${shellWord(base)}`,
  ].join("");
}
