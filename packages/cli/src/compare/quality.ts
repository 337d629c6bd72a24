// How well the run behind the new model ranks what it has not seen: what `nearkin evaluate --out` wrote, from the model's side.
import { NearkinError } from "@nearkin/core";
import {
  directionOf,
  type EvaluationResult,
  type Interval,
  type MetricName,
  mainTruth,
  parseEvaluation,
  type RecommenderResult,
  type SignTest,
} from "@nearkin/evaluate";
import type { ModelFacts } from "./facts.ts";

export interface Quality {
  readonly truth: string;
  readonly metric: MetricName;
  /** The model's row. */
  readonly name: string;
  readonly own: Interval;
  readonly against: readonly AgainstBaseline[];
}

export interface AgainstBaseline {
  readonly name: string;
  readonly value: Interval;
  /** The model less the baseline. */
  readonly difference: number;
  /** Of the model: queries where it is better, equal, worse. */
  readonly test: SignTest;
  readonly direction: "better" | "worse" | "open";
}

export interface QualityOptions {
  metric: MetricName;
  /** @default the main truth */
  truth?: string | undefined;
  /** For messages. */
  path: string;
}

/** Where the evaluation is of other data than the model was chosen on, it says nothing of it. */
export function qualityOf(
  text: string,
  { facts, label }: { facts: ModelFacts; label: string },
  { metric, truth: asked, path }: QualityOptions,
): Quality {
  const evaluation = parseEvaluation(text, path);
  const chosen = facts.chosenOn ?? facts.dataset.id;
  if (evaluation.dataset.hash !== chosen) {
    throw new NearkinError(
      "BAD_ARGUMENT",
      `--evaluation: ${path} was measured on ${evaluation.dataset.name} (${evaluation.dataset.hash.slice(0, 8)}), and ${facts.folder} was chosen on another dataset (${chosen.slice(0, 8)}); evaluate the run that chose its steps: nearkin evaluate <dataset> <model>-split --out ${path}`,
    );
  }
  const truth = asked === undefined ? mainTruth(evaluation) : evaluation.truths.find(({ name }) => name === asked);
  if (!truth) {
    const names = evaluation.truths.map(({ name }) => `"${name}"`).join(", ");
    throw new NearkinError("BAD_ARGUMENT", `--truth: ${path} has ${names || "no truth"}, not "${asked ?? ""}"`);
  }
  const figureOf = ({ truths }: RecommenderResult) => truths[truth.name]?.metrics[metric];
  const own = ownRow(evaluation, label, path);
  const value = figureOf(own);
  const against = evaluation.recommenders.flatMap((other): AgainstBaseline[] => {
    const figure = figureOf(other);
    if (other.kind !== "baseline" || !figure) return [];
    const compared =
      evaluation.base === own.name
        ? reversed(figure.against)
        : evaluation.base === other.name
          ? value.against
          : undefined;
    if (!compared) return [];
    const { difference, test } = compared;
    return [{ name: other.name, value: figure, difference: difference.mean, test, direction: directionOf(compared) }];
  });
  return { truth: truth.name, metric, name: own.name, own: value, against };
}

type Against = NonNullable<RecommenderResult["truths"][string]["metrics"][MetricName]["against"]>;

/** The file compares each row with its base; we ask the other way round. */
function reversed(against: Against | undefined): Against | undefined {
  if (!against) return undefined;
  const { difference, test } = against;
  return {
    difference: { ...difference, mean: -difference.mean, low: -difference.high, high: -difference.low },
    test: { ...test, better: test.worse, worse: test.better },
  };
}

/** The row of the model at β = 0; where only one model was measured, that one. */
function ownRow({ recommenders }: EvaluationResult, label: string, path: string): RecommenderResult {
  const models = recommenders.filter(({ kind }) => kind === "model");
  const own = models.find(({ name }) => name === label) ?? (models.length === 1 ? models[0] : undefined);
  if (own) return own;
  const names = models.map(({ name }) => `"${name}"`).join(", ") || "no model";
  throw new NearkinError("BAD_ARGUMENT", `--evaluation: ${path} has ${names}, and none is the new model, "${label}"`);
}
