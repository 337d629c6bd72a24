// nearkin similar: the items most similar to an item, to several, or to a draft, with the reasons.
import { type Contribution, NearkinError, type SimilarItem, type SimilarResult } from "@nearkin/core";
import { Command, InvalidArgumentError } from "commander";
import { type EngineFlags, openEngine, wholeNumber, withEngineFlags } from "../engine.ts";
import {
  type Asked,
  type DraftFlags,
  type MetricFlags,
  metricOptions,
  missingLines,
  modelEntry,
  openAskedModel,
  readAsked,
  simulatedLine,
  withDraftFlags,
  withMetricFlags,
} from "../model-flags.ts";
import type { Output } from "../output.ts";

interface SimilarFlags extends EngineFlags, MetricFlags, DraftFlags {
  k: number;
  diversity: number;
  history: string[];
  explain?: boolean;
  json?: boolean;
}

export function similarCommand(output: Output): Command {
  const command = new Command("similar")
    .description("the items most similar to an item, to several of them, or to a draft")
    .argument("<model>", "the folder that nearkin train wrote")
    .argument("[items...]", "ids or titles; several are taken together; - reads a draft from standard input")
    .option("--k <n>", "how many", wholeNumber(1), 10);
  return withEngineFlags(withDraftFlags(withMetricFlags(command)))
    .option(
      "--diversity <l>",
      "how much the list shall differ within itself: from 0, the nearest first, to 1, the farthest from those before it",
      parseDiversity,
      0,
    )
    .option(
      "--history <item>",
      "an item that the user met lately, by id or title; again for each, the last one last",
      (item: string, before: string[]) => [...before, item],
      [],
    )
    .option("--explain", "what every channel contributes to the distance, and the rank without it where that differs")
    .option("--json", "print JSON")
    .addHelpText(
      "after",
      `
Examples:
  $ nearkin similar models/films "The Third Man"                                by title, or by id
  $ nearkin similar models/films the-third-man-1949 --explain                   and why
  $ nearkin similar models/films the-third-man-1949 --weights plot=2x,year=0    your own notion of similar
  $ nearkin similar models/films the-third-man-1949 --popularity calibrated     among equals, rather what many know
  $ nearkin similar models/films the-third-man-1949 --diversity 0.5             less of the same
  $ nearkin similar models/films the-third-man-1949 --history casablanca-1942   for somebody who just met another
  $ nearkin similar models/films --draft '{"genres": ["Drama"], "year": 1951}'

A distance is a sum over channels: the channel's weight, times 1 for two items picked at random. "Without it: #3" beside a channel is the rank
that the item would have if its distance in that channel were 0 (rankWithout in JSON). The list is sorted by score, which JSON has too:
−distance/T, T the temperature of training, plus --popularity times the logarithm of an item's share of all training events. With --diversity l
the next item is the one with the largest (1 − l) · score + l · distance/T to the nearest item before it, among the 200 best scores; "by score"
(scoreRank in JSON) is the rank that it would have without. With --history the score also has what each of the user's last ten items adds (lifts in
JSON), in models with a channel of who met what (train: behavior).`,
    )
    .action((folder: string, items: string[], flags: SimilarFlags) => runSimilar(folder, items, flags, output));
}

async function runSimilar(folder: string, items: string[], flags: SimilarFlags, output: Output): Promise<void> {
  await using engine = await openEngine(flags);
  await using model = await openAskedModel(folder, engine);
  const asked = await readAsked(model, items, flags);
  const history = flags.history.map((item) => model.items.idOf(model.items.find(item)));
  if (history.length > 0 && !model.parts.history) {
    throw new NearkinError(
      "BAD_ARGUMENT",
      `--history: the model ${model.name} does not know who met what; train it with behavior.factors`,
    );
  }
  const result = await model.similar(
    asked.map(({ query }) => query),
    {
      k: flags.k,
      diversity: flags.diversity,
      explain: flags.explain === true,
      history,
      ...metricOptions(model, flags),
    },
  );
  if (flags.json) {
    const query = asked.map(({ id, query: own }) => id ?? own);
    output.write(`${JSON.stringify({ model: modelEntry(model), query, ...result }, null, 2)}\n`);
  } else {
    output.write(describe(asked, result));
    output.log(simulatedLine(model));
  }
}

const TITLE = 44; // columns
const BAR = 16;

function describe(asked: readonly Asked[], result: SimilarResult): string {
  const { items, missing, weights, popularity, diversity, history = [] } = result;
  const met = history.map(({ id, title }) => title ?? String(id));
  const names = asked.map(({ title, id }) => (id === null || id === title ? title : `${title} (${id})`));
  const head = `Similar to ${names.join(" and ")}:\n${missingLines(missing)}\n`;
  const width = Math.max(4, ...items.map((item) => Math.min(TITLE, name(item).length)));
  const lines = items.map((item) => {
    const { rank, scoreRank, distance, id, contributions } = item;
    const byScore = scoreRank === undefined ? "" : `${`#${scoreRank}`.padStart(8)}  `;
    const line = `${String(rank).padStart(4)}  ${name(item).slice(0, TITLE).padEnd(width)}  ${distance.toFixed(3).padStart(8)}  ${byScore}${id}\n`;
    return contributions ? line + explained(contributions, scoreRank ?? rank) + lifted(item, met) : line;
  });
  const header = `${" ".repeat(4 + 2 + width + 2)}distance  ${diversity === 0 ? "" : "by score  "}id\n`;
  const list = Object.entries(weights).map(([channel, weight]) => `${channel} ${weight.toFixed(2)}`);
  const typical = Object.values(weights).reduce((sum, weight) => sum + weight, 0);
  const comparable = popularity === 0 && Object.values(weights).every((weight) => weight >= 0);
  const far = comparable && items.length > 0 && items[0].distance > typical;
  const foot =
    `\n${far ? "Nothing is near: even the first is farther away than two random items are from each other.\n" : ""}Two random items are about ${typical.toFixed(2)} apart. ` +
    `Weights: ${list.join(", ")}${popularity === 0 ? "" : `; popularity ${popularity.toFixed(2)}`}${diversity === 0 ? "" : `; diversity ${diversity}`}\n`;
  return head + (items.length === 0 ? "  nothing: no item is left\n" : header + lines.join("")) + foot;
}

const name = ({ title, id }: SimilarItem): string => title ?? id;

function parseDiversity(text: string): number {
  const diversity = Number(text);
  if (text.trim() === "" || !(diversity >= 0 && diversity <= 1)) {
    throw new InvalidArgumentError("Expected a number from 0 to 1.");
  }
  return diversity;
}

/** A line per channel, the largest contribution first: bar, number, share of the distance, and the rank without it where it is another. */
function explained(contributions: readonly Contribution[], rank: number): string {
  const width = Math.max(...contributions.map(({ channel }) => channel.length));
  const largest = Math.max(...contributions.map(({ contribution }) => Math.abs(contribution)), Number.MIN_VALUE);
  return [...contributions]
    .sort((a, b) => b.contribution - a.contribution)
    .map(({ channel, contribution, share, unknown, rankWithout }) => {
      const bar = "█".repeat(Math.round((BAR * Math.abs(contribution)) / largest)).padEnd(BAR);
      const part = share === null ? "" : `${Math.round(100 * share)} %`;
      const notes = [
        ...(unknown === null ? [] : [UNKNOWN[unknown]]),
        ...(rankWithout === rank ? [] : [`without it: #${rankWithout}`]),
      ];
      return `        ${channel.padEnd(width)} ${bar} ${contribution.toFixed(3).padStart(7)} ${part.padStart(5)}  ${notes.join("; ")}`.trimEnd();
    })
    .join("\n")
    .concat("\n");
}

const MAX_LIFTS_SHOWN = 3;

/** The items of the history that add most to a score. */
function lifted({ lifts = [] }: SimilarItem, met: readonly string[]): string {
  const most = met
    .map((title, i) => ({ title, lift: lifts[i] ?? 0 }))
    .filter(({ lift }) => lift > 0)
    .sort((a, b) => b.lift - a.lift)
    .slice(0, MAX_LIFTS_SHOWN);
  if (most.length === 0) return "";
  return `        raised by ${most.map(({ title, lift }) => `${title} +${lift.toFixed(3)}`).join(", ")}\n`;
}

const UNKNOWN = {
  query: "not known of the query",
  item: "not known of this item",
  both: "not known of either",
} as const;
