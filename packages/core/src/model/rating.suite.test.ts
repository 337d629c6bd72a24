// Many predictions at once are those of each.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createEngine } from "../linalg/create.ts";
import type { Engine, Link } from "../linalg/engine.ts";
import { hostMatrix } from "../linalg/matrix.ts";
import { errorOf } from "../testing/bounds.ts";
import { openModel } from "./open.ts";
import { RatingModel } from "./rating.ts";
import { tinyModel } from "./testing/tiny-model.ts";

let engine: Engine;
beforeAll(async () => {
  engine = await createEngine({ engine: "wasm", workers: 2 });
});
afterAll(async () => {
  await engine?.close();
});

const close = (actual: number, expected: number) =>
  expect(Math.abs(actual - expected)).toBeLessThanOrEqual(1e-12 * Math.abs(expected));

describe("predictAll", () => {
  test.each(["linear", "saturating", "sigmoid"] as const)(
    "is predict of each, with the %s link",
    async (link: Link) => {
      const parts = tinyModel(engine, { n: 1300, link, ...(link === "sigmoid" ? { weights: "signed" } : {}) });
      const model = await openModel(parts, { engine });
      const all = model.predictAll(); // in more than one piece
      expect(Array.from(all.items)).toEqual(Array.from(parts.catalogue.ids.keys()));
      for (const row of [0, 3, 7, 8, 9, 511, 512, 513, 1024, 1299]) {
        const one = await model.predict(parts.catalogue.ids[row]);
        close(all.mean[row], one.mean);
        close(all.deviation[row], one.deviation);
        close(all.observationDeviation[row], one.observationDeviation);
      }
      const rows = Int32Array.of(700, 5, 5, 0);
      const some = model.predictAll(rows);
      rows.forEach((row, i) => {
        close(some.mean[i], all.mean[row]);
      });
      const byId = model.predictAll(new Set(["f700", "f005"]));
      expect(Array.from(byId.items)).toEqual([700, 5]);
      close(byId.deviation[1], all.deviation[5]);
      expect(model.predictAll([]).mean).toHaveLength(0);
      await model.close();
    },
  );

  test("of rows in several memories, and of an inducing item that was replaced", async () => {
    const parts = tinyModel(engine);
    await using sharded = await openModel(parts, { shardBytes: 12 * 4 * 41 });
    const model = await openModel(parts, { engine });
    const all = model.predictAll();
    sharded.predictAll().mean.forEach((mean, row) => {
      close(mean, all.mean[row]);
    });
    const [inducing] = parts.posterior?.inducing ?? [];
    const p = parts.ensemble.channels.length;
    expect(parts.items.masked.subarray(inducing * p, inducing * p + p)).toContain(1); // two stand-ins are apart
    const others = model.predictAll(undefined, { replaced: new Set([inducing]) });
    others.mean.forEach((mean, row) => {
      if (row === inducing) expect(mean).not.toBe(all.mean[row]);
      else close(mean, all.mean[row]);
    });
    expect(errorOf(() => model.predictAll(Int32Array.of(-1)))).toMatchInlineSnapshot(`
      {
        "code": "INDEX_OUT_OF_RANGE",
        "message": "item -1 is outside [0, 40)",
      }
    `);
    expect(errorOf(() => model.predictAll(["f9999"]))).toMatchInlineSnapshot(`
      {
        "code": "UNKNOWN_ITEM",
        "message": "no item has the id "f9999"",
      }
    `);
    expect(errorOf(() => model.predictAll("f001"))).toMatchInlineSnapshot(`
      {
        "code": "BAD_ARGUMENT",
        "message": "expected a list of ids, got "f001"",
      }
    `);
    await model.close();
  });

  test("on an engine of its own, of rows in memory that another thread owns", async () => {
    const parts = tinyModel(engine);
    const { posterior, items, ensemble } = parts;
    if (!posterior) throw new Error("there is none");
    const model = await openModel(parts, { engine });
    await using small = await createEngine({ engine: "wasm", workers: 1 });
    using scope = small.scope();
    const { layout, lengths, count } = model.rows;
    const shared = new Float32Array(new SharedArrayBuffer(4 * items.rows.length));
    shared.set(items.rows);
    const rows = { ...model.rows, shards: [{ engine: small, rows: hostMatrix(shared, count, layout.width) }] };
    const { weights: h, offset: b } = model.shared;
    const sent = structuredClone({ ...parts, posterior, items: { masked: items.masked }, ensemble, catalogue: null });
    const rating = new RatingModel(small, scope, sent, { layout, h, b, lengths });
    const found = rating.predictRows(
      rows,
      Int32Array.from({ length: count }, (_, row) => row),
    );
    expect(found).toEqual(model.predictAll());
    await model.close();
  });

  test("needs a posterior", async () => {
    const bare = await openModel(tinyModel(engine, { withoutPosterior: true }), { engine });
    expect(errorOf(() => bare.predictAll())).toMatchInlineSnapshot(`
      {
        "code": "BAD_ARGUMENT",
        "message": "the model tiny has no posterior to predict ratings with; train it with the stage ssl",
      }
    `);
    await bare.close();
  });
});
