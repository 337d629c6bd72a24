// What a test says of a difference, and what may be called best.
import type { Evaluation } from "@nearkin/client";
import { isMeasured, type Measured } from "../design/numbers.ts";

/** p below which a difference is called one. */
export const SURE = 0.01;

export type Verdict = "better" | "worse" | "open";

interface Test {
  readonly better: number;
  readonly worse: number;
  readonly p: number;
}

export interface Compared {
  readonly difference: { readonly mean: Measured; readonly low: Measured; readonly high: Measured };
  readonly test: Test;
}

/** By the sign test: the mean and most of the queries must agree on the way. */
export function directionOf({ difference: { mean }, test }: Compared): Verdict {
  if (!(test.p < SURE) || !isMeasured(mean)) return "open";
  if (mean > 0 && test.better > test.worse) return "better";
  return mean < 0 && test.better < test.worse ? "worse" : "open";
}

/** Stricter, as the paper's experiments are judged: the interval of the difference must lie on one side of 0 too. */
export function verdictOf({ difference: { low, high }, test }: Compared): Verdict {
  if (!(test.p < SURE) || !isMeasured(low) || !isMeasured(high)) return "open";
  if (low > 0 && test.better > test.worse) return "better";
  return high < 0 && test.better < test.worse ? "worse" : "open";
}

export type Recommender = Evaluation["recommenders"][number];
export type Metric = keyof Recommender["truths"][string]["metrics"];
export type Figure = Recommender["truths"][string]["metrics"][Metric];

export const figureOf = ({ truths }: Recommender, truth: string, metric: Metric): Figure | undefined =>
  truths[truth]?.metrics[metric];

/**
 * The name of the best, where the tests say that it is. Each recommender is tested against the base alone. So the base is best where all
 * others are worse by the test; another is where it is better than the base by the test, and its interval lies above those of the rest.
 */
export function clearlyBest({ recommenders, base }: Evaluation, truth: string, metric: Metric): string | undefined {
  const measured = recommenders.flatMap((recommender) => {
    const figure = figureOf(recommender, truth, metric);
    return figure && isMeasured(figure.mean) ? [{ name: recommender.name, figure, mean: figure.mean }] : [];
  });
  if (measured.length < 2) return undefined;
  const first = measured.reduce((a, b) => (b.mean > a.mean ? b : a));
  const others = measured.filter((one) => one !== first);
  const sure =
    first.name === base
      ? others.every(({ figure }) => figure.against && directionOf(figure.against) === "worse")
      : first.figure.against !== undefined &&
        directionOf(first.figure.against) === "better" &&
        others.every(({ name, figure }) => name === base || (figure.high ?? 1) < (first.figure.low ?? 0));
  return sure ? first.name : undefined;
}

/** Whether some interval is a point: resampling queries that all have the same value gives nothing else. */
export const somePoint = (figures: readonly (Figure | undefined)[]): boolean =>
  figures.some((figure) => isMeasured(figure?.low) && figure.low === figure.high);

export interface Headline {
  readonly own: { readonly name: string; readonly figure: Figure };
  /** Of random choice: how much of the figure is worth nothing. Absent where it was not measured. */
  readonly chance?: Figure;
  /** Absent without baselines. */
  readonly best?: { readonly name: string; readonly figure: Figure };
  /** What the test says of the model against it; absent where the model is not the base. */
  readonly verdict?: Verdict;
  /** Model − baseline. */
  readonly advantage?: { readonly mean: number; readonly low: number; readonly high: number; readonly p: number };
}

/** The first model against the best baseline. */
export function headlineOf(evaluation: Evaluation, truth: string, metric: Metric = "paper HR"): Headline | undefined {
  const measured = evaluation.recommenders.flatMap(({ name, kind, truths }) => {
    const figure = truths[truth]?.metrics[metric];
    return figure && isMeasured(figure.mean) ? [{ name, kind, figure, mean: figure.mean }] : [];
  });
  const own =
    measured.find(({ name, kind }) => kind === "model" && name === evaluation.base) ??
    measured.find(({ kind }) => kind === "model");
  if (!own) return undefined;
  const chance = measured.find(({ name, kind }) => kind === "baseline" && name === "random")?.figure;
  const found = { own, ...(chance && { chance }) };
  const [best] = measured.filter(({ kind }) => kind === "baseline").sort((a, b) => b.mean - a.mean);
  if (!best) return found;
  const against = own.name === evaluation.base ? best.figure.against : undefined;
  if (!against) return { ...found, best };
  const { mean, low, high } = against.difference;
  const turned = { better: "worse", worse: "better", open: "open" } as const;
  return {
    ...found,
    best,
    verdict: turned[directionOf(against)],
    ...(isMeasured(mean) && isMeasured(low) && isMeasured(high)
      ? { advantage: { mean: -mean, low: -high, high: -low, p: against.test.p } }
      : {}),
  };
}
