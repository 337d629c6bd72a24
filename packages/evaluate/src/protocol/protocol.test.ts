// Rules EV4–EV12 on worlds that can be checked by hand. The metrics themselves are tested in core/metrics.
import { Random, tieHashes } from "@nearkin/core";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { chance } from "../baselines/chance.ts";
import { popularity } from "../baselines/popularity.ts";
import { scoredRecommender } from "../baselines/scored.ts";
import { measureRecommender, summarize } from "../evaluate.ts";
import { measureUsers } from "../evaluate-users.ts";
import { knownVerdicts } from "../known.ts";
import { rankAmong } from "./among.ts";
import { calibrate } from "./calibration.ts";
import { catalogueFigures } from "./catalogue.ts";
import { emptyLists, listOf, listsWithout, selectInto } from "./lists.ts";
import { measure, metricNames } from "./measure.ts";
import { measurePersonally, personalTasks, restrictTask } from "./personal.ts";
import type { Recommender } from "./recommender.ts";
import { knownStrata, knownStratum, stratify } from "./strata.ts";
import { coInteractionWithin, type TruthTable } from "./truths.ts";

const ids = (n: number) => Array.from({ length: n }, (_, i) => `item ${i}`);

const truthOf = (entries: Record<number, number[]>): TruthTable => ({
  name: "by hand",
  queries: Int32Array.from(Object.keys(entries), Number),
  sets: Object.values(entries).map((items) => new Set(items)),
  empty: 0,
});

/** Lists from scores by hand, one row a query. */
function ranked(rows: number[][], queries: number[], k: number) {
  const lists = emptyLists(rows.length, k);
  const hashes = tieHashes(ids(rows[0].length));
  for (const [row, scores] of rows.entries()) selectInto(lists, scores, { row, query: queries[row], hashes });
  return lists;
}

describe("lists", () => {
  test("EV6: the query is no candidate of its own", () => {
    expect([...listOf(ranked([[9, 1, 2]], [0], 3), 0)]).toEqual([2, 1]);
  });

  test("EV7: equal scores are ordered by the hash of the id, whatever their place in the file", () => {
    const n = 40;
    const order = (names: string[]) => {
      const lists = emptyLists(1, n);
      selectInto(lists, new Float64Array(n), { row: 0, query: -1, hashes: tieHashes(names) });
      return Array.from(listOf(lists, 0), (item) => names[item]);
    };
    const names = ids(n);
    const turned = [...names].reverse();
    expect(order(turned)).toEqual(order(names));
    expect(order(names)).not.toEqual(names);
  });

  test("select equals a full sort", () => {
    const scores = fc.array(fc.integer({ min: 0, max: 5 }), { minLength: 1, maxLength: 30 });
    fc.assert(
      fc.property(scores, fc.integer({ min: 1, max: 8 }), (values, k) => {
        const hashes = tieHashes(ids(values.length));
        const sorted = Array.from(values.keys())
          .filter((item) => item !== 0)
          .sort((a, b) => values[b] - values[a] || hashes[a] - hashes[b] || a - b);
        expect([...listOf(ranked([values], [0], k), 0)]).toEqual(sorted.slice(0, k));
      }),
    );
  });

  test("−∞ and NaN are no candidates, and lists may be short", () => {
    expect([...listOf(ranked([[0, -Infinity, Number.NaN, 1]], [0], 3), 0)]).toEqual([3]);
  });

  test("lists without some items move up", () => {
    const lists = ranked([[0, 5, 4, 3, 2]], [0], 4);
    expect([...listOf(listsWithout(lists, new Set([1, 3]), 2), 0)]).toEqual([2, 4]);
  });

  test("k must be a number of places", () => {
    expect(() => emptyLists(1, 0)).toThrowErrorMatchingInlineSnapshot(
      `[NearkinError: k must be a whole number of at least 1, got 0]`,
    );
  });
});

describe("truths", () => {
  const met = {
    queries: Int32Array.of(3, 7, 9),
    starts: Int32Array.of(0, 2, 3, 3),
    items: Int32Array.of(1, 2, 5),
    seconds: Float64Array.of(86_400, 86_401, 30 * 86_400),
  };

  test("EV4: a horizon is a bound on the time between the two events, itself included", () => {
    const day = coInteractionWithin(met, 1);
    expect([...day.queries]).toEqual([3]);
    expect([...day.sets[0]]).toEqual([1]);
    const month = coInteractionWithin(met, 30);
    expect(month.sets.map((set) => [...set])).toEqual([[1, 2], [5]]);
  });

  test("EV8: queries without a truth are left out and counted", () => {
    expect(coInteractionWithin(met, 1).empty).toBe(2);
    expect(coInteractionWithin(met, Infinity)).toMatchObject({ name: "co-interaction ∞", empty: 1 });
  });
});

describe("metrics", () => {
  test("a checkerboard: who follows parity is right, who follows the other parity is wrong", () => {
    const n = 40;
    const truth = truthOf(
      Object.fromEntries(
        Array.from({ length: n }, (_, i) => [
          i,
          Array.from({ length: n }, (_, j) => j).filter((j) => j !== i && j % 2 === i % 2),
        ]),
      ),
    );
    const follow = (same: boolean) =>
      scoredRecommender({
        name: "parity",
        ids: ids(n),
        score: (query, out) => {
          for (let j = 0; j < n; j++) out[j] = (j % 2 === query % 2) === same ? 1 : 0;
        },
      });
    const good = measure(follow(true).rank(truth.queries, 10), truth);
    const bad = measure(follow(false).rank(truth.queries, 10), truth);
    for (const name of metricNames) {
      expect(good[name].every((value) => value === 1)).toBe(true);
      expect(bad[name].every((value) => value === 0)).toBe(true);
    }
  });

  test("chance hits as often as its share of the catalogue", () => {
    const n = 200;
    const truth = truthOf(Object.fromEntries(Array.from({ length: n }, (_, i) => [i, ids(50).map((_, j) => j)])));
    const { "paper HR": hr } = measure(chance(ids(n), 1).rank(truth.queries, 10), truth);
    expect(hr.reduce((sum, value) => sum + value, 0) / n).toBeCloseTo(0.25, 1);
  });

  test("chance gives every candidate once, in an order of its own for every query", () => {
    const lists = chance(ids(7), 3).rank(Int32Array.of(0, 3, 6), 9);
    const rows = [0, 1, 2].map((r) => [...lists.items.subarray(9 * r, 9 * r + 9)]);
    for (const [r, query] of [0, 3, 6].entries()) {
      expect(rows[r].slice(6)).toEqual([-1, -1, -1]);
      expect(rows[r].slice(0, 6).sort()).toEqual([0, 1, 2, 3, 4, 5, 6].filter((item) => item !== query));
    }
    expect(new Set(rows.map(String)).size).toBe(3);
    const many = chance(ids(5), 1).rank(
      Int32Array.from({ length: 4000 }, () => 2),
      1,
    );
    expect(new Set(many.items).size).toBe(1); // the same query, the same list
    const firsts = Array.from({ length: 4000 }, (_, seed) => chance(ids(5), seed).rank(Int32Array.of(2), 1).items[0]);
    for (const item of [0, 1, 3, 4]) {
      const share = firsts.filter((own) => own === item).length / 4000;
      expect(share).toBeGreaterThan(0.22); // 4 standard deviations of ¼
      expect(share).toBeLessThan(0.28);
    }
  });

  test("popularity gives everyone the same list, minus the query", () => {
    const lists = popularity(ids(5), [4, 9, 1, 7, 3]).rank(Int32Array.of(2, 1), 3);
    expect([listOf(lists, 0), listOf(lists, 1)].map((list) => [...list])).toEqual([
      [1, 3, 0],
      [3, 0, 4],
    ]);
  });

  test("shuffling the items changes nothing", () => {
    const n = 30;
    const random = new Random(5);
    const scores = Array.from({ length: n }, () => Float64Array.from({ length: n }, () => random.below(4)));
    const G = Array.from({ length: n }, () =>
      Array.from({ length: n }, (_, j) => j).filter(() => random.uniform() < 0.3),
    );
    const order = random.shuffle(Array.from({ length: n }, (_, i) => i));
    const placeOf = order.map((_, i) => order.indexOf(i));
    const run = (at: (i: number) => number, names: string[]) => {
      const recommender = scoredRecommender({
        name: "any",
        ids: names,
        score: (query, out) => {
          for (let j = 0; j < n; j++) out[j] = scores[at(query)][at(j)];
        },
      });
      return recommender;
    };
    const names = ids(n);
    const plain = measure(run((i) => i, names).rank(Int32Array.from(G.keys()), 10), truthOf({ ...G }));
    const turned = measure(
      run(
        (i) => order[i],
        order.map((i) => names[i]),
      ).rank(Int32Array.from(G.keys()), 10),
      truthOf({ ...order.map((i) => G[i].map((j) => placeOf[j])) }),
    );
    for (const name of metricNames) {
      const back = Float64Array.from(placeOf, (at) => turned[name][at]);
      expect(back).toEqual(plain[name]);
    }
  });
});

describe("the catalogue", () => {
  test("coverage, diversity, popularity and ties of lists by hand", () => {
    const lists = ranked(
      [
        [0, 5, 4, 3],
        [5, 0, 4, 4],
      ],
      [0, 1],
      3,
    );
    const figures = catalogueFigures(lists, { events: [10, 5, 5, 1], k: 2 });
    expect(figures.coverage).toBe(lists.items[4] === 2 ? 0.75 : 1);
    expect(figures.ties).toBe(0.5); // the second list's last place
    const alike = catalogueFigures(ranked([[0, 1, 2]], [0], 2), { events: [1, 2, 3], k: 2 });
    expect(alike.diversity).toBeCloseTo(1, 12);
    expect(alike.popularity).toBeCloseTo((0.5 + 5 / 6) / 2, 12);
  });

  test("EV12: thirds of the truth by popularity, in which a query keeps its own hits", () => {
    const truth = truthOf({ 0: [1, 2, 3], 9: [1, 3, 4] });
    const parts = stratify(truth, [0, 100, 50, 50, 1, 0, 0, 0, 0, 0]);
    const content = ({ queries, sets }: TruthTable) => [...queries].map((q, r) => [q, [...sets[r]]]);
    expect(content(parts.head)).toEqual([
      [0, [1]],
      [9, [1]],
    ]);
    expect(content(parts.middle)).toEqual([
      [0, [2, 3]],
      [9, [3]],
    ]);
    expect(content(parts.tail)).toEqual([[9, [4]]]);
    expect(parts.tail.empty).toBe(1);
  });
});

describe("people", () => {
  const users = {
    userIndex: Int32Array.of(4, 6),
    starts: Int32Array.of(0, 5, 7),
    queryStarts: Int32Array.of(2, 6),
    items: Int32Array.of(8, 1, 3, 2, 1, 5, 6),
    ratings: Float32Array.of(5, 1, 4, 4, 2, 3, 3),
    times: Float64Array.of(1, 2, 3, 4, 5, 1, 2),
  };

  test("EV10: support is what came first; later items ask for each other; known items are no queries", () => {
    const [task, ...others] = personalTasks(users);
    expect(others).toEqual([]); // user 6 has one later item: nothing to ask it for
    expect([...task.support]).toEqual([8, 1]);
    expect([...task.truth.queries]).toEqual([2, 3]);
    expect(task.truth.sets.map((set) => [...set])).toEqual([[3], [2]]);
  });

  test("EV10: support items are no candidates", () => {
    const greedy = scoredRecommender({
      name: "greedy",
      ids: ids(10),
      score: (_, out) => out.set([0, 9, 3, 3.5, 0, 0, 0, 0, 8, 7]), // 1 and 8 are known
    });
    const measured = measurePersonally(personalTasks(users), () => greedy, { itemCount: 10 });
    expect(measured["paper MRR"][0]).toBe(0.5); // 9 first, then the other of 2 and 3
    expect(measured["paper HR"][0]).toBeCloseTo(0.1, 12);
  });
});

describe("how well a query is known", () => {
  const events = [0, 1, 4, 5, 19, 20, 99, 100, 5000, 7];

  test("strata begin with 0, 1, 5, 20 and 100 training events", () => {
    expect(events.map((count) => knownStrata[knownStratum(count)].events)).toEqual([
      "0",
      "1–4",
      "1–4",
      "5–19",
      "5–19",
      "20–99",
      "20–99",
      "100+",
      "100+",
      "5–19",
    ]);
  });

  test("a stratum has the queries that a recommender answers, and none is a zero", () => {
    const warm = scoredRecommender({
      name: "warm",
      ids: ids(10),
      knows: (item) => events[item] > 0,
      score: (_, out) => out.set(events),
    });
    const truth = {
      name: "met",
      queries: Int32Array.of(0, 1, 2, 8),
      sets: [[8], [8], [7], [1]].map((set) => new Set(set)),
      empty: 0,
    };
    const measurement = measureRecommender(warm, { seed: 1, kind: "baseline", truths: [truth], events });
    const [{ truths }] = summarize([measurement], "warm");
    expect(truths.met.known?.map(({ events: name, queries }) => [name, queries])).toEqual([
      ["1–4", 2],
      ["100+", 1],
    ]);
    expect(truths.met.known?.[0].metrics["paper MRR"].mean).toBe((1 + 1 / 2) / 2);
  });

  test("with held-out users a query counts once for each who asks it", () => {
    const warm = scoredRecommender({
      name: "warm",
      ids: ids(10),
      knows: (item) => item !== 3,
      score: (_, out) => out.set(events),
    });
    const user = {
      userIndex: Int32Array.of(4, 6),
      starts: Int32Array.of(0, 3, 6),
      queryStarts: Int32Array.of(1, 4),
      items: Int32Array.of(1, 3, 8, 2, 5, 8),
      ratings: new Float32Array(6),
      times: new Float64Array(6),
    };
    const worlds = [{ name: "later items", tasks: personalTasks(user) }];
    const [{ truths }] = summarize([measureUsers(warm, { seed: 1, kind: "baseline", worlds, events })], "warm");
    expect(truths["later items"].known?.map(({ events: name, queries }) => [name, queries])).toEqual([
      ["20–99", 1],
      ["100+", 2],
    ]);
    const model = scoredRecommender({ name: "model", ids: ids(10), score: (_, out) => out.set(events) });
    const both = [
      measureUsers(model, { seed: 1, kind: "model", worlds, events }),
      measureUsers(warm, { seed: 1, kind: "baseline", worlds, events }),
    ];
    const [, { truths: compared }] = summarize(both, "model");
    expect(
      compared["later items"].known?.map(({ against }) => [against?.queries, against?.difference["paper HR"]]),
    ).toEqual([1, 2].map((queries) => [queries, { mean: 0, low: 0, high: 0 }]));
  });

  describe("the model beside the best baseline there", () => {
    const truth: TruthTable = {
      name: "met",
      queries: Int32Array.of(0, 1, 2, 8),
      sets: [[8], [8], [7], [1]].map((set) => new Set(set)),
      empty: 0,
    };
    /** Puts the hit of each of these queries first, and all other items behind it. */
    const hits = (name: string, queries: readonly number[], knows = (_: number) => true) =>
      scoredRecommender({
        name,
        ids: ids(10),
        knows,
        score: (query, out) => {
          const row = truth.queries.indexOf(query);
          out.fill(0);
          if (queries.includes(query)) for (const item of truth.sets[row]) out[item] = 1;
          else for (const item of truth.sets[row]) out[item] = -1;
        },
      });
    const verdicts = (model: Recommender, ...baselines: Recommender[]) => {
      const options = { seed: 1, truths: [truth], events };
      const measured = [
        measureRecommender(model, { ...options, kind: "model" as const }),
        ...baselines.map((one) => measureRecommender(one, { ...options, kind: "baseline" as const })),
      ];
      return knownVerdicts({ recommenders: summarize(measured, model.name), base: model.name }, "met", "paper MRR");
    };

    test("is judged on the queries that both answer, against the baseline that it leads least", () => {
      const found = verdicts(
        hits("model", [0, 1, 2]),
        hits("content", [0, 8]),
        hits("kNN", [1, 2], (item) => events[item] > 0),
      );
      expect(found.map(({ events: name, queries, rival, verdict }) => [name, queries, rival?.name, verdict])).toEqual([
        ["0", 1, "content", "undecided"],
        ["1–4", 2, "kNN", "undecided"],
        ["100+", 1, "content", "below"],
      ]);
      expect(found[2].rival?.lead.mean).toBeLessThan(0);
    });

    test("is not judged by who answers few of its queries, or the same to all", () => {
      const few = hits("EASE", [1], (item) => item === 1);
      const found = verdicts(hits("model", [1]), few, { ...hits("popularity", [0, 1, 2, 8]), name: "popularity" });
      expect(found.map(({ events: name, rival, verdict }) => [name, rival?.name, verdict])).toEqual([
        ["0", undefined, "undecided"],
        ["1–4", "EASE", "undecided"], // one of two queries is half of them
        ["100+", undefined, "undecided"],
      ]);
      expect(verdicts(hits("model", [0, 1, 2, 8]), hits("content", []))[1].verdict).toBe("above");
    });
  });
});

describe("some candidates only", () => {
  test("equal a full sort of those that are allowed, however rare they are", () => {
    const n = 200;
    const random = new Random(8);
    const scores = Array.from({ length: n }, () => random.uniform());
    const recommender = scoredRecommender({ name: "any", ids: ids(n), score: (_, out) => out.set(scores) });
    for (const share of [1, 0.5, 0.08, 0.01]) {
      const allowed = Uint8Array.from({ length: n }, () => (random.uniform() < share ? 1 : 0));
      const sorted = Array.from(scores.keys())
        .filter((item) => allowed[item] === 1 && item !== 7)
        .sort((a, b) => scores[b] - scores[a]);
      const lists = rankAmong(recommender, Int32Array.of(7), { k: 5, allowed });
      expect([...listOf(lists, 0)]).toEqual(sorted.slice(0, 5));
    }
  });

  test("a task keeps queries and hits that count, and is gone when none has a hit", () => {
    const [task] = personalTasks({
      userIndex: Int32Array.of(1),
      starts: Int32Array.of(0, 4),
      queryStarts: Int32Array.of(1),
      items: Int32Array.of(9, 3, 2, 5),
      ratings: Float32Array.of(1, 1, 1, 1),
      times: Float64Array.of(1, 2, 3, 4),
    });
    expect([...(restrictTask(task, new Set([2, 5, 8]))?.truth.queries ?? [])]).toEqual([2, 5]);
    expect(restrictTask(task, new Set([2, 9]))).toBeUndefined();
  });
});

test("forecasts that are right about themselves are calibrated; too sure ones are not", () => {
  const random = new Random(11);
  const world = (claimed: number) =>
    Array.from({ length: 4000 }, () => {
      const mean = 3 + random.normal();
      return { mean, variance: claimed, actual: mean + 0.5 * random.normal(), ratings: 1 + random.below(5) };
    });
  const prior = { mean: 3, variance: 1.25 };
  const honest = calibrate(world(0.25), { prior });
  expect(honest.coverage["0.95"]).toBeCloseTo(0.95, 1);
  expect(honest.coverage["0.5"]).toBeCloseTo(0.5, 1);
  expect(honest.rmse).toBeCloseTo(0.5, 1);
  expect(honest.rmseOfMean).toBeCloseTo(Math.sqrt(1.25), 1);
  expect(honest.nll.mean).toBeCloseTo(0.5 * Math.log(2 * Math.PI * 0.25) + 0.5, 1);
  expect(honest.nll.mean).toBeLessThan(honest.nllOfMean);
  expect(calibrate(world(0.01), { prior }).coverage["0.95"]).toBeLessThan(0.5);
});

test("items with many ratings are also looked at on their own", () => {
  const item = (ratings: number, mean: number, actual: number) => ({ mean, variance: 1, actual, ratings });
  const forecasts = [item(1, 3, 5), item(2, 4, 1), item(3, 3, 3.5), item(7, 4, 4.5), item(4, 5, 5.5)];
  const { byRatings, rmse } = calibrate(forecasts, { prior: { mean: 4, variance: 1 } });
  expect(byRatings.map(({ least, items }) => [least, items])).toEqual([
    [1, 5],
    [3, 3],
  ]);
  expect(byRatings[0].rmse).toBe(rmse);
  expect(byRatings[1]).toMatchObject({ rmse: 0.5, correlation: 1 });
  expect(byRatings[1].rmseOfMean).toBeCloseTo(Math.sqrt((0.25 + 0.25 + 2.25) / 3), 12);
  expect(calibrate([item(1, 3, 4), item(1, 3, 5)], { prior: { mean: 4, variance: 1 } }).byRatings).toMatchObject([
    { correlation: null },
  ]);
});
