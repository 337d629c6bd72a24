// The part of docs/results.md on users' own metrics: against the shared one, and what it adds to have learned where a fit starts.
import { type ComparedRefit, markdownTable, type PersonalisationResult, type RefitStart } from "@nearkin/evaluate";
import { decimals, interval } from "./figures.ts";

const METRICS = ["paper HR", "paper MRR", "paper NDCG"] as const;
type Metric = (typeof METRICS)[number];
const SURE = 0.01;

/** What is on the page of one preset. */
export function usersOwnSection(result: PersonalisationResult): string {
  const { model, seeds, users } = result;
  return `${users} people, ${seeds.length} ${seeds.length === 1 ? "seed" : "seeds"}; fitted to the target \`${model.target}\`, at most ${model.items} of their last items; the start learned from ${model.learnedFrom} training users (\`mean: ${model.mean}\`).

${ownTable(result)}

What it adds to learn the start, by gradient steps of length ω = ${model.rate} without a prior, and by the number of a user's last ratings; means with 95 % intervals, ↑ and ↓ where
clearly above or below the shared metric:

${METRICS.map((metric) => `${metric.replace("paper ", "")}; the shared metric has ${decimals(result.base[metric].mean)}:\n\n${startsTable(result, metric)}`).join("\n\n")}`;
}

/** Whether the model's own fit is above the shared metric, figure by figure. */
export function ownComparisons(result: PersonalisationResult) {
  const own = fitOf(result, null);
  return METRICS.map((metric) => ({ metric, difference: own[metric].difference, p: own[metric].test.p }));
}

/** The model's own fit against the shared metric; also in docs/personalisation.md. */
export function ownTable(result: PersonalisationResult): string {
  const own = fitOf(result, null);
  const row = (name: string, of: (metric: Metric) => string) => [name, ...METRICS.map(of)];
  return markdownTable([
    ["", ...METRICS.map((metric) => metric.replace("paper ", ""))],
    row("the shared metric", (metric) => interval(result.base[metric])),
    row("each user's own", (metric) => interval(own[metric])),
    row("gain", (metric) => percent(own[metric].difference.mean / result.base[metric].mean)),
    row("difference", (metric) => interval(own[metric].difference)),
    row("people better / equal / worse", (metric) => counts(own[metric].test)),
    row("sign test", (metric) => probability(own[metric].test.p)),
    row(`of ${result.shown.length} drawn by chance`, (metric) => counts(result.shownTests[metric])),
  ]);
}

function startsTable(result: PersonalisationResult, metric: Metric): string {
  const counted = [...new Set(result.refits.map(({ ratings }) => ratings))].filter((ratings) => ratings !== null);
  const steps = pathOf(result, "shared", counted[0] ?? null).map(({ step }) => step ?? 0);
  const name = { shared: "shared weights", learned: "learned weights" } as const;
  const rows = counted
    .sort((a, b) => a - b)
    .flatMap((ratings) =>
      (["shared", "learned"] as const).map((start) => {
        const path = pathOf(result, start, ratings);
        const at = (step: number) => path.find((refit) => refit.step === step)?.metrics[metric];
        const fit = start === "learned" ? fitOf(result, ratings)[metric] : undefined;
        return [`${ratings}, ${name[start]}`, ...steps.map((step) => marked(at(step))), marked(fit)];
      }),
    );
  const head = steps.map((step) => `${step.toLocaleString("en")} ${step === 1 ? "step" : "steps"}`);
  return markdownTable([["ratings, start", ...head, "the model's own fit"], ...rows]);
}

const pathOf = ({ refits }: PersonalisationResult, start: RefitStart, ratings: number | null) =>
  refits.filter((refit) => refit.start === start && refit.ratings === ratings);

function fitOf(result: PersonalisationResult, ratings: number | null): Readonly<Record<Metric, ComparedRefit>> {
  const [found] = pathOf(result, "fit", ratings);
  if (!found) throw new Error(`the model's own fit to ${ratings ?? "all"} ratings was not measured`);
  return found.metrics;
}

function marked(figure: ComparedRefit | undefined): string {
  if (!figure) return "";
  const { difference, test } = figure;
  const isSure = test.p < SURE;
  const mark = isSure && difference.low > 0 ? " ↑" : isSure && difference.high < 0 ? " ↓" : "";
  return `${interval(figure)}${mark}`;
}

const percent = (share: number): string => `${share > 0 ? "+" : "−"}${(100 * Math.abs(share)).toFixed(1)} %`;
const counts = ({ better, equal, worse }: { better: number; equal: number; worse: number }): string =>
  `${better} / ${equal} / ${worse}`;
const probability = (p: number): string =>
  p < 1e-3 ? `p < 10${superscript(Math.ceil(Math.log10(p)))}` : `p = ${decimals(p)}`;
const superscript = (power: number): string =>
  `⁻${[...String(Math.abs(power))].map((digit) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[Number(digit)]).join("")}`;
