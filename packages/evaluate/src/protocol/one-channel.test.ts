// Worlds with a known answer, on the path that models take: lifted rows, and a metric that is weights of channels. Two users follow one
// channel each (EV10), and new items are met by who met the items that are near in one channel (EV4). Distances are whole numbers, which
// f32 holds exactly, and items at equal distances are all hits or all misses, so that every figure is exact.
import {
  buildRows,
  createEngine,
  type Engine,
  type LiftedRows,
  liftRows,
  rowLayout,
  type Scope,
  tieHashes,
} from "@nearkin/core";
import type { Truth, TruthUsers } from "@nearkin/data";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { metricRecommender } from "../baselines/metric.ts";
import { measureRecommender } from "../evaluate.ts";
import { type Measured, type MetricName, metricNames } from "./measure.ts";
import { measurePersonally, personalTasks } from "./personal.ts";
import { AFFINITY, loadTruths } from "./truths.ts";

let engine: Engine;
let scope: Scope;
beforeAll(async () => {
  engine = await createEngine({ engine: "wasm", workers: 1 });
  scope = engine.scope();
});
afterAll(async () => {
  scope.close();
  await engine.close();
});

/** Σ of the paper's discounts 1, 1/log₂2, 1/log₂3, … over places, and of the standard ones, 1/log₂(i + 1). */
const paperGain = (from: number, to: number) => sumOver(from, to, (i) => (i === 1 ? 1 : 1 / Math.log2(i)));
const standardGain = (from: number, to: number) => sumOver(from, to, (i) => 1 / Math.log2(i + 1));
function sumOver(from: number, to: number, term: (i: number) => number): number {
  let sum = 0;
  for (let i = from; i <= to; i++) sum += term(i);
  return sum;
}

/** What one channel says of an item: a number, and a kind. Two items are apart by (difference of numbers)², and by 2 if the kinds differ. */
interface Value {
  level: number;
  kind: number;
}

/** Items as the catalogue has them; a row is [level, one column a kind] in each channel. */
function lift(items: readonly (readonly Value[])[], kinds: number): LiftedRows {
  const layout = rowLayout(items[0].map(() => 1 + kinds));
  const embeddings = new Float32Array(items.length * layout.embeddingSize);
  items.forEach((values, i) => {
    values.forEach(({ level, kind }, c) => {
      const at = i * layout.embeddingSize + layout.starts[c];
      embeddings[at] = level;
      embeddings[at + 1 + kind] = 1;
    });
  });
  const p = layout.channelCount;
  const masked = new Uint8Array(items.length * p);
  const lengths = new Float64Array(p);
  const scaling = {
    centres: new Float64Array(layout.embeddingSize),
    factors: new Float64Array(layout.embeddingSize).fill(1),
    lengths,
  };
  const values = buildRows(layout, scaling, { embeddings, masked, logPopularity: new Float64Array(items.length) });
  const rows = scope.matrix(items.length, layout.width, "f32").write(values);
  return liftRows(layout, { shards: [{ engine, rows }], masked, lengths, ids: idsOf(items.length) });
}

/** Names by whose hashes chance finds something for both users. */
const idsOf = (n: number) => Array.from({ length: n }, (_, i) => `tune ${i}`);

const byWeights = (rows: LiftedRows, weights: readonly number[]) =>
  metricRecommender(rows, { name: weights.join(" "), weights, temperature: 1 });

describe("EV10: users who follow one channel", () => {
  // Of each user: 5 items known, then 11 that agree with them and with each other in the followed channel alone. Each of the 11 has 4 decoys
  // that agree with it in all but that channel, and 6 companions that agree with it in the second channel alone.
  const LATER = 11;
  const DECOYS = 4;
  const COMPANIONS = 6;
  const KNOWN = 5;
  const [OF_KNOWN, OTHER] = [LATER, LATER + 1]; // kinds beside those of the later items
  const PEOPLE = [
    { followed: 0, second: 1, third: 2, level: 0 },
    { followed: 2, second: 0, third: 1, level: 100 }, // so far away that the two do not meet
  ];

  const items: Value[][] = [];
  const add = ({ followed, second, third, level }: (typeof PEOPLE)[number], [a, b, c]: [number, number, number]) => {
    const values: Value[] = [];
    values[followed] = { level: level + a, kind: 0 };
    values[second] = { level, kind: b };
    values[third] = { level, kind: c };
    return items.push(values) - 1;
  };
  const people = PEOPLE.map((person) => ({
    ...person,
    known: Array.from({ length: KNOWN }, () => add(person, [0, OF_KNOWN, OF_KNOWN])),
    later: Array.from({ length: LATER }, (_, i) => {
      const query = add(person, [0, i, i]);
      for (let d = 0; d < DECOYS; d++) add(person, [1, i, i]); // 1 away
      for (let d = 0; d < COMPANIONS; d++) add(person, [3, i, OTHER]); // 9 + 2 away
      return query;
    }),
  }));
  const histories = people.map(({ known, later }) => [...known, ...later]);
  const users: TruthUsers = {
    userIndex: Int32Array.of(0, 1),
    starts: Int32Array.of(0, KNOWN + LATER, 2 * (KNOWN + LATER)),
    queryStarts: Int32Array.of(KNOWN, KNOWN + LATER + KNOWN),
    items: Int32Array.from(histories.flat()),
    ratings: new Float32Array(2 * (KNOWN + LATER)).fill(1),
    times: Float64Array.from(histories.flat().keys()),
  };
  const tasks = personalTasks(users);
  const only = (channel: number) => [0, 1, 2].map((c) => (c === channel ? 1 : 0));

  let rows: LiftedRows;
  beforeAll(() => {
    rows = lift(items, LATER + 2);
  });

  /** Each user's figures by the weights that `weightsOf` gives them. */
  const measureBy = (weightsOf: (person: (typeof PEOPLE)[number]) => number[]): Measured =>
    measurePersonally(tasks, ({ userIndex }) => byWeights(rows, weightsOf(PEOPLE[userIndex])), {
      itemCount: items.length,
    });

  test("all weight on the channel that each follows: every metric is exactly 1", () => {
    const measured = measureBy(({ followed }) => only(followed));
    for (const name of metricNames) expect([...measured[name]], name).toEqual([1, 1]);
  });

  test("uniform weights: the decoys come first, then six of the ten hits", () => {
    const measured = measureBy(() => [1, 1, 1]);
    const expected: Record<MetricName, number> = {
      "paper HR": 0.6,
      "paper MRR": 1 / 5,
      "paper NDCG": paperGain(5, 10) / paperGain(1, 6),
      "standard precision": 0.6,
      "standard hit": 1,
      "standard MRR": 1 / 5,
      "standard NDCG": standardGain(5, 10) / standardGain(1, 10),
    };
    for (const name of metricNames) {
      for (const value of measured[name]) expect(value, name).toBeCloseTo(expected[name], 14);
    }
  });

  test("the second channel, which decoys and companions share with the query, finds nothing", () => {
    const measured = measureBy(({ second }) => only(second));
    for (const name of metricNames) expect([...measured[name]], name).toEqual([0, 0]);
  });

  test("the third channel knows the decoys, and then nothing: the rest is chance, by the hash of the ids (EV7)", () => {
    const measured = measureBy(({ third }) => only(third));
    const hashes = tieHashes(idsOf(items.length));
    people.forEach(({ third, level, later, known }, user) => {
      const hits = later.map((query) => {
        const kind = items[query][third].kind;
        const inGroup = (item: number) => items[item][third].level === level && !known.includes(item);
        const apart = Array.from(items.keys()).filter((item) => inGroup(item) && items[item][third].kind !== kind);
        const list = apart.sort((a, b) => hashes[a] - hashes[b]).slice(0, 10 - DECOYS);
        return list.filter((item) => later.includes(item)).length;
      });
      const expected = hits.reduce((sum, count) => sum + count / 10, 0) / LATER;
      expect(measured["paper HR"][user]).toBeCloseTo(expected, 14);
      expect(expected).toBeGreaterThan(0);
      expect(expected).toBeLessThan(0.2);
    });
  });

  test("who is given the other's weights gets what a wrong channel gives", () => {
    const swapped = measureBy(({ level }) => only(PEOPLE.find((other) => other.level !== level)?.followed ?? 0));
    // 0 follows 0; channel 2, which the other follows, is 0's third. 2 follows 2; channel 0 is 2's second.
    expect(swapped["paper HR"][0]).toBe(measureBy(({ third }) => only(third))["paper HR"][0]);
    expect(swapped["paper HR"][1]).toBe(0);
  });
});

describe("EV4: new items at every horizon", () => {
  // Around each new item lie rings of known ones, by the first channel: the nearer, the sooner they were met with it. The second channel puts
  // strangers first.
  const DAY = 86_400;
  const RINGS = [
    { size: 2, days: 0.5 },
    { size: 3, days: 6.5 },
    { size: 4, days: 30 },
    { size: 5, days: 400 },
  ];
  const STRANGERS = 10;
  const SPARSE = 1000; // where the new item lies that nobody met with another within a day
  const items: Value[][] = [];
  const add = (level: number, kind: number) =>
    items.push([
      { level, kind: 0 },
      { level: 0, kind },
    ]) - 1;
  const queries: number[] = [];
  const met: { items: number[]; seconds: number[] }[] = [];
  for (const [kind, place] of [0, SPARSE].entries()) {
    queries.push(add(place, kind));
    const own = { items: [] as number[], seconds: [] as number[] };
    for (const [ring, { size, days }] of RINGS.entries()) {
      if (place === SPARSE && ring === 0) continue;
      for (let i = 0; i < size; i++) {
        own.items.push(add(place + ring + 1, 2));
        own.seconds.push(days * DAY);
      }
    }
    for (let i = 0; i < STRANGERS; i++) add(place + 50, kind);
    met.push(own);
  }
  const table = {
    queries: Int32Array.from(queries),
    starts: Int32Array.of(0, met[0].items.length, met[0].items.length + met[1].items.length),
    items: Int32Array.from(met.flatMap((own) => own.items)),
  };
  const unasked = () => Promise.reject(new Error("not asked for"));
  const truth: Truth = {
    path: () => "",
    queries: unasked,
    items: unasked,
    users: unasked,
    coInteraction: async () => ({ ...table, seconds: Float64Array.from(met.flatMap((own) => own.seconds)) }),
    affinity: async () => {
      // the second ring alone, of the first query alone
      const hits = met[0].items.slice(2, 5);
      const starts = Int32Array.of(0, hits.length, hits.length);
      const affinity = new Float64Array(hits.length).fill(0.5);
      const commonUsers = new Int32Array(hits.length).fill(3);
      return { queries: table.queries, starts, items: Int32Array.from(hits), affinity, commonUsers };
    },
  };

  const measureBy = async (weights: number[]) => {
    const truths = await loadTruths(truth, "test", { hasTimes: true });
    const events = new Int32Array(items.length).fill(1);
    const recommender = byWeights(lift(items, 3), weights);
    const { truths: measured } = measureRecommender(recommender, { seed: 1, kind: "baseline", truths, events });
    return { truths, measured };
  };

  test("queries, and those left out (EV8), by horizon", async () => {
    const { truths } = await measureBy([1, 0]);
    expect(truths.map(({ name, queries: asked, sets, empty }) => [name, asked.length, sets[0].size, empty])).toEqual([
      ["co-interaction 1 d", 1, 2, 1],
      ["co-interaction 7 d", 2, 5, 0],
      ["co-interaction 30 d", 2, 9, 0],
      ["co-interaction ∞", 2, 14, 0],
      [AFFINITY, 1, 3, 1],
    ]);
  });

  // Lists by the first channel: 2 of the first ring, 3 of the second, 4 of the third, 1 of the fourth; without a first ring 3, 4 and 3.
  test.each([
    { name: "co-interaction 1 d", hits: [2] },
    { name: "co-interaction 7 d", hits: [5, 3] },
    { name: "co-interaction 30 d", hits: [9, 7] },
    { name: "co-interaction ∞", hits: [10, 10] },
  ])("the first channel puts all of the truth first: $name", async ({ name, hits }) => {
    const { measured } = await measureBy([1, 0]);
    const metrics = measured.get(name)?.metrics;
    expect([...(metrics?.["paper HR"] ?? [])]).toEqual(hits.map((count) => count / 10));
    for (const metric of ["paper MRR", "paper NDCG", "standard hit", "standard MRR", "standard NDCG"] as const) {
      expect([...(metrics?.[metric] ?? [])], metric).toEqual(hits.map(() => 1));
    }
  });

  test("affinity: its three hits stand at places 3, 4 and 5", async () => {
    const { measured } = await measureBy([1, 0]);
    const metrics = measured.get(AFFINITY)?.metrics;
    expect([...(metrics?.["paper HR"] ?? [])]).toEqual([0.3]);
    expect([...(metrics?.["paper MRR"] ?? [])]).toEqual([1 / 3]);
    expect(metrics?.["paper NDCG"][0]).toBeCloseTo(paperGain(3, 5) / paperGain(1, 3), 14);
    expect(metrics?.["standard NDCG"][0]).toBeCloseTo(standardGain(3, 5) / standardGain(1, 3), 14);
  });

  test("the second channel finds strangers alone, whatever the truth", async () => {
    const { measured } = await measureBy([0, 1]);
    expect(measured.size).toBe(5);
    for (const { metrics } of measured.values()) {
      for (const name of metricNames)
        expect(
          metrics[name].every((value) => value === 0),
          name,
        ).toBe(true);
    }
  });
});
