// nearkin compare: what a new model would change, and whether it may take the place of the old one.
import { readFile } from "node:fs/promises";
import { NearkinError } from "@nearkin/core";
import { type MetricName, metricNames } from "@nearkin/evaluate";
import { Command, InvalidArgumentError, Option } from "commander";
import { type Comparison, compareModels } from "../compare/compare.ts";
import { comparisonText } from "../compare/text.ts";
import { type EngineFlags, openEngine, wholeNumber, withEngineFlags } from "../engine.ts";
import type { Output } from "../output.ts";
import { liveLine } from "../progress.ts";
import { openStoreBeside, storeOption } from "../store-flag.ts";

interface CompareFlags extends EngineFlags {
  mostLost: number;
  leastOverlap: number;
  allowLostChannels?: boolean;
  allowLostAbilities?: boolean;
  evaluation?: string;
  beats: string[];
  notWorseThan: string[];
  metric: MetricName;
  truth?: string;
  sample: number;
  seed: number;
  store?: string;
  json?: boolean;
}

export function compareCommand(output: Output): Command {
  const command = new Command("compare")
    .description("what a new model would change, and whether it may take the place of the old one")
    .argument("<old>", "the model that is served")
    .argument("<new>", "the model that is to be served")
    .option("--most-lost <share>", "items of the old model that may be missing in the new one", parseShare, 0.05)
    .option("--least-overlap <share>", "mean share of the first ten neighbours that stay", parseShare, 0.2)
    .option("--allow-lost-channels", "a channel of the old model may be missing")
    .option("--allow-lost-abilities", "users' own metrics, or predicted ratings, may be missing")
    .option("--evaluation <json>", "what nearkin evaluate --out wrote of the run that chose the new model's steps")
    .option(
      "--beats <baseline>",
      "must be better than this one, by a sign test with p < 0.01; may come again",
      gather,
      [],
    )
    .option(
      "--not-worse-than <baseline>",
      "must not be worse than this one, by the same test; may come again",
      gather,
      [],
    )
    .addOption(new Option("--metric <name>", "the figure that is tested").choices(metricNames).default("paper HR"))
    .option("--truth <name>", "the truth of that figure (default: co-interaction 30 d, or the first)")
    .option("--sample <n>", "items whose lists are compared", wholeNumber(1), 1000)
    .option("--seed <n>", "of the items drawn", wholeNumber(0), 1)
    .addOption(storeOption("items deleted in the store of the server are not counted as lost"));
  return withEngineFlags(command)
    .option("--json", "print the whole comparison as JSON")
    .addHelpText(
      "after",
      `
Exit code 0 if all gates pass, 1 if one fails. With --evaluation and neither --beats nor --not-worse-than, the model must not be worse than random
lists and the content baselines. Popularity, recent popularity and factors of who met what are gates if they are named.

A refit on all data (nearkin train --final) has seen the test items: evaluate the run that chose its steps, <model>-split, on the dataset with the
split, and give the result here with the refit itself.

Examples:
  $ nearkin compare models/monday models/tuesday
  $ nearkin evaluate datasets/tuesday models/tuesday-split --out tuesday.json
  $ nearkin compare models/monday models/tuesday --evaluation tuesday.json --beats "cosine, summed"
  $ nearkin compare models/monday models/tuesday --least-overlap 0.4 --most-lost 1% --json`,
    )
    .action((old: string, fresh: string, flags: CompareFlags) => runCompare(old, fresh, flags, output));
}

async function runCompare(old: string, fresh: string, flags: CompareFlags, output: Output): Promise<void> {
  const { evaluation: path, metric, truth, beats, notWorseThan } = flags;
  if (path === undefined && beats.length + notWorseThan.length > 0) {
    throw new NearkinError("BAD_ARGUMENT", "--beats and --not-worse-than need --evaluation, which has the figures");
  }
  const evaluation = path === undefined ? undefined : { text: await readEvaluation(path), path, metric, truth };
  const deleted = flags.store === undefined ? new Set<string>() : await deletedItems(flags.store);
  await using engine = await openEngine(flags);
  const live = liveLine(output);
  const comparison = await compareModels(old, fresh, {
    ...flags,
    allowLostChannels: flags.allowLostChannels === true,
    allowLostAbilities: flags.allowLostAbilities === true,
    engine,
    deleted,
    evaluation,
    onStep: live.show,
  });
  live.end(`compared ${comparison.stability.items.toLocaleString("en")} lists`);
  output.write(flags.json ? `${JSON.stringify(comparison, null, 2)}\n` : comparisonText(comparison));
  if (!comparison.passed) throw new GateError(fresh, comparison);
}

/** A gate did not pass: not a mistake of anybody's, but the answer is no. */
class GateError extends Error {
  readonly code = "GATE_FAILED";
  constructor(folder: string, { gates }: Comparison) {
    const failed = gates.filter(({ passed }) => !passed);
    super(`${folder} should not be activated: ${failed.map(({ name, text }) => `${name} (${text})`).join("; ")}`);
  }
}

async function readEvaluation(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (cause) {
    throw new NearkinError("BAD_ARGUMENT", `--evaluation: ${path} cannot be read (${(cause as Error).message})`, {
      cause,
    });
  }
}

const PAGE = 1000;

async function deletedItems(place: string): Promise<Set<string>> {
  await using store = await openStoreBeside(place);
  const deleted = new Set<string>();
  for (let version = 0; ; ) {
    const page = await store.items.changedSince(version, { limit: PAGE });
    const last = page.at(-1);
    if (!last) return deleted;
    version = last.version;
    for (const item of page) {
      if (item.deleted) deleted.add(item.id);
      else deleted.delete(item.id);
    }
  }
}

/** "5%", "5 %" or 0.05. */
function parseShare(text: string): number {
  const [, digits, sign] = /^(\d+(?:\.\d+)?|\.\d+)\s*(%?)$/.exec(text.trim()) ?? [];
  const share = Number(digits) / (sign === "%" ? 100 : 1);
  if (!(share <= 1)) throw new InvalidArgumentError("Expected a share, such as 5% or 0.05.");
  return share;
}

const gather = (text: string, before: readonly string[]): string[] => [...before, text];
