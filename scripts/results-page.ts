// docs/results.md from what was measured: tables, and which of the claims hold. Nothing on the page is written by hand but what does not
// depend on figures.
import {
  type EvaluationResult,
  type Interval,
  type MetricName,
  markdownTable,
  type PaperResult,
  type PersonalisationResult,
  type RecommenderResult,
} from "@nearkin/evaluate";
import { decimals, interval } from "./figures.ts";
import { ownComparisons, usersOwnSection } from "./results-users.ts";

/** A split by items: default models with baselines, all learned models, the paper's first stage alone, the paper's experiments. */
interface ItemResults {
  readonly default: EvaluationResult;
  readonly learned: EvaluationResult;
  readonly siamese: EvaluationResult;
  readonly paper: PaperResult;
}

export interface Results {
  readonly time: ItemResults;
  readonly random: ItemResults;
  readonly users: EvaluationResult;
  /** Users' own metrics, by preset. */
  readonly personal: { readonly default: PersonalisationResult; readonly paper: PersonalisationResult };
  /** Default models and baselines, split by time, compared with popularity. */
  readonly popularity: EvaluationResult;
}

const MAIN = "co-interaction 30 d";
const PAPER = ["paper HR", "paper MRR", "paper NDCG"] as const satisfies readonly MetricName[];
const STANDARD = [
  "standard precision",
  "standard hit",
  "standard MRR",
  "standard NDCG",
] as const satisfies readonly MetricName[];
const SURE = 0.01;
/** Of whatever is trained, but where a row says otherwise. */
const SEEDS = 5;

/** What models are called on the page, by their labels. */
const NAMES: readonly (readonly [RegExp, string])[] = [
  [/^paper \(siamese, model\.ratingChannel true\)$/, "SIAMESE of `paper`, ratings as a channel"],
  [/^paper \(siamese\)$/, "SIAMESE of `paper`"],
  [/^paper \(ssl\.steps \d+\)$/, "SSL of `paper`"],
  [/^default \(ssl\.mode towers, ssl\.target rating\)$/, "`default`, towers trained on the rating target"],
  [/^default(?=$|, β)/, "**`default`**"],
];

/** With the number of seeds, where there are fewer than usual. */
const rowName = ({ name, kind, seeds }: RecommenderResult): string =>
  `${shown(name)}${(kind === "model" || name === "SPE") && seeds.length < SEEDS ? ` (${seeds.length} seeds)` : ""}`;

const shown = (name: string): string => NAMES.reduce((text, [label, own]) => text.replace(label, own), name);

export function resultsPage(results: Results): string {
  const { time, random, users, personal } = results;
  return `# Results

What Nearkin's models, and the baselines they must beat, score on MovieLens. This page is generated from the files in
[results/](results): \`npm run results\`. Rules, metrics and baselines are explained in [evaluation.md](evaluation.md).

- **Data.** ${dataLine(time.default)} Channels: genres, title and overview (sentence vectors, projected), year:
  [ml-25m-prefix.yaml](results/ml-25m-prefix.yaml).
- **Figures** are means over test items at 10 places, ${SEEDS} seeds for whatever is trained where a row says nothing else, with 95 % bootstrap intervals over test items.
  ↑ and ↓ mark what is better or worse than \`default\` at β = 0, item by item, by a sign test with p < ${SURE}.
- **Models** were trained before \`default\` had a [behavior channel](training.md#behavior), as \`behavior: { factors: 0 }\` trains them today; figures with it stand there.
- **All of it again:** [measure.sh](results/measure.sh) has every command, in order. The commands of each table stand below it.

## What holds

${[firstClaim(time.paper), secondClaim(results), thirdClaim(results), fourthClaim(results)].join("\n\n")}

${commands(["nearkin evaluate datasets/time models/time/default-* --popularity 0,0.25,0.5,1 --base popularity --out popularity-time.json"])}

## New items, split by time

${itemSection("time", time)}

## New items, drawn at random

${itemSection("random", random)}

## Known items, for people who were held out

${usersSection(users)}

## Each user's own metric

The same people, each with a metric of their own ([personalisation.md](personalisation.md)): the paper's second question, and its Figs. 3 to 5 in numbers. The pages that
\`report users\` writes have the figures. What these models know of how users differ (the start, and the prior) was learned again for them after a change to that part alone,
by the code that ends a training, on the engine \`wasm\`; for seed 2 of \`paper\` by the training itself.

### \`default\`

${usersOwnSection(personal.default)}

### \`paper\`

${usersOwnSection(personal.paper)}

${commands([
  "nearkin report users models/users/default-* --dataset datasets/users --out users-default.html",
  "nearkin report users models/users/paper-* --dataset datasets/users --out users-paper.html",
])}
`;
}

function dataLine({ dataset }: EvaluationResult): string {
  return `The first 2,686 users of MovieLens 25M, complete: ${count(dataset.events)} ratings, ${count(dataset.items)} films.`;
}

// ---- claims ----

/** Whether a first one is surely above a second. */
interface Comparison {
  readonly metric: string;
  /** First less second. */
  readonly difference: Interval;
  readonly p: number;
}

const isAbove = ({ difference, p }: Comparison): boolean => difference.low > 0 && p < SURE;

function verdict(title: string, holds: boolean | "in part", lines: readonly string[]): string {
  const word = holds === true ? "holds" : holds === false ? "does not hold" : "holds in part";
  return `**${title}: ${word}.**\n\n${lines.map((line) => `- ${line}`).join("\n")}`;
}

const all = (flags: readonly boolean[]): boolean | "in part" =>
  flags.every(Boolean) ? true : flags.some(Boolean) ? "in part" : false;

function firstClaim({ table }: PaperResult): string {
  const others = table.filter(({ ssl }) => ssl !== undefined);
  const compared = others.map(({ name, ssl }) => ({
    name,
    comparisons: PAPER.map((metric) => ({
      metric,
      difference: ssl?.[metric].difference ?? { mean: Number.NaN, low: Number.NaN, high: Number.NaN },
      p: ssl?.[metric].test.p ?? 1,
    })),
  }));
  return verdict(
    "1. SSL of the preset `paper` is above SIAMESE and SPE on HR, MRR and NDCG, split by time",
    all(compared.map(({ comparisons }) => comparisons.every(isAbove))),
    compared.map(({ name, comparisons }) => `SSL less ${name}: ${differencesText(comparisons)}`),
  );
}

function fourthClaim({ personal }: Results): string {
  const presets = Object.entries(personal).map(([preset, result]) => ({
    preset,
    comparisons: ownComparisons(result),
  }));
  return verdict(
    "4. A user's own metric is above the one that all share, for people who were held out",
    all(presets.map(({ comparisons }) => comparisons.every(isAbove))),
    presets.map(({ preset, comparisons }) => `\`${preset}\`, own less shared: ${differencesText(comparisons)}`),
  );
}

/** Those that look at nothing but the items themselves. */
const isContent = (name: string): boolean => /^cosine|^uniform weights$|^logistic regression$/.test(name);

function secondClaim({ time, random }: Results): string {
  const lines = [
    { split: "time", result: time.default },
    { split: "random", result: random.default },
  ].flatMap(({ split, result }) =>
    [MAIN, "affinity"].map((truth) => {
      const metrics = truth === MAIN ? PAPER : (["paper HR"] as const);
      const contents = result.recommenders.filter(({ name }) => isContent(name));
      const best = contents.reduce((a, b) => (meanOf(b, truth) > meanOf(a, truth) ? b : a));
      const isBest = contents.every((other) => metrics.every((metric) => isAbove(lessOther(other, truth, metric))));
      const comparisons = metrics.map((metric) => lessOther(best, truth, metric));
      const text = `split ${split}, ${truth}: ${isBest ? "above each of them" : "not surely above each of them"}; less the best of them, ${best.name}: ${differencesText(comparisons)}`;
      return { isBest, text };
    }),
  );
  return verdict(
    "2. `default` is above every content baseline on both splits and truths",
    all(lines.map(({ isBest }) => isBest)),
    lines.map(({ text }) => text),
  );
}

/** The base less another: what the file has, turned round. */
function lessOther(other: RecommenderResult, truth: string, metric: MetricName): Comparison {
  const { difference, test } = againstBase(other, truth, metric);
  return { metric, difference: { mean: -difference.mean, low: -difference.high, high: -difference.low }, p: test.p };
}

function thirdClaim({ popularity }: Results): string {
  const base = found(popularity, "popularity");
  const rows = popularity.recommenders.filter(({ name }) => name.startsWith("default"));
  const above = rows.map((row) => ({
    row,
    comparisons: PAPER.map((metric) => {
      const { difference, test } = againstBase(row, MAIN, metric);
      return { metric, difference, p: test.p };
    }),
  }));
  const best = above.reduce((a, b) => (meanOf(b.row, MAIN) > meanOf(a.row, MAIN) ? b : a));
  const shares = rows.map((row) => ({
    row,
    hr: meanOf(row, MAIN) / meanOf(base, MAIN),
    affinity: meanOf(row, "affinity") / meanOf(base, "affinity"),
  }));
  const both = shares.filter(({ hr, affinity }) => hr >= 0.9 && affinity >= 3);
  const kept = both.length > 0 ? both : shares;
  return verdict(
    "3. With β·log q the score is above popularity itself on HR, MRR and NDCG, split by time; and some β keeps 90 % of popularity's HR with 3 times its affinity",
    all([best.comparisons.every(isAbove), both.length > 0]),
    [
      `${shown(best.row.name)} less popularity: ${differencesText(best.comparisons)}`,
      ...kept.map(
        ({ row, hr, affinity }) =>
          `${shown(row.name)}: ${percent(hr)} of popularity's HR, ${affinity.toFixed(1)} times its affinity (${popularityQueries(popularity)} queries have one)`,
      ),
    ],
  );
}

const popularityQueries = ({ truths }: EvaluationResult): string =>
  count(truths.find(({ name }) => name === "affinity")?.queries ?? 0);

function differencesText(comparisons: readonly Comparison[]): string {
  return comparisons
    .map(({ metric, difference: { mean, low, high }, p }) => {
      const short = metric.replace("paper ", "");
      return `${short} ${signed(mean)} [${signed(low)}, ${signed(high)}], p ${p < 0.001 ? "< .001" : `= ${decimals(p)}`}`;
    })
    .join("; ");
}

// ---- tables ----

function itemSection(split: "time" | "random", results: ItemResults): string {
  const { default: own, learned, siamese, paper } = results;
  const names = new Set(own.recommenders.map(({ name }) => name));
  const models = own.recommenders.filter(({ kind }) => kind === "model");
  const rows = [
    ...models,
    ...[...learned.recommenders, ...siamese.recommenders].filter(({ name }) => !names.has(name)),
    ...own.recommenders.filter(({ kind }) => kind === "baseline"),
  ];
  return `${count(own.dataset.queries)} test items among ${count(own.dataset.items)} candidates. ${truthsLine(own)}

${mainTable(rows)}

Hits by horizon (the paper's HR), by the popularity of what is hit, and the standard family; what the lists show of the catalogue:

${otherTable(rows)}

${ratingsText(own)}
${commands([
  `nearkin evaluate datasets/${split} models/${split}/default-* --popularity 0,0.25,0.5,1,calibrated --out default-${split}.json`,
  `nearkin evaluate datasets/${split} models/${split}/{default,rating}-* paper/${split}/model-paper-*/ --no-baselines --spe ${seedsOf(learned, "SPE").join(",")} --engine native --out learned-${split}.json`,
  `nearkin evaluate datasets/${split} models/${split}/{default,siamese}-* --no-baselines --out siamese-${split}.json`,
])}

### The paper's Figs. 1 and 2

SSL by iteration: mean over ${paper.seeds.length} seeds and standard deviation. ${chosenText(paper)}

${curveTable(paper)}

${paperTable(paper)}

${commands([
  `nearkin report paper --dataset datasets/${split} --seeds ${paper.seeds.join(",")} --config docs/results/paper.yaml --engine native --cache paper/${split} --out paper-${split}.html`,
])}`;
}

const seedsOf = ({ recommenders }: EvaluationResult, asked: string): readonly number[] =>
  recommenders.find(({ name }) => name === asked)?.seeds ?? [];

function truthsLine({ truths }: EvaluationResult): string {
  const parts = truths.map(
    ({ name, queries, size }) => `${name}: ${count(queries)} (${count(size.median)} hits in the median)`,
  );
  return `Queries with a truth: ${parts.join(", ")}.`;
}

function mainTable(rows: readonly RecommenderResult[]): string {
  return markdownTable([
    ["", "HR", "MRR", "NDCG", "affinity HR"],
    ...rows.map((row) => [
      rowName(row),
      ...PAPER.map((metric) => figure(row, MAIN, metric)),
      figure(row, "affinity", "paper HR"),
    ]),
  ]);
}

function otherTable(rows: readonly RecommenderResult[]): string {
  const horizons = ["1 d", "7 d", "∞"].map((horizon) => `co-interaction ${horizon}`);
  return markdownTable([
    [
      "",
      "1 d",
      "7 d",
      "any time",
      "head",
      "middle",
      "tail",
      ...STANDARD.map((metric) => metric.replace("standard ", "")),
      "coverage",
      "ties",
    ],
    ...rows.map((row) => [
      rowName(row),
      ...horizons.map((truth) => decimals(meanOf(row, truth))),
      ...(["head", "middle", "tail"] as const).map((stratum) => decimals(row.truths[MAIN].strata[stratum])),
      ...STANDARD.map((metric) => decimals(meanOf(row, MAIN, metric))),
      percent(row.catalogue.coverage),
      percent(row.catalogue.ties),
    ]),
  ]);
}

function ratingsText({ recommenders }: EvaluationResult): string {
  const calibration = recommenders.find(({ name }) => name === "default")?.calibration;
  if (!calibration) return "";
  const { byRatings, coverage, nll, nllOfMean } = calibration;
  const rows = byRatings.map(({ least, items, rmse, rmseOfMean, correlation }) => [
    least === 1 ? "all" : `${least} ratings or more`,
    count(items),
    decimals(rmse),
    decimals(rmseOfMean),
    correlation === null ? "–" : decimals(correlation),
  ]);
  const covered = Object.entries(coverage).map(
    ([share, inside]) => `${percent(inside)} in the ${percent(Number(share))} interval`,
  );
  return `Predicted mean ratings of test items, \`default\`, first seed: ${covered.join(", ")}; negative log-likelihood ${decimals(nll.mean)} nats (${decimals(nllOfMean)} for the mean of all).

${markdownTable([["items with", "items", "RMSE", "RMSE of the mean of all", "correlation"], ...rows])}
`;
}

function chosenText({ chosen }: PaperResult): string {
  const list = (values: readonly (number | string)[]) => values.join(", ");
  const off = chosen.filter(({ spe }) => spe.standOff).length;
  return `Validation items chose SSL's iterations ${list(chosen.map(({ ssl }) => ssl))} and SPE's steps ${list(chosen.map(({ spe }) => spe.step))}; in ${off} of ${chosen.length} runs new items stand off in SPE.`;
}

function curveTable({ curve, lines }: PaperResult): string {
  const band = ({ mean, deviation }: { mean: number; deviation: number }) =>
    `${decimals(mean)} ± ${decimals(deviation)}`;
  return markdownTable([
    ["", "HR", "MRR", "NDCG"],
    ...curve.map(({ step, metrics }) => [`SSL, ${step} iterations`, ...PAPER.map((metric) => band(metrics[metric]))]),
    ...lines.map(({ name, metrics }) => [name, ...PAPER.map((metric) => band(metrics[metric]))]),
  ]);
}

function paperTable({ table }: PaperResult): string {
  return markdownTable([
    ["", "HR", "MRR", "NDCG", "SSL better / equal / worse by HR"],
    ...table.map(({ name, metrics, ssl }) => {
      const test = ssl?.["paper HR"].test;
      return [
        name === "SSL" ? "SSL at the chosen iteration" : name,
        ...PAPER.map((metric) => interval(metrics[metric])),
        test ? `${count(test.better)} / ${count(test.equal)} / ${count(test.worse)}` : "–",
      ];
    }),
  ]);
}

function usersSection(result: EvaluationResult): string {
  const { truths, recommenders, dataset } = result;
  const tables = truths.map(
    ({ name, queries }) => `${capital(name)}, ${count(queries)} people:

${markdownTable([["", ...PAPER.map((metric) => metric.replace("paper ", "")), "standard NDCG"], ...recommenders.map((row) => [shown(row.name), ...PAPER.map((metric) => figure(row, name, metric)), figure(row, name, "standard NDCG")])])}`,
  );
  return `${count(dataset.queries)} people of whom training has seen nothing (EV10). Each later item asks for the others, and what they met before is no candidate. Here queries are
items that training knows, so that collaborative baselines can answer. EASE and SLIM know the items with 5 ratings or more, at most 8,000: the second
table has these as the only candidates, for everyone.

${tables.join("\n\n")}

${commands(["nearkin evaluate datasets/users models/users/default-* --popularity 0,0.25,0.5,1,calibrated --out default-users.json"])}`;
}

const commands = (lines: readonly string[]): string => `\`\`\`sh\n${lines.join("\n")}\n\`\`\``;

// ---- figures ----

function found({ recommenders }: EvaluationResult, name: string): RecommenderResult {
  const row = recommenders.find((recommender) => recommender.name === name);
  if (!row) throw new Error(`the results have no "${name}"`);
  return row;
}

function againstBase(row: RecommenderResult, truth: string, metric: MetricName) {
  const { against } = row.truths[truth].metrics[metric];
  if (!against) throw new Error(`${row.name} was not compared on ${truth}, ${metric}`);
  return against;
}

const meanOf = (row: RecommenderResult, truth: string, metric: MetricName = "paper HR"): number =>
  row.truths[truth].metrics[metric].mean;

function figure(row: RecommenderResult, truth: string, metric: MetricName): string {
  const result = row.truths[truth]?.metrics[metric];
  if (!result || !Number.isFinite(result.mean)) return "–";
  const { against } = result;
  const mark = against && against.test.p < SURE ? (against.difference.mean > 0 ? " ↑" : " ↓") : "";
  return `${interval(result)}${mark}`;
}

const signed = (value: number): string => `${value < 0 ? "−" : "+"}${decimals(Math.abs(value))}`;
const percent = (share: number): string => `${(100 * share).toFixed(share < 0.1 ? 1 : 0)} %`;
const count = (value: number): string => value.toLocaleString("en");
const capital = (text: string): string => text[0].toUpperCase() + text.slice(1);
