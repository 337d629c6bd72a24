import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createEngine } from "../linalg/create.ts";
import type { Engine } from "../linalg/engine.ts";
import { Random } from "../linalg/random.ts";
import { liftedItem } from "../rank/rows.ts";
import { placeRows, plainDistances, rankWorld } from "../rank/testing/world.ts";
import { channelDistancesOf, channelPairs, crossPairs } from "./channel-pairs.ts";

describe.each(["plain", "wasm"] as const)("on %s", (kind) => {
  let engine: Engine;
  beforeAll(async () => {
    engine = await createEngine({ engine: kind, workers: 1 });
  });
  afterAll(() => engine.close());

  test.each([0, 0.5, 1])("distances are those of the definition, and 0 in product channels, %d of all", (products) => {
    const n = 12;
    const world = rankWorld({ n, sizes: [3, 1, 4, 2], random: new Random(3), products });
    const p = world.layout.channelCount;
    const { rows, close } = placeRows(world, [engine]);
    try {
      const items = [5, 2, 9, 0, 7];
      const crossed = crossPairs(engine, rows, { items, count: 3 });
      items.slice(0, 3).forEach((a, i) => {
        items.forEach((b, j) => {
          plainDistances(world, [a], b).forEach((d, c) => {
            expect(crossed[(c * 3 + i) * items.length + j]).toBeCloseTo(world.layout.products[c] ? 0 : d, 12);
          });
        });
      });

      const lifted = items.map((item) => liftedItem(rows, item));
      const pairs = channelPairs(engine, rows, lifted);
      const N = pairs.length / p;
      const out = new Float64Array(p);
      let k = 0;
      items.forEach((a, i) => {
        items.slice(0, i + 1).forEach((b, j) => {
          channelDistancesOf(out, rows, lifted[i], lifted[j]);
          plainDistances(world, [a], b).forEach((d, c) => {
            const expected = world.layout.products[c] ? 0 : d;
            expect(pairs[c * N + k]).toBeCloseTo(expected, 12);
            expect(out[c]).toBeCloseTo(expected, 12);
          });
          k++;
        });
      });
    } finally {
      close();
    }
  });
});
