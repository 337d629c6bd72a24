// nearkin report users: each held-out user's own metric against the one that all share, as one page. Every model is cached: stopped, it goes on.
import type { Model } from "@nearkin/core";
import { type Dataset, openDataset, shellWord } from "@nearkin/data";
import {
  checkReportPath,
  gatherUsersReport,
  measurePersonalisation,
  type UsersReport,
  writeUsersReport,
} from "@nearkin/evaluate";
import { Command } from "commander";
import { type EngineFlags, openEngine, wholeNumber, withEngineFlags } from "../engine.ts";
import { openAskedModel } from "../model-flags.ts";
import type { Output } from "../output.ts";
import { prepareLine } from "../prepare-line.ts";
import { duration, liveLine } from "../progress.ts";
import { openReportCache } from "../report-cache.ts";
import { environmentOf } from "../report-environment.ts";
import { InterruptedError, StopSignals } from "../training-stop.ts";
import { usersProgress } from "../users-progress.ts";

interface UsersFlags extends EngineFlags {
  dataset: string;
  steps: number;
  cache?: string;
  out: string;
}

/** As many as the paper takes. */
const STEPS = 2000;

export function reportUsersCommand(output: Output): Command {
  const command = new Command("users")
    .description("write a page on users' own metrics: against the shared one, by gradient steps and number of ratings")
    .argument("<models...>", "folders that nearkin train wrote; several differ in their seeds alone")
    .requiredOption("--dataset <folder>", "the dataset that they were trained on, split by users")
    .option("--steps <n>", "gradient steps at most", wholeNumber(1), STEPS)
    .option("--cache <folder>", "where refits are kept (default: beside the page, its name with .cache for .html)")
    .option("--out <file>", "the page, .html; its numbers go beside it, .json", "users.html");
  return withEngineFlags(command)
    .addHelpText(
      "after",
      `
None of the test users was in training. Each is refitted from the weights that all share and from those that training learned for the purpose,
by 1 to --steps gradient steps, with 5 to 50 ratings, and in the model's own way: seconds for a user, so minutes to an hour for a model. Models that are done
are kept in the cache folder, and two commands may share it; one that is stopped begins anew.

Examples:
  $ nearkin prepare films.yaml --split users --out datasets/users
  $ nearkin train datasets/users --seed 1 --out models/users-1
  $ nearkin report users models/users-1 --dataset datasets/users
  $ nearkin report users models/users-* --dataset datasets/users --out users.html       several seeds`,
    )
    .action((folders: string[], flags: UsersFlags) => runUsers(folders, flags, output));
}

async function runUsers(folders: readonly string[], flags: UsersFlags, output: Output): Promise<void> {
  const started = performance.now();
  const live = liveLine(output);
  await checkReportPath(flags.out); // before an hour of work
  const dataset = await openDataset(flags.dataset);
  using stop = new StopSignals();
  const cache = openReportCache(flags.cache, flags.out);
  try {
    await using engine = await openEngine(flags);
    let config: UsersReport["reproduce"]["config"] = {};
    const open = async (folder: string): Promise<Model> => {
      const model = await openAskedModel(folder, engine);
      config = { train: model.parts.config };
      return model;
    };
    const result = await measurePersonalisation(dataset, {
      models: folders.map((folder) => () => open(folder)),
      cache,
      steps: flags.steps,
      signal: stop.signal,
      onEvent: usersProgress(live),
    });
    const report = gatherUsersReport({
      result,
      reproduce: { commands: commandLines(folders, { flags, dataset, seeds: result.seeds }), config },
      environment: environmentOf(engine),
    });
    const written = await writeUsersReport(flags.out, report);
    live.end(`reported on ${result.users} users in ${duration((performance.now() - started) / 1000)}`);
    output.write(`${written.join("\n")}\n`);
    if (report.simulated) output.log(`The ratings of ${dataset.manifest.name} are SIMULATED.\n`);
  } catch (error) {
    if (!stop.caused(error)) throw error;
    throw new InterruptedError(
      `stopped; models that are done are kept in ${cache.folder}; go on with: ${commandLine(folders, flags)}`,
    );
  }
}

/** From the source to this page. */
function commandLines(
  folders: readonly string[],
  { flags, dataset, seeds }: { flags: UsersFlags; dataset: Dataset; seeds: readonly number[] },
): UsersReport["reproduce"]["commands"] {
  const prepare = prepareLine(dataset);
  return [
    ...(prepare === undefined ? [] : [{ does: "Prepare the data", command: prepare }]),
    ...folders.map((folder, i) => ({
      does: `Train${i === 0 ? "; train.yaml is the configuration below" : ""}`,
      command: `nearkin train ${shellWord(flags.dataset)} --config train.yaml --seed ${seeds[i]} --out ${shellWord(folder)}`,
    })),
    { does: "Write this report", command: commandLine(folders, flags) },
  ];
}

function commandLine(folders: readonly string[], { dataset, steps, cache, engine, out }: UsersFlags): string {
  return [
    `nearkin report users ${folders.map(shellWord).join(" ")} --dataset ${shellWord(dataset)}`,
    steps === STEPS ? "" : `--steps ${steps}`,
    cache === undefined ? "" : `--cache ${shellWord(cache)}`,
    engine === "auto" ? "" : `--engine ${engine}`,
    `--out ${shellWord(out)}`,
  ]
    .filter((part) => part !== "")
    .join(" ");
}
