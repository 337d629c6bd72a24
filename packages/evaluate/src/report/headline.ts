// The figures that a reader takes home: the model against the best baseline, on the main truth.
import { QUERY_INDEPENDENT } from "../known.ts";
import type { MetricName } from "../protocol/measure.ts";
import { MAIN_TRUTH } from "../protocol/truths.ts";
import type { EvaluationResult, RecommenderResult, TruthSummary } from "../result.ts";
import type { Interval } from "../statistics/bootstrap.ts";
import { directionOf } from "../statistics/sign-test.ts";
import type { ModelReport } from "./model-report.ts";
import { isMeasured } from "./numbers.ts";

/** The one that is judged first: 30 days where there are times, else the first with queries. */
export function mainTruth({ truths }: EvaluationResult): TruthSummary | undefined {
  return (
    truths.find(({ name, queries }) => name === MAIN_TRUTH && queries > 0) ?? truths.find(({ queries }) => queries > 0)
  );
}

export interface Headline {
  readonly truth: TruthSummary;
  readonly metric: MetricName;
  readonly own: RecommenderResult;
  readonly ownValue: Interval;
  /** Absent without baselines. */
  readonly best?: RecommenderResult;
  readonly bestValue?: Interval;
  /** Model − best baseline, with p of the sign test, and whether both point one way and chance hardly explains it; only where the model is what all others are compared with. */
  readonly advantage?: Interval & { readonly p: number; readonly clear: boolean };
}

export interface HeadlineOptions {
  /** @default "paper HR" */
  metric?: MetricName;
  /** @default the main truth */
  truth?: string;
  /** Leave out baselines that ignore the query and give the same list to all. @default false */
  asked?: boolean;
}

/** undefined where no query has a truth, or the evaluation lacks the model. */
export function headline({ evaluation, model }: ModelReport, options: HeadlineOptions = {}): Headline | undefined {
  const { metric = "paper HR", truth: named, asked = false } = options;
  const truth = named === undefined ? mainTruth(evaluation) : evaluation.truths.find(({ name }) => name === named);
  const own = evaluation.recommenders.find(({ name, kind }) => kind === "model" && name === model.label);
  if (!truth || !own) return undefined;
  const figureOf = ({ truths }: RecommenderResult) => truths[truth.name]?.metrics[metric];
  const ownValue = figureOf(own);
  if (!ownValue || !isMeasured(ownValue.mean)) return undefined;
  const [best] = evaluation.recommenders
    .filter(({ kind, name }) => kind === "baseline" && !(asked && QUERY_INDEPENDENT.has(name)))
    .filter((recommender) => isMeasured(figureOf(recommender)?.mean))
    .sort((a, b) => figureOf(b).mean - figureOf(a).mean);
  if (!best) return { truth, metric, own, ownValue };
  const bestValue = figureOf(best);
  const against = evaluation.base === model.label ? bestValue.against : undefined;
  const advantage = against && {
    mean: -against.difference.mean,
    low: -against.difference.high,
    high: -against.difference.low,
    p: against.test.p,
    clear: directionOf(against) !== "open",
  };
  return { truth, metric, own, ownValue, best, bestValue, ...(advantage ? { advantage } : {}) };
}

/** What a hit is, in words, by the name of its truth. */
export function hitMeans(truth: string): string {
  const [, days] = /^co-interaction (\d+) d$/.exec(truth) ?? [];
  if (days !== undefined)
    return `an item that some user met within ${days} ${days === "1" ? "day" : "days"} of the query`;
  if (truth === "co-interaction ∞") return "an item that some user met besides the query, at any time";
  if (truth === "affinity")
    return "one of the items whose users overlap most with those of the query, for how popular both are";
  if (truth.startsWith("later items")) return "another item that the same held-out user met later";
  return "an item of the truth";
}

/** A truth as a heading. */
export function truthTitle(truth: string): string {
  const [, days] = /^co-interaction (\d+) d$/.exec(truth) ?? [];
  if (days !== undefined) return `Met within ${days} ${days === "1" ? "day" : "days"}`;
  if (truth === "co-interaction ∞") return "Met by the same people";
  if (truth === "later items") return "What users met later";
  return truth === "affinity" ? "Shared users" : truth;
}

/** Truths of held-out users (EV10) are told apart from those of held-out items. */
export const isPersonal = (truth: string): boolean => truth.startsWith("later items");
