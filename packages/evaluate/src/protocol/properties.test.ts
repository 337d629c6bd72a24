// What may not change a figure: the order of users, of queries and of items, and the names of items as long as their hashes keep the order
// that breaks ties (EV7). Scores have few values here, so that ties are everywhere.
import { Random, tieHashes } from "@nearkin/core";
import type { TruthUsers } from "@nearkin/data";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { scoredRecommender } from "../baselines/scored.ts";
import { type Measurement, measureRecommender, summarize } from "../evaluate.ts";
import { measureUsers } from "../evaluate-users.ts";
import { metricNames } from "./measure.ts";
import { measurePersonally, personalTasks } from "./personal.ts";
import type { Recommender } from "./recommender.ts";
import { strata } from "./strata.ts";
import type { TruthTable } from "./truths.ts";

const N = 30;
const TRUTH = "drawn";
const seeds = fc.nat(2 ** 31 - 1);
const check = (body: (random: Random) => void, numRuns = 40) =>
  fc.assert(
    fc.property(seeds, (seed) => body(new Random(seed))),
    { seed: 20220328, numRuns },
  );

const range = (n: number) => Array.from({ length: n }, (_, i) => i);
const names = range(N).map((item) => `item ${item}`);

/** (n, n) A score for each query and candidate, of four values. */
const drawScores = (random: Random) => range(N).map(() => range(N).map(() => random.below(4)));

function recommenderOf(scores: readonly number[][], ids: readonly string[] = names): Recommender {
  return scoredRecommender({ name: "drawn", ids, score: (query, out) => out.set(scores[query]) });
}

/** Some items ask; each has a truth. */
function drawTruth(random: Random): TruthTable {
  const queries = random
    .shuffle(range(N))
    .slice(0, 12)
    .sort((a, b) => a - b);
  const sets = queries.map((query) => {
    const others = range(N).filter((item) => item !== query);
    return new Set([others[random.below(N - 1)], ...others.filter(() => random.uniform() < 0.3)]);
  });
  return { name: TRUTH, queries: Int32Array.from(queries), sets, empty: 0 };
}

const drawEvents = (random: Random) => range(N).map(() => random.below(12));

function measured(recommender: Recommender, truth: TruthTable, events: readonly number[]): Measurement {
  return measureRecommender(recommender, { seed: 1, kind: "baseline", truths: [truth], events });
}

function truthOf(measurement: Measurement) {
  const own = measurement.truths.get(TRUTH);
  if (!own) throw new Error("nothing was measured");
  return own;
}

/** Same figures of the same queries, and the same of the catalogue, up to the rounding of sums in another order. */
function expectSame(actual: Measurement, expected: Measurement, queryOf: (query: number) => number): void {
  const [own, other] = [truthOf(actual), truthOf(expected)];
  expect([...own.queries].map(queryOf).sort((a, b) => a - b)).toEqual([...other.queries].sort((a, b) => a - b));
  own.queries.forEach((query, r) => {
    const place = other.queries.indexOf(queryOf(query));
    for (const name of metricNames) expect(own.metrics[name][r], name).toBe(other.metrics[name][place]);
  });
  for (const name of strata) expect(own.strata[name], name).toBeCloseTo(other.strata[name], 12);
  for (const name of ["coverage", "diversity", "popularity", "ties"] as const) {
    expect(actual.catalogue[name], name).toBeCloseTo(expected.catalogue[name], 12);
  }
}

describe("figures do not depend on", () => {
  test("the order of queries", () => {
    check((random) => {
      const [scores, truth, events] = [drawScores(random), drawTruth(random), drawEvents(random)];
      const order = random.shuffle(range(truth.queries.length));
      const shuffled: TruthTable = {
        ...truth,
        queries: Int32Array.from(order, (r) => truth.queries[r]),
        sets: order.map((r) => truth.sets[r]),
      };
      const recommender = recommenderOf(scores);
      const actual = measured(recommender, shuffled, events);
      const expected = measured(recommender, truth, events);
      expect([...truthOf(actual).queries]).toEqual([...shuffled.queries]);
      expectSame(actual, expected, (query) => query);
    });
  });

  test("the order of items: strata and the catalogue too", () => {
    check((random) => {
      const [scores, truth, events] = [drawScores(random), drawTruth(random), drawEvents(random)];
      const order = random.shuffle(range(N)); // the item that stands at each place
      const placeOf = range(N).map((item) => order.indexOf(item));
      const turned: TruthTable = {
        ...truth,
        queries: truth.queries.map((query) => placeOf[query]),
        sets: truth.sets.map((set) => new Set([...set].map((item) => placeOf[item]))),
      };
      const recommender = recommenderOf(
        order.map((query) => order.map((item) => scores[query][item])),
        order.map((item) => names[item]),
      );
      const actual = measured(
        recommender,
        turned,
        order.map((item) => events[item]),
      );
      expectSame(actual, measured(recommenderOf(scores), truth, events), (place) => order[place]);
    });
  });

  test("names, while their hashes keep their order; and they do depend on it", () => {
    let changed = 0;
    check((random) => {
      const [scores, truth, events] = [drawScores(random), drawTruth(random), drawEvents(random)];
      const hashes = tieHashes(names);
      const byHash = (ids: string[]) => {
        const own = tieHashes(ids);
        return range(ids.length).sort((a, b) => own[a] - own[b]);
      };
      expect(new Set(hashes).size).toBe(N);
      const fresh = range(N).map(() => `renamed ${random.below(2 ** 32)}`);
      const renamed = new Array<string>(N);
      const ranks = byHash(fresh);
      byHash(names).forEach((item, rank) => {
        renamed[item] = fresh[ranks[rank]];
      });
      const expected = measured(recommenderOf(scores), truth, events);
      expectSame(measured(recommenderOf(scores, renamed), truth, events), expected, (query) => query);
      const other = truthOf(measured(recommenderOf(scores, fresh), truth, events));
      if (other.metrics["paper NDCG"].some((value, r) => value !== truthOf(expected).metrics["paper NDCG"][r]))
        changed++;
    });
    expect(changed).toBeGreaterThan(20);
  });

  /** Tasks of the same users in two orders. */
  function drawTasks(random: Random) {
    const histories = range(8).map(() => random.shuffle(range(N)).slice(0, 4 + random.below(10)));
    const order = random.shuffle(range(histories.length));
    return {
      plain: personalTasks(usersOf(histories, range(histories.length))),
      shuffled: personalTasks(usersOf(histories, order)),
    };
  }

  test("the order of users", () => {
    check((random) => {
      const recommender = recommenderOf(drawScores(random));
      const { plain, shuffled } = drawTasks(random);
      const [expected, actual] = [plain, shuffled].map((tasks) =>
        measurePersonally(tasks, () => recommender, { itemCount: N }),
      );
      expect(shuffled.length).toBe(plain.length);
      shuffled.forEach(({ userIndex }, u) => {
        const place = plain.findIndex((task) => task.userIndex === userIndex);
        for (const name of metricNames) expect(actual[name][u], name).toBe(expected[name][place]);
      });
    });
  });

  test("the order of users: means, sign tests and the catalogue", () => {
    // few runs: the intervals, which draw users by their places and so may change, take most of the time
    check((random) => {
      const recommenders = ["base", "other"].map((name) => ({ ...recommenderOf(drawScores(random)), name }));
      const events = drawEvents(random);
      const { plain, shuffled } = drawTasks(random);
      const [before, after] = [plain, shuffled].map((tasks) => {
        const options = { seed: 1, kind: "baseline", events, worlds: [{ name: TRUTH, tasks }] } as const;
        const measurements = recommenders.map((recommender) => measureUsers(recommender, options));
        return summarize(measurements, "base");
      });
      before.forEach(({ truths, catalogue }, i) => {
        for (const name of metricNames) {
          const [was, is] = [truths[TRUTH].metrics[name], after[i].truths[TRUTH].metrics[name]];
          expect(is.mean).toBeCloseTo(was.mean, 12);
          expect(is.against?.test).toEqual(was.against?.test);
        }
        expect(after[i].catalogue).toEqual(catalogue);
      });
    }, 5);
  });
});

/** Histories of these users, in this order; the first 70 % of each are support. */
function usersOf(histories: readonly number[][], order: readonly number[]): TruthUsers {
  const starts = new Int32Array(order.length + 1);
  const queryStarts = new Int32Array(order.length);
  order.forEach((user, r) => {
    starts[r + 1] = starts[r] + histories[user].length;
    queryStarts[r] = starts[r] + Math.floor(0.7 * histories[user].length);
  });
  const items = Int32Array.from(order.flatMap((user) => histories[user]));
  return {
    userIndex: Int32Array.from(order),
    starts,
    queryStarts,
    items,
    ratings: new Float32Array(items.length).fill(1),
    times: Float64Array.from(items.keys()),
  };
}

test("every metric of every drawn query lies in [0, 1], and so do strata and what lists show of the catalogue", () => {
  check((random) => {
    const { truths, catalogue } = measured(recommenderOf(drawScores(random)), drawTruth(random), drawEvents(random));
    for (const { metrics, strata: thirds } of truths.values()) {
      const values = [...metricNames.flatMap((name) => [...metrics[name]]), ...Object.values(thirds)];
      for (const value of [...values, ...Object.values(catalogue)]) {
        if (Number.isNaN(value)) continue; // a third that is empty
        expect(value).toBeGreaterThanOrEqual(0);
        expect(value).toBeLessThanOrEqual(1);
      }
    }
  });
});
