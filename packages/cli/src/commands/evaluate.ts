// nearkin evaluate: how well models, and baselines, rank what training has not seen.
import { NearkinError } from "@nearkin/core";
import { openDataset } from "@nearkin/data";
import { cacheFolder } from "@nearkin/data/encoders";
import {
  type Calibration,
  checkOutPath,
  type EvaluateEvent,
  type EvaluationResult,
  evaluate,
  familyTable,
  type KnownVerdict,
  knownTable,
  knownVerdicts,
  mainTruth,
  overviewTable,
  plainTable,
  type TruthSummary,
  writeWhole,
} from "@nearkin/evaluate";
import { Command, InvalidArgumentError, Option } from "commander";
import { type EngineFlags, openEngine, wholeNumber, withEngineFlags } from "../engine.ts";
import { openModel } from "../open-model.ts";
import type { Output } from "../output.ts";
import { duration, liveLine } from "../progress.ts";
import { parseSeeds } from "../seeds.ts";

interface EvaluateFlags extends EngineFlags {
  popularity: (number | "calibrated")[];
  baselines: boolean;
  spe?: number[];
  base?: string;
  role: "test" | "validation";
  truth?: string;
  seed: number;
  out?: string;
  json?: boolean;
}

export function evaluateCommand(output: Output): Command {
  const command = new Command("evaluate")
    .description("measure models and baselines on items that training has not seen")
    .argument("<dataset>", "the folder that nearkin prepare wrote, and the models were trained on")
    .argument("[models...]", "folders that nearkin train wrote; those that differ in the seed alone are put together")
    .option("--popularity <list>", "values of β to rank with, such as 0,0.25,calibrated", parsePopularity, [0])
    .option("--no-baselines", "leave out chance, popularity and the content baselines")
    .option(
      "--spe <seeds>",
      "also train SPE, the hybrid baseline of the paper: minutes for each seed, such as 1,2,3",
      parseSeeds,
    )
    .option("--base <name>", "what all others are compared with (default: the first)")
    .addOption(new Option("--role <role>", "whose truths to open").choices(["test", "validation"]).default("test"))
    .option("--truth <name>", "the truth of the table on the terminal (default: co-interaction 30 d, or the first)")
    .option("--seed <n>", "of baselines that draw", wholeNumber(0), 1)
    .option("--out <file>", "write the whole result as JSON");
  return withEngineFlags(command)
    .option("--json", "print the whole result as JSON")
    .addHelpText(
      "after",
      `
Figures are means over test items with 95 % bootstrap intervals; ↑ and ↓ mark what differs from the base by a sign test with p < 0.01.
HR, MRR and NDCG are the paper's family at 10 (its HR is a precision); the standard family is in the second table. Rules and formulas are in
docs/evaluation.md.

Examples:
  $ nearkin evaluate datasets/films                                     the baselines alone
  $ nearkin evaluate datasets/films models/films                        a model beside them
  $ nearkin evaluate datasets/films models/seed-* --out results.json    five seeds of one model
  $ nearkin evaluate datasets/films models/films --popularity 0,0.25,calibrated --no-baselines`,
    )
    .action((folder: string, models: string[], flags: EvaluateFlags) => runEvaluate(folder, models, flags, output));
}

async function runEvaluate(folder: string, models: string[], flags: EvaluateFlags, output: Output): Promise<void> {
  const started = performance.now();
  if (flags.out !== undefined) await checkOutPath(flags.out); // before minutes of work
  const dataset = await openDataset(folder);
  await using engine = await openEngine(flags);
  const live = liveLine(output);
  const result = await evaluate(engine, dataset, {
    models: models.map((model) => () => openModel(model, { engine })),
    popularity: flags.popularity,
    baselines: flags.baselines,
    ...(flags.spe ? { spe: flags.spe } : {}),
    role: flags.role,
    seed: flags.seed,
    cache: cacheFolder(),
    ...(flags.base === undefined ? {} : { base: flags.base }),
    onEvent: (event) => {
      if (event.event === "opened") checkTruth(event.truths, flags.truth);
      else live.show(describeEvent(event));
    },
  });
  live.end(`measured ${result.recommenders.length} recommenders in ${duration((performance.now() - started) / 1000)}`);
  if (flags.out !== undefined) await writeWhole(flags.out, `${JSON.stringify(result, null, 2)}\n`);
  if (flags.json) output.write(`${JSON.stringify(result, null, 2)}\n`);
  else output.write(describe(result, flags.truth));
  if (result.dataset.simulated) output.log(`The ratings of ${result.dataset.name} are SIMULATED.\n`);
}

/** A name that was misspelt is found before minutes of work. */
function checkTruth(truths: readonly TruthSummary[], asked: string | undefined): void {
  if (asked === undefined || truths.some(({ name }) => name === asked)) return;
  const names = truths.map(({ name }) => `"${name}"`).join(", ");
  throw new NearkinError("BAD_ARGUMENT", `--truth: there is no "${asked}" among ${names}`);
}

function describeEvent(event: Exclude<EvaluateEvent, { event: "opened" }>): string {
  if (event.event === "tuning")
    return `choosing settings of ${event.name} on validation data: ${event.settings} to try …`;
  const who = `${event.name}, seed ${event.seed}`;
  if (event.event === "measuring") return `measuring ${who} …`;
  const { step, steps, loss, score, standOff } = event.progress;
  const ranked = score === null ? "" : `, validation ${score.toFixed(3)}`;
  return `training ${who}${standOff ? "" : ", new items not held off"}: step ${step} of at most ${steps}, loss ${loss.toFixed(3)}${ranked}`;
}

function describe(result: EvaluationResult, asked: string | undefined): string {
  const { dataset, truths, recommenders, base } = result;
  const truth = truths.find(({ name }) => name === asked) ?? mainTruth(result) ?? truths[0];
  const calibrated = recommenders.flatMap(({ name, seeds, calibration }) =>
    calibration ? [{ name: seeds.length > 1 ? `${name} (seed ${seeds[0]})` : name, calibration }] : [],
  );
  const lines = [
    `${dataset.name}, split ${dataset.split}: ${dataset.queries.toLocaleString("en")} ${dataset.role} ${dataset.split === "users" ? "users" : "items"}, ${dataset.items.toLocaleString("en")} items in the catalogue`,
    ...truths.map(
      ({ name, queries, empty, size }) =>
        `truth        ${name}: ${queries} ${dataset.split === "users" ? "users" : "queries"} (${empty} without any, left out), ${size.median} items to be hit in the median`,
    ),
    "",
    `The paper's family at 10, ${truth.name}; compared with ${base}`,
    plainTable(overviewTable(result, truth.name)),
    "",
    `↑ ↓  better, worse than ${base} (sign test, p < 0.01; it takes 8 ${dataset.split === "users" ? "users" : "items"} that differ). head, middle, tail: HR within thirds of the truth by popularity`,
    "",
    `The standard family at 10, ${truth.name}`,
    plainTable(familyTable(result, truth.name, "standard")),
  ];
  const known = knownTable(result, truth.name);
  if (known) {
    lines.push(
      "",
      `HR by training events of the query, ${truth.name}; how many queries in brackets, – where it answers none`,
      plainTable(known),
    );
    lines.push(...knownVerdicts(result, truth.name).flatMap(verdictLine));
  }
  const tuned = recommenders.flatMap(({ name, settings }) => (settings ? [`${name} (${settings})`] : []));
  if (tuned.length > 0) lines.push("", `Chosen on validation data: ${tuned.join("; ")}`);
  for (const { name, calibration } of calibrated) lines.push("", ...ratingLines(name, calibration));
  return `${lines.join("\n")}\n`;
}

/** "  5–19: above item-kNN, +.012 [+.004, +.020]" */
function verdictLine({ events, rival, verdict }: KnownVerdict): string[] {
  if (!rival) return [];
  const [lead, low, high] = [rival.lead.mean, rival.lead.low, rival.lead.high].map(signed);
  const words = { above: "above", below: "below", undecided: "not told from" }[verdict];
  return [`  ${events}: ${words} ${rival.name}, the best baseline there, ${lead} [${low}, ${high}]`];
}

const signed = (value: number): string =>
  value
    .toFixed(3)
    .replace(/^(-?)0\./, "$1.")
    .replace(/^(?!-)/, "+");

function ratingLines(name: string, { items, nll, nllOfMean, coverage, byRatings }: Calibration): string[] {
  const cover = Object.entries(coverage).map(
    ([share, inside]) => `${(100 * inside).toFixed(0)} % in the ${(100 * Number(share)).toFixed(0)} % interval`,
  );
  return [
    `Ratings of ${items.toLocaleString("en")} test items, ${name}: NLL ${nll.mean.toFixed(3)} (the mean of all: ${nllOfMean.toFixed(3)}); ${cover.join(", ")}`,
    ...byRatings.map(
      ({ least, items: rated, rmse, rmseOfMean, correlation }) =>
        `  ${least === 1 ? "all" : `the ${rated.toLocaleString("en")} with ${least} ratings or more`}: RMSE ${rmse.toFixed(3)} (the mean of all: ${rmseOfMean.toFixed(3)})${correlation === null ? "" : `, correlation ${correlation.toFixed(2)}`}`,
    ),
  ];
}

function parsePopularity(text: string): (number | "calibrated")[] {
  return text.split(",").map((part) => {
    if (part.trim() === "calibrated") return "calibrated";
    if (part.trim() === "" || !Number.isFinite(Number(part))) {
      throw new InvalidArgumentError("Expected numbers, or calibrated, such as 0,0.25,calibrated.");
    }
    return Number(part);
  });
}
