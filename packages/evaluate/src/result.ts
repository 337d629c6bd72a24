// What an evaluation writes: plain data, stored as JSON, from which tables, pages and figures are made.
import type { QueryRole } from "@nearkin/data";
import type { Calibration } from "./protocol/calibration.ts";
import type { CatalogueFigures } from "./protocol/catalogue.ts";
import type { MetricName, paperMetrics } from "./protocol/measure.ts";
import type { Stratum } from "./protocol/strata.ts";
import type { Interval } from "./statistics/bootstrap.ts";
import type { SignTest } from "./statistics/sign-test.ts";

export const EVALUATION_FORMAT = "nearkin-evaluation";
export const EVALUATION_VERSION = 1;

export interface EvaluationResult {
  readonly format: typeof EVALUATION_FORMAT;
  readonly version: typeof EVALUATION_VERSION;
  readonly dataset: EvaluatedDataset;
  /** Places that metrics look at. */
  readonly k: number;
  /** Name of the one that all others are compared with. */
  readonly base: string;
  readonly truths: readonly TruthSummary[];
  readonly recommenders: readonly RecommenderResult[];
}

export interface EvaluatedDataset {
  readonly name: string;
  /** Of the folder's content. */
  readonly hash: string;
  readonly split: string;
  /** Whose truths were opened: those of `test` are for figures, those of `validation` chose steps and settings. */
  readonly role: QueryRole;
  readonly items: number;
  readonly users: number;
  readonly events: number;
  /** Users and ratings are made up: said wherever the figures are shown. */
  readonly simulated: boolean;
  /** Items, or users, of this role. */
  readonly queries: number;
}

export interface TruthSummary {
  readonly name: string;
  /** Queries with a truth. */
  readonly queries: number;
  /** Those without, left out (EV8). */
  readonly empty: number;
  /** |G|: mean and median over the queries. */
  readonly size: { readonly mean: number; readonly median: number };
}

export interface RecommenderResult {
  readonly name: string;
  readonly kind: "model" | "baseline";
  /** One for what is not drawn by chance. */
  readonly seeds: readonly number[];
  /** By truth. */
  readonly truths: Readonly<Record<string, TruthResult>>;
  readonly catalogue: CatalogueFigures;
  /** Of baselines that are tuned: what was chosen on validation queries, such as "shrinkage 100, userLengthExponent 0.5". */
  readonly settings?: string;
  /** Of models with a posterior. */
  readonly calibration?: Calibration;
}

export interface TruthResult {
  /** Queries that it could answer. */
  readonly queries: number;
  readonly metrics: Readonly<Record<MetricName, MetricResult>>;
  /** Paper HR within each third of the truth by popularity (EV12). */
  readonly strata: Readonly<Record<Stratum, number>>;
  /** By how well the query is known: strata with queries that were answered. */
  readonly known?: readonly KnownResult[];
}

/** Queries with so many training events. With held-out users a query counts once for each user who asks it. */
export interface KnownResult {
  /** "0", "1–4", "5–19", "20–99" or "100+". */
  readonly events: string;
  /** Queries that were answered. */
  readonly queries: number;
  readonly metrics: Readonly<Record<(typeof paperMetrics)[number], Interval>>;
  /** Against the base, on the queries that both answer; absent for the base itself, and if there are none. */
  readonly against?: {
    readonly queries: number;
    readonly difference: Readonly<Record<(typeof paperMetrics)[number], Interval>>;
  };
}

/** The mean over seeds and queries, with the interval over queries (EV11). */
export interface MetricResult extends Interval {
  /** Standard deviation of the mean over seeds; absent with one. */
  readonly overSeeds?: number;
  /** Against the base, query by query; absent for the base itself, and where it answers other queries. */
  readonly against?: { readonly difference: Interval; readonly test: SignTest };
}
