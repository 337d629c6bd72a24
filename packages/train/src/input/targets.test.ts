import { Random } from "@nearkin/core";
import { describe, expect, test } from "vitest";
import { presets } from "../config/presets.ts";
import { makeTargets } from "./targets.ts";

const config = { ...presets.default.ssl, factors: 2, minRatings: 2, holdout: 0.2 };

/** As many events as `ratings` says, an item's ratings in turn 0.5 above and below its mean. */
function eventsAround(ratings: Int32Array, mean: Float64Array) {
  const items = Array.from(ratings).flatMap((count, item) => Array<number>(count).fill(item));
  return {
    userIndex: Int32Array.of(0),
    starts: Int32Array.of(0, items.length),
    items: Int32Array.from(items),
    ratings: Float32Array.from(items, (item, e) => mean[item] + (e % 2 === 0 ? 0.5 : -0.5)),
    times: Float64Array.from(items.keys()),
  };
}

function world(n: number) {
  const random = new Random(1);
  const ratings = Int32Array.from({ length: n }, (_, item) => item % 5);
  const mean = Float64Array.from(ratings, (count) => (count === 0 ? Number.NaN : 1 + 4 * random.uniform()));
  return {
    items: { ratings, mean, shrunkMean: mean, firstSeen: mean, lastSeen: mean },
    histories: eventsAround(ratings, mean),
    factors: {
      k: 3,
      vectors: Float32Array.from({ length: 3 * n }, () => random.normal()),
      singularValues: Float64Array.of(4, 2, 1),
    },
  };
}

describe("makeTargets", () => {
  const data = world(100);
  const targets = makeTargets(data, config, new Random(2));
  const column = (j: number) => Array.from(targets.items, (_, row) => targets.values[row * targets.count + j]);
  const mean = (values: number[]) => values.reduce((sum, x) => sum + x, 0) / values.length;

  test("takes items with enough ratings, in order", () => {
    expect(Array.from(targets.items)).toEqual(Array.from({ length: 100 }, (_, i) => i).filter((i) => i % 5 >= 2));
    expect(Array.from(targets.ratings)).toEqual(Array.from(targets.items, (item) => item % 5));
  });

  test("column 0 is the mean rating, standardised; centre and scale give it back", () => {
    expect(mean(column(0))).toBeCloseTo(0, 12);
    expect(mean(column(0).map((x) => x * x))).toBeCloseTo(1, 12);
    column(0).forEach((x, row) => {
      expect(targets.centre + targets.scale * x).toBeCloseTo(data.items.mean[targets.items[row]], 12);
    });
  });

  test("s² is the variance within items, by as many events as are free", () => {
    // an item of n events leaves n − 1 of them free; those of one event say nothing
    const events = data.items.ratings.filter((count) => count > 1);
    const free = events.reduce((sum, count) => sum + count - 1, 0);
    const squares = events.reduce((sum, count) => sum + 0.25 * count, 0);
    expect(targets.ratingVariance).toBeCloseTo(squares / free / targets.scale ** 2, 5);
  });

  test("the other columns are factors: rows to norm 1, columns centred, all of mean square 1", () => {
    expect(targets.count).toBe(3);
    for (const j of [1, 2]) expect(mean(column(j))).toBeCloseTo(0, 12);
    expect(mean([...column(1), ...column(2)].map((x) => x * x))).toBeCloseTo(1, 12);
    // before centring, a row is V·σ over its norm: differences of rows show it up to one common factor
    const unit = (item: number) => {
      const row = [0, 1].map((j) => data.factors.vectors[item * 3 + j] * data.factors.singularValues[j]);
      const norm = Math.hypot(...row);
      return row.map((x) => x / norm);
    };
    const [a, b, c] = [0, 1, 2].map((row) => ({ unit: unit(targets.items[row]), row }));
    const factor = (targets.values[3 * a.row + 1] - targets.values[3 * b.row + 1]) / (a.unit[0] - b.unit[0]);
    expect((targets.values[3 * a.row + 2] - targets.values[3 * c.row + 2]) / (a.unit[1] - c.unit[1])).toBeCloseTo(
      factor,
      5,
    );
  });

  test("holds rows out, the same ones for the same seed", () => {
    expect(targets.heldOut.length).toBe(12);
    expect([...targets.heldOut, ...targets.fitted].sort((x, y) => x - y)).toEqual(Array.from(targets.items.keys()));
    expect(makeTargets(data, config, new Random(2)).heldOut).toEqual(targets.heldOut);
    expect(makeTargets(data, config, new Random(3)).heldOut).not.toEqual(targets.heldOut);
  });

  test("means that are drawn towards the mean of all, where asked for", () => {
    const shrunkMean = data.items.mean.map((x) => 3 + (x - 3) / 2);
    const drawn = makeTargets(
      { ...data, items: { ...data.items, shrunkMean } },
      { ...config, ratings: "shrunk" },
      new Random(2),
    );
    expect(drawn.scale).toBeCloseTo(targets.scale / 2, 12);
    expect(drawn.values[0]).toBeCloseTo(targets.values[0], 12); // standardised, they are the same
  });

  test("rating alone; ratings that are all the same; too few items", () => {
    expect(makeTargets(data, { ...config, target: "rating" }, new Random(1)).count).toBe(1);
    const flat = { ...data, items: { ...data.items, mean: data.items.mean.map(() => 3) } };
    const same = makeTargets(flat, { ...config, target: "rating" }, new Random(1));
    expect([same.centre, same.scale, same.values.every((x) => x === 0)]).toEqual([3, 0, true]);
    expect(() => makeTargets(world(12), config, new Random(1))).toThrowErrorMatchingInlineSnapshot(
      `[NearkinError: 6 items have 2 training ratings or more, the Gaussian process needs at least 10; lower ssl.minRatings, or leave the stage ssl out]`,
    );
  });
});
