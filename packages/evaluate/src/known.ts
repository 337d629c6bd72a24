// Verdicts by how well the query is known: in each stratum of training events, the model against the baseline over which it leads least.
import type { paperMetrics } from "./protocol/measure.ts";
import { knownStrata } from "./protocol/strata.ts";
import type { EvaluationResult, KnownResult, RecommenderResult } from "./result.ts";
import type { Interval } from "./statistics/bootstrap.ts";

export interface KnownVerdict {
  /** "0", "1–4", "5–19", "20–99" or "100+". */
  readonly events: string;
  /** Queries of the stratum that the base answers. */
  readonly queries: number;
  readonly own: Interval;
  /** The baseline over which the base leads least, of those that answer at least half of the queries; absent if there is none. */
  readonly rival?: {
    readonly name: string;
    /** Over the queries that it answers. */
    readonly value: Interval;
    /** Those that both answer. */
    readonly queries: number;
    /** The base less the rival, query by query. */
    readonly lead: Interval;
  };
  /** `undecided` if the interval of the lead holds 0, or there is no rival. */
  readonly verdict: "above" | "below" | "undecided";
}

/** Baselines that give the same list to every query. */
export const QUERY_INDEPENDENT: ReadonlySet<string> = new Set(["popularity", "recent popularity", "random"]);

const MIN_SHARE = 0.5; // of the queries of a stratum

/** A verdict for each stratum with queries; empty if the base is not a model, or the file is of a version without strata. */
export function knownVerdicts(
  { recommenders, base }: Pick<EvaluationResult, "recommenders" | "base">,
  truth: string,
  metric: (typeof paperMetrics)[number] = "paper HR",
): KnownVerdict[] {
  const model = recommenders.find(({ name, kind }) => name === base && kind === "model");
  const stratumOf = ({ truths }: RecommenderResult, events: string): KnownResult | undefined =>
    truths[truth]?.known?.find((one) => one.events === events);
  const rivals = recommenders.filter(({ kind, name }) => kind === "baseline" && !QUERY_INDEPENDENT.has(name));
  return knownStrata.flatMap(({ events }): KnownVerdict[] => {
    const own = model && stratumOf(model, events);
    if (!own) return [];
    const found = { events, queries: own.queries, own: own.metrics[metric] };
    const [best] = rivals
      .flatMap((rival) => {
        const known = stratumOf(rival, events);
        if (!known?.against || known.against.queries < MIN_SHARE * own.queries) return [];
        const { mean, low, high } = known.against.difference[metric];
        const lead = { mean: -mean, low: -high, high: -low };
        return [{ name: rival.name, value: known.metrics[metric], queries: known.against.queries, lead }];
      })
      .sort((a, b) => a.lead.mean - b.lead.mean);
    if (!best) return [{ ...found, verdict: "undecided" }];
    const verdict = best.lead.low > 0 ? "above" : best.lead.high < 0 ? "below" : "undecided";
    return [{ ...found, rival: best, verdict }];
  });
}
