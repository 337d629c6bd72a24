// The rules for unknown values, on distances as the engine computes them from embeddings, weights and lengths.
import fc from "fast-check";
import { expect, test } from "vitest";
import { smallestEigenvalue } from "../linalg/decompositions/symmetric-eigen.ts";
import { createPlainEngine } from "../linalg/plain/engine.ts";
import { embed } from "./embed.ts";
import { applyLink } from "./link.ts";
import { ITEMS, makeWorld } from "./testing/world.ts";
import { columnWeights, metricWeights, rowLengths } from "./weights.ts";

const engine = createPlainEngine();
const ALL = Int32Array.from({ length: ITEMS }, (_, i) => i);

/** t of all pairs of a world's items. */
function distancesOf(seed: number, weights: "signed" | "softplus", scale: "identity" | "diagonal") {
  const scope = engine.scope();
  const world = makeWorld(engine, scope, { seed, config: { weights, scale } });
  const { config, parameters, statistics } = world;
  const embedding = embed(engine, scope, world, ALL);
  const w = scope.matrix(embedding.Z.cols, 1);
  const lengths = scope.matrix(ITEMS, 1);
  columnWeights(w, config, parameters, statistics);
  rowLengths(lengths, embedding, config, parameters, statistics);
  const T = scope.matrix(ITEMS, ITEMS);
  const same = scope.indices(ITEMS).write(ALL);
  engine.distances(T, embedding.Z, embedding.Z, { weights: w, same, rowLengths: lengths, columnLengths: lengths });
  return { T, embedding, statistics, h: metricWeights(config, parameters).h };
}

const kinds = fc.record({
  seed: fc.nat(10_000),
  weights: fc.constantFrom("signed" as const, "softplus" as const),
  scale: fc.constantFrom("identity" as const, "diagonal" as const),
});
const OPTIONS = { seed: 3, numRuns: 20 };

test("t is symmetric, 0 for an item and itself, and not negative where no weight is", () => {
  fc.assert(
    fc.property(kinds, ({ seed, weights, scale }) => {
      const { T } = distancesOf(seed, weights, scale);
      for (let a = 0; a < ITEMS; a++) {
        expect(T.get(a, a)).toBe(0);
        for (let b = 0; b < a; b++) {
          expect(T.get(a, b)).toBe(T.get(b, a));
          if (weights === "softplus") expect(T.get(a, b)).toBeGreaterThanOrEqual(0);
        }
      }
    }),
    OPTIONS,
  );
});

test("unknown is never identical: items that both lack a channel are at least 2h_c·ρ_c/s_c apart", () => {
  fc.assert(
    fc.property(kinds, ({ seed, scale }) => {
      const { T, embedding, statistics, h } = distancesOf(seed, "softplus", scale);
      const p = h.length;
      let met = 0;
      for (let a = 0; a < ITEMS; a++) {
        for (let b = 0; b < a; b++) {
          let least = 0;
          for (let c = 0; c < p; c++) {
            const lacking = embedding.masked[a * p + c] + embedding.masked[b * p + c];
            least += (lacking * h[c] * statistics.lengths[c]) / statistics.scales[c];
            if (lacking === 2) met++;
          }
          expect(T.get(a, b)).toBeGreaterThanOrEqual(least * (1 - 1e-12));
        }
      }
      expect(met).toBeGreaterThan(0);
    }),
    OPTIONS,
  );
});

test("the kernel with stand-ins is positive semi-definite under the linear and the saturating link", () => {
  fc.assert(
    fc.property(kinds, ({ seed, scale }) => {
      const { T } = distancesOf(seed, "softplus", scale);
      for (const link of ["linear", "saturating"] as const) {
        const K = T.read().map((t) => Math.exp(-0.5 * applyLink(link, t)));
        expect(smallestEigenvalue(K, ITEMS)).toBeGreaterThan(-1e-13);
      }
    }),
    OPTIONS,
  );
});
