// A user's own process: predictions with reasons that add up, and what would be without each of them.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createEngine } from "../linalg/create.ts";
import type { Engine } from "../linalg/engine.ts";
import { Random } from "../linalg/random.ts";
import { rowLayout } from "../rank/layout.ts";
import type { LiftedItem } from "../rank/rows.ts";
import { channelDistancesOf, channelPairs } from "./channel-pairs.ts";
import { PersonalProcess, type PersonalProcessInputs } from "./process.ts";

let engine: Engine;
beforeAll(async () => {
  engine = await createEngine({ workers: 1 });
});
afterAll(() => engine.close());

const rows = { layout: rowLayout([3, 2]), lengths: Float64Array.of(0.4, 0.7) };

/** Items with two channels, some of them stand-ins. */
function itemsOf(n: number): LiftedItem[] {
  const random = new Random(4);
  return Array.from({ length: n }, (_, index) => ({
    embedding: Float32Array.from({ length: 5 }, () => 0.5 * random.normal()),
    masked: Uint8Array.of(0, random.uniform() < 0.3 ? 1 : 0),
    index,
  }));
}

const items = itemsOf(9);
const inputs: PersonalProcessInputs = {
  rows,
  items: items.slice(0, 8),
  ratings: [5, 3, 4, 1, 2, 4.5, 3.5, 2],
  weights: [0.8, 0.4],
  kernel: { link: "linear", variance: 1.5 },
  noise: 0.3,
};

test("pairs of all items are those of two at a time; an item is at distance 0 from itself, stand-ins included", () => {
  const pairs = channelPairs(engine, rows, items);
  const out = new Float64Array(2);
  for (let i = 0, k = 0; i < items.length; i++) {
    for (let j = 0; j <= i; j++, k++) {
      channelDistancesOf(out, rows, items[i], items[j]);
      for (let c = 0; c < 2; c++) expect(pairs[c * 45 + k]).toBeCloseTo(out[c], 12);
      if (i === j) expect([...out]).toEqual([0, 0]);
    }
  }
});

describe("a prediction", () => {
  test("is the centre and the contributions of all ratings, exactly", () => {
    const process = new PersonalProcess(engine, inputs);
    const { mean, evidence } = process.predict(items[8]);
    expect(process.centre).toBeCloseTo(25 / 8, 12);
    const sum = evidence.reduce((total, { contribution }) => total + contribution, process.centre);
    expect(sum).toBeCloseTo(mean, 12);
    expect(evidence.map(({ rating }) => rating)).toEqual(inputs.ratings);
  });

  test.each([
    ["the mean of the ratings", inputs],
    ["given", { ...inputs, centre: 3 }],
  ])("without a rating is what a process says that never had it; the centre is %s", (_, own) => {
    const process = new PersonalProcess(engine, own);
    const { evidence } = process.predict(items[8]);
    for (let i = 0; i < 8; i++) {
      const others = Array.from(inputs.ratings, (rating, j) => (j === i ? undefined : { rating, item: items[j] }));
      const rest = others.filter((other) => other !== undefined);
      const less = new PersonalProcess(engine, {
        ...own,
        items: rest.map(({ item }) => item),
        ratings: rest.map(({ rating }) => rating),
      });
      expect(less.predict(items[8]).mean).toBeCloseTo(evidence[i].without ?? Number.NaN, 10);
      const left = process.leaveOneOut()[i];
      expect(less.predict(items[i]).mean).toBeCloseTo(left?.mean ?? Number.NaN, 10);
      expect(less.predict(items[i]).observationDeviation).toBeCloseTo(left?.observationDeviation ?? Number.NaN, 10);
    }
  });

  test("without the only rating nothing is left to say", () => {
    const process = new PersonalProcess(engine, { ...inputs, items: items.slice(0, 1), ratings: [4] });
    expect(process.predict(items[8]).evidence[0].without).toBeNull();
    expect(process.leaveOneOut()).toEqual([null]);
  });

  test("far from everything is the centre, and as unsure as the process; at a rated item it is surer", () => {
    const process = new PersonalProcess(engine, inputs);
    const far = { embedding: Float32Array.of(50, 0, 0, 50, 0), masked: Uint8Array.of(0, 0), index: -1 };
    const there = process.predict(far);
    expect(there.mean).toBeCloseTo(process.centre, 12);
    expect(there.deviation).toBeCloseTo(Math.sqrt(1.5), 12);
    expect(there.observationDeviation).toBeCloseTo(Math.sqrt(1.8), 12);
    expect(process.predict(items[0]).deviation).toBeLessThan(0.55);
  });

  test("needs a rating for each item", () => {
    expect(() => new PersonalProcess(engine, { ...inputs, ratings: [1] })).toThrow("8 items with 1 ratings");
  });
});
