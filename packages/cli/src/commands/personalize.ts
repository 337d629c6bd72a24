// nearkin personalize: a metric for each user, from what they met and rated. Over a dataset, or as a filter that any batch engine can run.
import { availableParallelism } from "node:os";
import { type Model, NearkinError } from "@nearkin/core";
import { openDataset, shellWord } from "@nearkin/data";
import { Command } from "commander";
import { type EngineFlags, openEngine, wholeNumber, withEngineFlags } from "../engine.ts";
import { openAskedModel, simulatedLine } from "../model-flags.ts";
import type { Output } from "../output.ts";
import { personalizeAll } from "../personalize/batch.ts";
import { type Answerer, openFilters } from "../personalize/filters.ts";
import { readLines, writeLine } from "../personalize/lines.ts";
import { answerLine, answerUser, isRefusal } from "../personalize/user-line.ts";
import { duration, liveLine } from "../progress.ts";
import { InterruptedError, StopSignals } from "../training-stop.ts";

interface PersonalizeFlags extends EngineFlags {
  dataset?: string;
  users: string;
  in?: string;
  out: string;
  resume?: boolean;
  jobs?: number;
}

export function personalizeCommand(output: Output): Command {
  const command = new Command("personalize")
    .description("a metric for each user, from what they met and rated: over a dataset, or as a filter")
    .argument("<model>", "the folder that nearkin train wrote")
    .option("--dataset <folder>", "fit the users of this dataset, from their training events")
    .option("--users <which>", "with --dataset: all, or a file with a user's id on each line", "all")
    .option("--in <file>", "a filter: read a user from each line of JSON; - is standard input")
    .option("--out <file>", "where metrics go: - is standard output; with --dataset a file, .parquet or .jsonl", "-")
    .option("--resume", "with --dataset: go on where a stopped run was")
    .option(
      "--jobs <n>",
      "with --dataset: processes at work; changes no number (default: the cores there are, for many users)",
      wholeNumber(1),
    );
  return withEngineFlags(command)
    .addHelpText(
      "after",
      `
A line in: {"user": "ada", "ratings": [{"item": "alien-1979", "rating": 5}, {"item": "stalker-1979"}]}
the oldest first; an item without a rating was met. A line out has the user's weights by channel, and popularity: pass both to
nearkin similar (--weights, --popularity), or to model.similar. A user who cannot be answered gets a line with the reason, and the
filter goes on. Columns and lines are described in docs/personalisation.md.

Examples:
  $ nearkin personalize models/films --dataset datasets/films --out users.parquet
  $ nearkin personalize models/films --dataset datasets/films --users some.txt --out users.jsonl --resume
  $ cat users.jsonl | nearkin personalize models/films --in - --out -`,
    )
    .action((folder: string, flags: PersonalizeFlags) => runPersonalize(folder, flags, output));
}

async function runPersonalize(folder: string, flags: PersonalizeFlags, output: Output): Promise<void> {
  if ((flags.dataset === undefined) === (flags.in === undefined)) {
    throw new NearkinError("BAD_ARGUMENT", "name either --dataset or --in; see nearkin personalize --help");
  }
  await using engine = await openEngine(flags);
  await using model = await openAskedModel(folder, engine);
  if (!model.personalizes) model.personalize([]); // says why, before anything is read
  const started = performance.now();
  const seconds = () => (performance.now() - started) / 1000;
  if (flags.in !== undefined) {
    if (flags.out !== "-") {
      throw new NearkinError("BAD_ARGUMENT", "--out: a filter writes to standard output; redirect it: > users.jsonl");
    }
    let [users, refused] = [0, 0];
    for await (const { text, line } of readLines(flags.in)) {
      const answer = answerLine(model, text, line);
      users++;
      if (isRefusal(answer)) refused++;
      await writeLine(output, `${JSON.stringify(answer)}\n`);
    }
    output.log(`${counted(users)} in ${duration(seconds())}${refused > 0 ? `, ${refused} of them refused` : ""}\n`);
    return;
  }
  if (flags.out === "-") {
    throw new NearkinError("BAD_ARGUMENT", "--out: name a file to write, users.parquet or users.jsonl");
  }
  const dataset = await openDataset(flags.dataset as string);
  using stop = new StopSignals();
  const live = liveLine(output);
  live.show("reading users …");
  try {
    const { users, kept, refused } = await personalizeAll(model, dataset, {
      out: flags.out,
      users: flags.users,
      resume: flags.resume === true,
      answererOf: (users) => answererOf(users, flags, model, folder),
      signal: stop.signal,
      onUser: (done, all) =>
        live.now(`${done.toLocaleString("en")} of ${counted(all)}, ${(done / seconds()).toFixed(0)} a second`),
    });
    live.end(
      `${counted(users)} in ${duration(seconds())}: ${users - kept - refused} with a metric of their own, ${kept} with the shared one, ${refused} refused`,
    );
    output.write(`${flags.out}\n`);
    output.log(simulatedLine(model));
  } catch (error) {
    if (!stop.caused(error)) throw error;
    const users = flags.users === "all" ? "" : ` --users ${shellWord(flags.users)}`;
    throw new InterruptedError(
      `stopped; what is done is saved in ${flags.out}.partial; go on with: nearkin personalize ${shellWord(folder)} --dataset ${shellWord(flags.dataset as string)}${users} --out ${shellWord(flags.out)} --resume`,
    );
  }
}

/** Here, for a few users; else by processes, each with a model of its own. */
function answererOf(users: number, { jobs, engine, policy }: PersonalizeFlags, model: Model, folder: string): Answerer {
  const many = jobs ?? (users < MANY ? 1 : availableParallelism());
  if (many > 1) return openFilters(folder, many, ["--engine", engine, "--policy", policy]);
  return { ahead: 1, answer: async (request) => answerUser(model, request), [Symbol.asyncDispose]: async () => {} };
}

const MANY = 2000; // users: below it, starting a process takes longer than it saves

const counted = (users: number): string => `${users.toLocaleString("en")} ${users === 1 ? "user" : "users"}`;
