// nearkin predict: the mean rating an item, or a draft, can expect, and how sure that is.
import type { PredictedRating } from "@nearkin/core";
import { Command } from "commander";
import { type EngineFlags, openEngine, withEngineFlags } from "../engine.ts";
import {
  type Asked,
  type DraftFlags,
  missingLines,
  modelEntry,
  openAskedModel,
  readAsked,
  simulatedLine,
  withDraftFlags,
} from "../model-flags.ts";
import type { Output } from "../output.ts";

interface PredictFlags extends EngineFlags, DraftFlags {
  json?: boolean;
}

export function predictCommand(output: Output): Command {
  const command = new Command("predict")
    .description("the rating an item, or a draft, can expect, and how sure that is")
    .argument("<model>", "the folder that nearkin train wrote")
    .argument("[items...]", "ids or titles; - reads a draft from standard input");
  return withEngineFlags(withDraftFlags(command))
    .option("--json", "print JSON")
    .addHelpText(
      "after",
      `
Examples:
  $ nearkin predict models/films "The Third Man" alien-1979
  $ nearkin predict models/films --draft '{"genres": ["Drama"], "year": 1951}'
  $ echo '{"genres": ["Western"]}' | nearkin predict models/films - --json

The first ± is how far the mean of many ratings may be from what is expected; the second adds how far people differ about one item. In JSON
they are deviation and observationDeviation.`,
    )
    .action((folder: string, items: string[], flags: PredictFlags) => runPredict(folder, items, flags, output));
}

async function runPredict(folder: string, items: string[], flags: PredictFlags, output: Output): Promise<void> {
  await using engine = await openEngine(flags);
  await using model = await openAskedModel(folder, engine);
  const predictions: { asked: Asked; rating: PredictedRating; ratings: number }[] = [];
  for (const asked of await readAsked(model, items, flags)) {
    const rating = await model.predict(asked.query);
    const ratings = asked.id === null ? 0 : model.items.at(model.items.indexOf(asked.id)).ratings;
    predictions.push({ asked, rating, ratings });
  }
  if (flags.json) {
    const list = predictions.map(({ asked: { id, query }, rating }) => ({
      item: id,
      ...(id === null ? { draft: query } : {}),
      ...rating,
    }));
    output.write(`${JSON.stringify({ model: modelEntry(model), predictions: list }, null, 2)}\n`);
    return;
  }
  const { centre, scale } = model.parts.rating;
  if (scale === 0) {
    output.write(`All items have the same mean rating, ${centre.toFixed(2)}: there is nothing to predict.\n`);
    output.log(simulatedLine(model));
    return;
  }
  const width = Math.max(...predictions.map(({ asked }) => asked.title.length));
  for (const { asked, rating, ratings } of predictions) {
    const { mean, deviation, observationDeviation, missing } = rating;
    const known = ratings === 0 ? "no training rating" : `${ratings} training rating${ratings === 1 ? "" : "s"}`;
    const [many, one] = [deviation.toFixed(2), observationDeviation.toFixed(2)];
    output.write(
      `${asked.title.padEnd(width)}  ${mean.toFixed(2)} ± ${many}  (${one === many ? "" : `one rating: ± ${one}; `}${known})\n${missingLines(missing)}`,
    );
  }
  output.log(simulatedLine(model));
}
