// An evaluation from the model's side: whichever of the rows all others were compared with.
import { type EvaluationResult, metricNames, type RecommenderResult, type SignTest } from "@nearkin/evaluate";
import { describe, expect, test } from "vitest";
import type { ModelFacts } from "./facts.ts";
import { type Compared, type GateOptions, gatesOf } from "./gates.ts";
import { type Quality, qualityOf } from "./quality.ts";

const SPLIT = "a".repeat(64);
const facts: ModelFacts = {
  folder: "models/new",
  id: "c".repeat(64),
  name: "films",
  dataset: { id: "b".repeat(64), name: "films-all", simulated: false },
  items: 100,
  channels: [{ name: "plot", type: "text", weight: 1 }],
  personalizes: true,
  predictsRatings: true,
  validation: {},
  chosenOn: SPLIT,
  from: null,
};

interface Row {
  name: string;
  kind?: RecommenderResult["kind"];
  mean: number;
  against?: [difference: number, better: number, worse: number, p: number];
}

function recommender({ name, kind = "baseline", mean, against }: Row): RecommenderResult {
  const interval = (centre: number) => ({ mean: centre, low: centre - 0.01, high: centre + 0.01 });
  const [difference = 0, better = 0, worse = 0, p = 1] = against ?? [];
  const test: SignTest = { better, equal: 5, worse, p };
  const figure = { ...interval(mean), ...(against ? { against: { difference: interval(difference), test } } : {}) };
  return {
    name,
    kind,
    seeds: [1],
    truths: {
      "co-interaction 30 d": {
        queries: 50,
        metrics: Object.fromEntries(metricNames.map((metric) => [metric, figure])) as never,
        strata: { head: 0.1, middle: 0.1, tail: 0.1 },
      },
    },
    catalogue: { coverage: 0.5, diversity: 0.5, popularity: 0.5, ties: 0 },
  };
}

function evaluation(base: string, ...rows: Row[]): string {
  const result: EvaluationResult = {
    format: "nearkin-evaluation",
    version: 1,
    dataset: {
      name: "films",
      hash: SPLIT,
      split: "time",
      role: "test",
      items: 100,
      users: 10,
      events: 1000,
      simulated: false,
      queries: 50,
    },
    k: 10,
    base,
    truths: [{ name: "co-interaction 30 d", queries: 50, empty: 0, size: { mean: 9, median: 9 } }],
    recommenders: rows.map(recommender),
  };
  return JSON.stringify(result);
}

const own: Row = { name: "default", kind: "model", mean: 0.18 };
const rows: Row[] = [
  own,
  { name: "random", mean: 0.02, against: [-0.16, 1, 40, 1e-9] },
  { name: "popularity", mean: 0.26, against: [0.08, 35, 5, 1e-6] },
  { name: "cosine, summed", mean: 0.17, against: [-0.01, 15, 20, 0.5] },
  { name: "logistic regression", mean: 0.2, against: [0.02, 30, 8, 0.0005] },
];
const read = (text: string, label = "default", truth?: string): Quality =>
  qualityOf(text, { facts, label }, { metric: "paper HR", path: "e.json", truth });

const directions = ({ against }: Quality) =>
  Object.fromEntries(against.map(({ name, direction }) => [name, direction]));

describe("an evaluation", () => {
  test("whose base is the model is turned round", () => {
    const quality = read(evaluation("default", ...rows));
    expect(quality).toMatchObject({ truth: "co-interaction 30 d", name: "default", own: { mean: 0.18 } });
    expect(directions(quality)).toEqual({
      random: "better",
      popularity: "worse",
      "cosine, summed": "open",
      "logistic regression": "worse",
    });
    expect(quality.against[0]).toMatchObject({ difference: 0.16, test: { better: 40, equal: 5, worse: 1 } });
  });

  test("whose base is a baseline compares with that one alone", () => {
    const base: Row = { name: "cosine, summed", mean: 0.1 };
    const text = evaluation("cosine, summed", { ...own, against: [0.08, 40, 2, 1e-9] }, base, {
      name: "random",
      mean: 0,
      against: [-0.1, 1, 40, 1e-9],
    });
    expect(directions(read(text))).toEqual({ "cosine, summed": "better" });
  });

  test("finds the model by its label, or as the only one", () => {
    const two: Row[] = [own, { ...own, name: "default, β = 0.25", mean: 0.3 }];
    expect(read(evaluation("default", ...two)).own.mean).toBe(0.18);
    expect(read(evaluation("default", own), "another label").name).toBe("default");
    expect(() => read(evaluation("default", ...two), "fast")).toThrow(
      '--evaluation: e.json has "default", "default, β = 0.25", and none is the new model, "fast"',
    );
  });

  test("of other data says nothing of the model", () => {
    const other = { ...facts, chosenOn: null };
    expect(() =>
      qualityOf(evaluation("default", own), { facts: other, label: "default" }, { metric: "paper HR", path: "e.json" }),
    ).toThrow(
      /^--evaluation: e\.json was measured on films \(aaaaaaaa\), and models\/new was chosen on another dataset \(bbbbbbbb\)/,
    );
    expect(() => read(evaluation("default", own), "default", "affinity")).toThrow(
      '--truth: e.json has "co-interaction 30 d", not "affinity"',
    );
    expect(() => read("{}")).toThrow(/expected the format nearkin-evaluation/);
  });
});

describe("gates", () => {
  const compared: Compared = {
    old: facts,
    new: facts,
    moves: { gained: 0, lost: 0, deleted: 0, examples: [], channels: { gained: [], lost: [] }, abilitiesLost: [] },
    stability: { items: 9, overlap: 1, disjoint: 0, firstStays: 1, popularity: { old: -1, new: -1 } },
    newLists: { queries: [], lists: [], popularity: [], broken: [] },
    quality: read(evaluation("default", ...rows)),
  };
  const options: GateOptions = {
    mostLost: 0.05,
    leastOverlap: 0.2,
    allowLostChannels: false,
    allowLostAbilities: false,
    beats: [],
    notWorseThan: [],
  };
  const verdicts = (asked: Partial<GateOptions>, of: Compared = compared) =>
    gatesOf(of, { ...options, ...asked })
      .slice(5)
      .map(({ name, passed }) => `${passed ? "passed" : "failed"} ${name}`);

  test("by default: not worse than random lists and content baselines", () => {
    const behavior: Row = { name: "behavior factors", mean: 0.24, against: [0.06, 35, 5, 1e-6] };
    const recent: Row = { ...behavior, name: "recent popularity" };
    const quality = read(
      evaluation("default", ...rows, behavior, recent, { ...behavior, name: "content to iALS factors" }),
    );
    expect(verdicts({}, { ...compared, quality })).toEqual([
      "passed not worse than random",
      "passed not worse than cosine, summed",
      "failed not worse than logistic regression",
    ]);
    expect(gatesOf(compared, options)[5].text).toBe(
      "paper HR 0.180 against 0.020 (+0.160; better 40, worse 1, p < 0.001)",
    );
  });

  test("as asked", () => {
    expect(verdicts({ beats: ["random", "cosine, summed"], notWorseThan: ["popularity"] })).toEqual([
      "passed beats random",
      "failed beats cosine, summed",
      "failed not worse than popularity",
    ]);
    expect(() => verdicts({ beats: ["SPE"] })).toThrow(
      'the evaluation does not compare the model with "SPE", but with random, popularity, cosine, summed, logistic regression; evaluate with baselines, and with --base "default" or without --base',
    );
    expect(verdicts({}, { ...compared, quality: undefined })).toEqual([]);
  });

  test("nothing compared does not pass, nor a weight that is no number", () => {
    const none = { ...compared.stability, items: 0, overlap: Number.NaN };
    expect(gatesOf({ ...compared, stability: none }, options)[1]).toEqual({
      name: "overlap",
      passed: false,
      text: "no item could be compared",
    });
    const channels = [{ name: "plot", type: "text", weight: Number.NaN }];
    expect(gatesOf({ ...compared, new: { ...facts, channels } }, options)[2]).toEqual({
      name: "finite scores",
      passed: false,
      text: "the weights of plot are no numbers",
    });
  });
});
