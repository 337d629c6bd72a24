// What NumPy and SciPy computed from the formulas of docs/evaluation.md (reference/metrics.py): strata, what lists show of the catalogue,
// calibration, percentiles, sign tests, and whole worlds from scores to figures. The metrics of one list are checked in core.
import { describe, expect, test } from "vitest";
import golden from "../../../../reference/golden/metrics.json";
import { scoredRecommender } from "../baselines/scored.ts";
import { measureRecommender } from "../evaluate.ts";
import { bootstrapMean, percentile } from "../statistics/bootstrap.ts";
import { type SignTest, signTest } from "../statistics/sign-test.ts";
import { type Calibration, calibrate, type RatedCalibration } from "./calibration.ts";
import { type CatalogueFigures, catalogueFigures } from "./catalogue.ts";
import { emptyLists } from "./lists.ts";
import { type MetricName, metricNames } from "./measure.ts";
import { type Stratum, strata, stratify } from "./strata.ts";
import type { TruthTable } from "./truths.ts";

interface Truth {
  queries: number[];
  sets: number[][];
}

const DIGITS = 13; // after the point; sums of a few dozen terms

/** Cases of an operation, as the types that its generator writes. */
function casesOf<Inputs, Outputs>(operation: string): { name: string; inputs: Inputs; outputs: Outputs }[] {
  return golden.cases.filter(({ op }) => op === operation) as unknown as {
    name: string;
    inputs: Inputs;
    outputs: Outputs;
  }[];
}

const tableOf = ({ queries, sets }: Truth): TruthTable => ({
  name: "golden",
  queries: Int32Array.from(queries),
  sets: sets.map((items) => new Set(items)),
  empty: 0,
});

/** Every number of `expected`, and nothing else. */
function expectFigures(actual: object, expected: object): void {
  expect(Object.keys(actual).sort()).toEqual(Object.keys(expected).sort());
  const own = actual as Record<string, number>;
  for (const [key, value] of Object.entries(expected)) expect(own[key], key).toBeCloseTo(value, DIGITS);
}

test("every golden case is of a kind that a test here or in core computes", () => {
  expect(new Set(golden.cases.map(({ op }) => op))).toEqual(
    new Set([
      "ranking", // core/metrics
      "strata",
      "catalogue",
      "world",
      "calibration",
      "percentile",
      "bootstrap",
      "signTest",
      "signTestCounts",
    ]),
  );
});

test.each(casesOf<Truth & { events: number[] }, Record<Stratum, Truth & { empty: number }>>("strata"))(
  "EV12: thirds of the truth, $name",
  ({ inputs, outputs }) => {
    const parts = stratify(tableOf(inputs), inputs.events);
    for (const name of strata) {
      const { queries, sets, empty } = parts[name];
      expect({ queries: [...queries], sets: sets.map((set) => [...set]), empty }).toEqual(outputs[name]);
    }
  },
);

describe("what lists show of the catalogue", () => {
  interface Inputs {
    lists: number[][];
    scores: number[][];
    events: number[];
    k: number;
  }

  test.each(casesOf<Inputs, CatalogueFigures>("catalogue"))("$name", ({ inputs, outputs }) => {
    const places = Math.max(inputs.k + 1, ...inputs.lists.map((list) => list.length));
    const lists = emptyLists(inputs.lists.length, places);
    inputs.lists.forEach((list, r) => {
      lists.items.set(list, r * places);
      lists.scores.set(inputs.scores[r], r * places);
    });
    expectFigures(catalogueFigures(lists, inputs), outputs);
  });
});

describe("whole worlds, from scores to figures", () => {
  interface Inputs extends Truth {
    ids: string[];
    events: number[];
    /** Of each query; null is no candidate. */
    scores: (number | null)[][];
  }
  interface Outputs {
    metrics: Record<MetricName, number[]>;
    strata: Record<Stratum, number>;
    catalogue: CatalogueFigures;
  }

  test.each(casesOf<Inputs, Outputs>("world"))("$name", ({ inputs, outputs }) => {
    const { ids, events, queries, scores } = inputs;
    const recommender = scoredRecommender({
      name: "given",
      ids,
      score: (query, out) => out.set(scores[queries.indexOf(query)].map((score) => score ?? -Infinity)),
    });
    const measured = measureRecommender(recommender, { seed: 1, kind: "baseline", truths: [tableOf(inputs)], events });
    const own = measured.truths.get("golden");
    expect([...(own?.queries ?? [])]).toEqual(queries);
    expect(Object.keys(outputs.metrics)).toEqual(metricNames);
    for (const name of metricNames) expectFigures(own?.metrics[name] ?? [], outputs.metrics[name]);
    expectFigures(own?.strata ?? {}, outputs.strata);
    expectFigures(measured.catalogue, outputs.catalogue);
  });
});

describe("calibration", () => {
  interface Inputs {
    mean: number[];
    variance: number[];
    actual: number[];
    ratings: number[];
    prior: { mean: number; variance: number };
  }
  type Outputs = Omit<Calibration, "nll" | "byRatings"> & {
    nll: number;
    /** By the least number of ratings. */
    byRatings: Record<string, Omit<RatedCalibration, "least">>;
  };

  test.each(casesOf<Inputs, Outputs>("calibration"))("$name", ({ inputs, outputs }) => {
    const { mean, variance, actual, ratings, prior } = inputs;
    const forecasts = mean.map((_, i) => {
      return { mean: mean[i], variance: variance[i], actual: actual[i], ratings: ratings[i] };
    });
    const { coverage, byRatings, nll, ...figures } = calibrate(forecasts, { prior });
    const { coverage: expected, byRatings: rated, ...others } = outputs;
    expectFigures({ ...figures, nll: nll.mean }, others);
    expectFigures(coverage, expected);
    expect(byRatings.map(({ least }) => String(least))).toEqual(Object.keys(rated));
    for (const { least, correlation, ...own } of byRatings) {
      const { correlation: pearson, ...errors } = rated[least];
      expectFigures(own, errors);
      if (pearson === null) expect(correlation).toBeNull();
      else expect(correlation).toBeCloseTo(pearson, DIGITS);
    }
  });
});

describe("EV11", () => {
  test.each(casesOf<{ values: number[]; shares: number[] }, { percentiles: number[] }>("percentile"))(
    "percentiles: $name",
    ({ inputs: { values, shares }, outputs }) => {
      expectFigures(
        shares.map((share) => percentile(values, share)),
        outputs.percentiles,
      );
    },
  );

  test.each(
    casesOf<{ ones: number; count: number; resamples: number }, { mean: number; low: number[]; high: number[] }>(
      "bootstrap",
    ),
  )("the interval of zeros and ones is that of the binomial distribution: $name", ({ inputs, outputs }) => {
    const values = Array.from({ length: inputs.count }, (_, i) => (i < inputs.ones ? 1 : 0));
    const { mean, low, high } = bootstrapMean(values, { resamples: inputs.resamples });
    expect(mean).toBeCloseTo(outputs.mean, DIGITS);
    expect(low).toBeGreaterThanOrEqual(outputs.low[0]);
    expect(low).toBeLessThanOrEqual(outputs.low[1]);
    expect(high).toBeGreaterThanOrEqual(outputs.high[0]);
    expect(high).toBeLessThanOrEqual(outputs.high[1]);
  });

  /** p relative to itself: the smallest here is 1e-301. */
  function expectSigns(actual: SignTest, { p, ...counts }: SignTest): void {
    expect(actual).toMatchObject(counts);
    expect(actual.p / p).toBeCloseTo(1, 10);
  }

  test.each(casesOf<{ a: number[]; b: number[] }, SignTest>("signTest"))("sign test: $name", ({ inputs, outputs }) => {
    expectSigns(signTest(inputs.a, inputs.b), outputs);
  });

  test.each(casesOf<Omit<SignTest, "p">, SignTest>("signTestCounts"))(
    "sign test: better, equal, worse are $name",
    ({ inputs: { better, equal, worse }, outputs }) => {
      const sides = [
        ...new Array<[number, number]>(better).fill([1, 0]),
        ...new Array<[number, number]>(equal).fill([1, 1]),
        ...new Array<[number, number]>(worse).fill([0, 1]),
      ];
      expectSigns(
        signTest(
          sides.map(([a]) => a),
          sides.map(([, b]) => b),
        ),
        outputs,
      );
    },
  );
});
