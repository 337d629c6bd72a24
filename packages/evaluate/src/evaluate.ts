// Recommenders against all truths of a split (EV4–EV9, EV11, EV12). Each is ranked once; everything else is arithmetic on its lists.
import { catalogueFigures } from "./protocol/catalogue.ts";
import { emptyLists, type RankedLists } from "./protocol/lists.ts";
import { type Measured, type MetricName, measure, metricNames, PLACES, paperMetrics } from "./protocol/measure.ts";
import type { Recommender } from "./protocol/recommender.ts";
import { knownStrata, knownStratum, type Stratum, strata, stratify } from "./protocol/strata.ts";
import type { TruthTable } from "./protocol/truths.ts";
import type { KnownResult, MetricResult, RecommenderResult, TruthResult, TruthSummary } from "./result.ts";
import { bootstrapMean, differences, type Interval, mean, percentile } from "./statistics/bootstrap.ts";
import { signTest } from "./statistics/sign-test.ts";

/** A recommender of one seed, measured: by truth the metrics of every query it could answer. */
export interface Measurement {
  readonly name: string;
  readonly seed: number;
  readonly kind: RecommenderResult["kind"];
  readonly truths: ReadonlyMap<string, MeasuredTruth>;
  readonly catalogue: RecommenderResult["catalogue"];
}

interface MeasuredTruth {
  /** (q) Those of the truth's queries that the recommender knows. */
  readonly queries: Int32Array;
  readonly metrics: Measured;
  readonly strata: Readonly<Record<Stratum, number>>;
  readonly answered: AnsweredQueries;
}

/** Every query that was answered; with held-out users once for each user who asks it. */
export interface AnsweredQueries {
  /** The same number for the same query, whoever answers. */
  readonly keys: Float64Array;
  /** Training events of each. */
  readonly events: Int32Array;
  readonly metrics: Measured;
}

export interface MeasureOptions {
  seed: number;
  kind: RecommenderResult["kind"];
  truths: readonly TruthTable[];
  /** (n) Training events by item. */
  events: ArrayLike<number>;
}

/** Ranks all queries of all truths at once, then measures. */
export function measureRecommender(recommender: Recommender, options: MeasureOptions): Measurement {
  const { seed, kind, truths, events } = options;
  const asked = Int32Array.from(new Set(truths.flatMap(({ queries }) => [...queries]))).sort();
  const known = asked.filter((item) => recommender.knows(item));
  const lists = recommender.rank(known, PLACES + 1); // one more shows whether the last place was a tie
  const rowOf = new Map(Array.from(known, (item, row) => [item, row]));
  return {
    name: recommender.name,
    seed,
    kind,
    truths: new Map(truths.map((truth) => [truth.name, measureTruth(restrict(truth, rowOf), lists, rowOf, events)])),
    catalogue: catalogueFigures(lists, { events, k: PLACES }),
  };
}

function measureTruth(
  truth: TruthTable,
  lists: RankedLists,
  rowOf: ReadonlyMap<number, number>,
  events: ArrayLike<number>,
): MeasuredTruth {
  const parts = stratify(truth, events);
  const strataHr = Object.fromEntries(
    strata.map((name) => [name, mean(measure(rowsOf(parts[name]), parts[name])["paper HR"])]),
  ) as Record<Stratum, number>;
  const metrics = measure(rowsOf(truth), truth);
  const keys = Float64Array.from(truth.queries);
  const answered = { keys, events: truth.queries.map((item) => events[item]), metrics };
  return { queries: truth.queries, metrics, strata: strataHr, answered };

  function rowsOf({ queries }: TruthTable): RankedLists {
    const rows = emptyLists(queries.length, lists.k);
    queries.forEach((item, r) => {
      const from = (rowOf.get(item) ?? 0) * lists.k;
      rows.items.set(lists.items.subarray(from, from + lists.k), r * lists.k);
      rows.scores.set(lists.scores.subarray(from, from + lists.k), r * lists.k);
    });
    return rows;
  }
}

/** The truth of those queries that can be answered. */
function restrict(truth: TruthTable, rowOf: ReadonlyMap<number, number>): TruthTable {
  if (truth.queries.every((item) => rowOf.has(item))) return truth;
  const kept = Array.from(truth.queries.keys()).filter((r) => rowOf.has(truth.queries[r]));
  return {
    ...truth,
    queries: Int32Array.from(kept, (r) => truth.queries[r]),
    sets: kept.map((r) => truth.sets[r]),
  };
}

/** Measurements of the same recommenders under several seeds, put together, and compared with `base`. */
export function summarize(measurements: readonly Measurement[], base: string): RecommenderResult[] {
  const byName = new Map<string, Measurement[]>();
  for (const measurement of measurements) {
    byName.set(measurement.name, [...(byName.get(measurement.name) ?? []), measurement]);
  }
  const reference = byName.get(base);
  return [...byName].map(([name, runs]): RecommenderResult => {
    const [first] = runs;
    const truths = [...first.truths.keys()].map((truth): [string, TruthResult] => {
      const own = runs.map((run) => truthOf(run, truth));
      const other = name === base ? undefined : reference?.map((run) => truthOf(run, truth));
      return [truth, summarizeTruth(own, other)];
    });
    return {
      name,
      kind: first.kind,
      seeds: runs.map(({ seed }) => seed),
      truths: Object.fromEntries(truths),
      catalogue: {
        coverage: mean(runs.map(({ catalogue }) => catalogue.coverage)),
        diversity: mean(runs.map(({ catalogue }) => catalogue.diversity)),
        popularity: mean(runs.map(({ catalogue }) => catalogue.popularity)),
        ties: mean(runs.map(({ catalogue }) => catalogue.ties)),
      },
    };
  });
}

function truthOf({ truths, name }: Measurement, truth: string): MeasuredTruth {
  const measured = truths.get(truth);
  if (!measured) throw new Error(`${name} was not measured on ${truth}`);
  return measured;
}

function summarizeTruth(runs: readonly MeasuredTruth[], base: readonly MeasuredTruth[] | undefined): TruthResult {
  const comparable = base && sameItems(runs[0].queries, base[0].queries) ? base : undefined;
  const metrics = Object.fromEntries(
    metricNames.map((name): [MetricName, MetricResult] => {
      const values = meanOverSeeds(runs, name);
      const own = runs.map(({ metrics: measured }) => mean(measured[name]));
      return [
        name,
        {
          ...bootstrapMean(values),
          ...(runs.length > 1 ? { overSeeds: deviation(own) } : {}),
          ...(comparable ? { against: compare(values, meanOverSeeds(comparable, name)) } : {}),
        },
      ];
    }),
  ) as Record<MetricName, MetricResult>;
  const share = (stratum: Stratum) => mean(runs.map((run) => run.strata[stratum]));
  return {
    queries: runs[0].queries.length,
    metrics,
    strata: { head: share("head"), middle: share("middle"), tail: share("tail") },
    known: summarizeKnown(
      runs.map(({ answered }) => answered),
      base?.map(({ answered }) => answered),
    ),
  };
}

/** Summarizes runs that answered the same queries, beside those of the base, which may have answered others. */
function summarizeKnown(runs: readonly AnsweredQueries[], base: readonly AnsweredQueries[] | undefined): KnownResult[] {
  const [{ keys, events }] = runs;
  const baseRows = new Map(Array.from(base?.[0].keys ?? [], (key, r) => [key, r]));
  return knownStrata.flatMap(({ events: name }, stratum) => {
    const rows = Array.from(events.keys()).filter((r) => knownStratum(events[r]) === stratum);
    if (rows.length === 0) return [];
    const shared = rows.filter((r) => baseRows.has(keys[r]));
    const metrics = byMetric((metric) => bootstrapMean(rows.map((r) => meanAt(runs, metric, r))));
    if (!base || shared.length === 0) return [{ events: name, queries: rows.length, metrics }];
    const difference = byMetric((metric) =>
      bootstrapMean(shared.map((r) => meanAt(runs, metric, r) - meanAt(base, metric, baseRows.get(keys[r]) as number))),
    );
    return [{ events: name, queries: rows.length, metrics, against: { queries: shared.length, difference } }];
  });
}

const byMetric = (intervalOf: (metric: (typeof paperMetrics)[number]) => Interval): KnownResult["metrics"] =>
  Object.fromEntries(paperMetrics.map((metric) => [metric, intervalOf(metric)])) as KnownResult["metrics"];

/** Over seeds, of one query. */
const meanAt = (runs: readonly AnsweredQueries[], metric: MetricName, row: number): number =>
  mean(runs.map(({ metrics }) => metrics[metric][row]));

/** (q) A query's value is the mean over seeds: then the interval over queries does not count a query several times. */
function meanOverSeeds(runs: readonly MeasuredTruth[], name: MetricName): Float64Array {
  const sums = new Float64Array(runs[0].queries.length);
  for (const { metrics } of runs) for (let r = 0; r < sums.length; r++) sums[r] += metrics[name][r] / runs.length;
  return sums;
}

function compare(own: Float64Array, base: Float64Array): NonNullable<MetricResult["against"]> {
  return { difference: bootstrapMean(differences(own, base)), test: signTest(own, base) };
}

const sameItems = (a: Int32Array, b: Int32Array) => a.length === b.length && a.every((item, r) => item === b[r]);

/** Of a sample. */
function deviation(values: readonly number[]): number {
  const centre = mean(values);
  return Math.sqrt(values.reduce((sum, value) => sum + (value - centre) ** 2, 0) / (values.length - 1));
}

export function summarizeTable({ name, queries, empty, sets }: TruthTable): TruthSummary {
  const sizes = sets.map(({ size }) => size).sort((a, b) => a - b);
  const size = sizes.length > 0 ? { mean: mean(sizes), median: percentile(sizes, 0.5) } : { mean: 0, median: 0 };
  return { name, queries: queries.length, empty, size };
}
