// Contributions: exact parts of t, the same t as the engine's, and the rules for unknown values.
import fc from "fast-check";
import { expect, test } from "vitest";
import { smallestEigenvalue } from "../linalg/decompositions/symmetric-eigen.ts";
import { createPlainEngine } from "../linalg/plain/engine.ts";
import { errorOf } from "../testing/bounds.ts";
import { embed } from "./embed.ts";
import { contributions, type EmbeddedItem } from "./explain.ts";
import { applyLink } from "./link.ts";
import { ITEMS, makeWorld } from "./testing/world.ts";
import { columnWeights, metricWeights, rowLengths, scaleSquares } from "./weights.ts";

const engine = createPlainEngine();
const ALL = Int32Array.from({ length: ITEMS }, (_, i) => i);

/** All items of a world, as they would be stored, with the metric to explain by and t by the engine. */
function explained(seed: number, weights: "signed" | "softplus", scale: "identity" | "diagonal") {
  const scope = engine.scope();
  const world = makeWorld(engine, scope, { seed, config: { weights, scale } });
  const { config, parameters, statistics } = world;
  const embedding = embed(engine, scope, world, ALL);
  const { Z, masked } = embedding;
  const stored = Float32Array.from(Z.read());
  Z.write(stored); // the engine sees the rows as stored
  const w = scope.matrix(Z.cols, 1);
  const lengths = scope.matrix(ITEMS, 1);
  columnWeights(w, config, parameters, statistics);
  rowLengths(lengths, embedding, config, parameters, statistics);
  const T = scope.matrix(ITEMS, ITEMS);
  const same = scope.indices(ITEMS).write(ALL);
  engine.distances(T, Z, Z, { weights: w, same, rowLengths: lengths, columnLengths: lengths });
  const p = config.channels.length;
  const items = Array.from(
    ALL,
    (i): EmbeddedItem => ({
      row: stored.subarray(i * Z.cols, (i + 1) * Z.cols),
      masked: masked.subarray(i * p, (i + 1) * p),
    }),
  );
  const squares = config.channels.flatMap((channel) => Array.from(scaleSquares(parameters, channel)));
  return { metric: { config, statistics, squares, h: metricWeights(config, parameters).h }, items, T, parameters };
}

const kinds = fc.record({
  seed: fc.nat(10_000),
  weights: fc.constantFrom("signed" as const, "softplus" as const),
  scale: fc.constantFrom("identity" as const, "diagonal" as const),
});
const OPTIONS = { seed: 3, numRuns: 20 };

test("parts sum to t to the bit, t is the engine's, D is symmetric, and not negative where h is not", () => {
  fc.assert(
    fc.property(kinds, ({ seed, weights, scale }) => {
      const { metric, items, T } = explained(seed, weights, scale);
      items.forEach((a, i) => {
        items.forEach((b, j) => {
          const { parts, distances, total } = contributions(metric, a, b, { same: i === j });
          expect(parts.reduce((sum, x) => sum + x, 0)).toBe(total);
          expect(Math.abs(total - T.get(i, j))).toBeLessThanOrEqual(
            1e-13 * parts.reduce((sum, x) => sum + Math.abs(x), 1e-3),
          );
          expect(contributions(metric, b, a, { same: i === j }).total).toBe(total);
          expect(distances.every((d) => d >= 0)).toBe(true);
          if (weights === "softplus") {
            for (const link of ["linear", "saturating", "sigmoid"] as const) {
              expect(applyLink(link, total, -0.3)).toBeGreaterThanOrEqual(0);
            }
          }
        });
      });
    }),
    OPTIONS,
  );
});

test("unknown is never identical: two stand-ins are 2ρ_c/s_c apart, an item and itself 0", () => {
  fc.assert(
    fc.property(kinds, ({ seed, weights, scale }) => {
      const { metric, items } = explained(seed, weights, scale);
      const { lengths, scales } = metric.statistics;
      items.forEach((a, i) => {
        expect(contributions(metric, a, a, { same: true })).toMatchObject({ total: 0, parts: new Float64Array(4) });
        items.slice(0, i).forEach((b) => {
          const { distances, masked } = contributions(metric, a, b);
          metric.config.channels.forEach((_, c) => {
            expect(masked[c]).toBe(a.masked[c] || b.masked[c] ? 1 : 0);
            if (a.masked[c] && b.masked[c]) expect(distances[c]).toBe((2 * lengths[c]) / scales[c]);
            if (a.masked[c] !== b.masked[c]) expect(distances[c]).toBeGreaterThan(lengths[c] / scales[c]);
          });
        });
      });
    }),
    OPTIONS,
  );
});

test("the kernel with stand-ins is positive semi-definite under the linear and the saturating link", () => {
  fc.assert(
    fc.property(kinds, ({ seed, scale }) => {
      const { T } = explained(seed, "softplus", scale);
      for (const link of ["linear", "saturating"] as const) {
        const K = T.read().map((t) => Math.exp(-0.5 * applyLink(link, t)));
        expect(smallestEigenvalue(K, ITEMS)).toBeGreaterThan(-1e-13);
      }
    }),
    OPTIONS,
  );
});

test("rows and masks of another size are refused", () => {
  const { metric, items } = explained(1, "softplus", "identity");
  const short = { ...items[1], row: items[1].row.length ? [1, 2] : [] };
  expect(errorOf(() => contributions(metric, items[0], short))).toMatchInlineSnapshot(`
    {
      "code": "SHAPE_MISMATCH",
      "message": "contributions: expected rows of 12 and masks of 4, got 2 and 4",
    }
  `);
});
