// How it was measured: the data, what was held out, what counts as a hit, how often, and how long was trained.
import { PLACES } from "../../../protocol/measure.ts";
import { hitMeans } from "../../headline.ts";
import { html } from "../../html.ts";
import { count, listed, percent, plural, unbroken } from "../../numbers.ts";
import { type Fact, facts, type Section } from "../../section.ts";
import type { PaperData, PaperReport } from "../paper-report.ts";

export function measuredSection({ data, result, settings }: PaperReport): Section {
  const { siamese, ssl } = settings.train;
  const { spe } = settings;
  const rated = data.ratings.kind === "implicit" ? "events without ratings" : ratingsOf(data);
  const entries: Fact[] = [
    ["Dataset", data.name],
    ["Items", count(data.items)],
    ["Users", count(data.users)],
    ["Events", count(data.events)],
    ["Ratings", rated],
    ["Channels", listed(data.channels.map(({ name, type, encoder }) => `${name} (${encoder ?? type})`)), "wide"],
    ["Split", splitOf(data), "wide"],
    ["Test items", queriesOf({ data, result }), "wide"],
    [
      "A hit",
      `${hitMeans(result.truth)} (${unbroken(result.truth)}). Lists have ${PLACES} places, and candidates are the whole catalogue but the query.`,
      "wide",
    ],
    ["Runs", runsOf(result.seeds), "wide"],
    ["SIAMESE", `${plural(siamese.steps, "step")} of ${count(siamese.batch)} pairs; ${KEPT[siamese.keep]}`, "wide"],
    [
      "SSL",
      `from there ${plural(ssl.steps, "step")} of at most ${count(ssl.batch)} items, ${count(ssl.inducing)} inducing ones at most; ${KEPT[ssl.keep]}; test items are measured every ${count(ssl.validateEvery)} steps, beside the training, which does not see them`,
      "wide",
    ],
    ["SPE", `at most ${plural(spe.steps, "step")} of ${count(spe.batch)} pairs; ${KEPT.best}`, "wide"],
  ];
  return {
    id: "measured",
    title: "How it was measured",
    body: html`${facts(entries)}
<p>SIAMESE is an ensemble of channel distances, trained on pairs of items that users met one after the other. SSL goes on from it, and fits a Gaussian process with the metric as its kernel to the mean ratings of the training items. SPE is a hybrid of content and a free vector for each item. Figures are the paper's family: its HR is a precision, its NDCG divides by the gain of the list's own hits.</p>`,
  };
}

const KEPT = {
  best: "the step that ranks validation items best is kept",
  last: "the last step is kept",
} as const;

const ratingsOf = ({ ratings: { least, most, mean } }: PaperData): string =>
  `${least} to ${most}, mean ${mean.toFixed(2)}`;

function splitOf({ split, fraction, folds }: PaperData): string {
  const share = percent(fraction);
  const shares =
    split === "random"
      ? `by chance: ${share} of the items are for test and ${share} for validation, with all their events`
      : `by ${split}: the newest ${share} of the items are for test, the ${share} before them for validation`;
  if (folds.length === 1) {
    const { train, validation, test } = folds[0].roles;
    return `${shares}; ${plural(train, "training item")}, ${count(validation)} for validation, ${count(test)} for test`;
  }
  const whole = Math.abs(folds.length * fraction - 1) < 1e-9;
  return `${shares}; ${folds.length} folds${whole ? ", so that every item is tested once" : ""}, each trained on ${rangeOf(folds.map(({ roles }) => roles.train))} items`;
}

function rangeOf(values: readonly number[]): string {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  return least === most ? count(least) : `${count(least)} to ${count(most)}`;
}

function queriesOf({ data, result }: Pick<PaperReport, "data" | "result">): string {
  const left = result.datasets.reduce((sum, { queries }) => sum + queries, 0) - result.queries;
  return `${count(result.queries)}${data.folds.length > 1 ? ", those of all folds together" : ""}${left > 0 ? `; ${count(left)} more without a truth are left out` : ""}`;
}

function runsOf(seeds: readonly number[]): string {
  const several = `seeds ${listed(seeds.map(String))}; an item's value is its mean over them, and intervals are over items`;
  return seeds.length > 1 ? several : `one, of seed ${seeds[0]}; intervals are over items`;
}
