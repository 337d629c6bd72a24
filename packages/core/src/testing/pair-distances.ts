// Distances of rows side by side and their gradient. Entries lie in [−1, 1), weights in [−1/d, 1/d): a term is at most 4 in size, and
// a sum of k of them is off by at most 2(k + 4)·4k·u, oracle included.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { PairGradients } from "../linalg/engine.ts";
import { type Bed, oracle, precision, seed, size, UNIT } from "./bed.ts";
import { expectWithin } from "./bounds.ts";

const layout = fc.constantFrom("tight" as const, "window" as const);
const common = { n: size, d: size, precision, seed, layout, weighted: fc.boolean() };
const example = { n: 260, d: 133, precision: "f64", seed: 5, layout: "window", weighted: true } as const; // above the threshold

export function describePairDistances(bed: Bed): void {
  describe("pair distances", () => {
    test("pairDistances: the oracle's; 0 for equal rows", () => {
      bed.check(
        fc.record(common),
        ({ n, d, precision, seed, layout, weighted }) => {
          bed.with(precision, seed, (o) => {
            const [A, B] = [o.input(n, d, layout), o.input(n, d, layout)];
            const w = weighted ? o.vector(d, o.draws(d, -1 / Math.max(d, 1), 1 / Math.max(d, 1))) : undefined;
            const t = o.outputVector(n);
            bed.engine.pairDistances(t.own, A.own, B.own, w?.own);
            oracle.pairDistances(t.oracle, A.oracle, B.oracle, w?.oracle);
            expectWithin("t", t.own, t.oracle, 2 * (d + 4) * 4 * (weighted ? 1 : d) * UNIT[precision] * bed.slack);
            bed.engine.pairDistances(t.own, A.own, A.own, w?.own);
            expect(t.own.read().every((x) => x === 0)).toBe(true);
          });
        },
        [example, { ...example, precision: "f32" }, { ...example, d: 0 }, { ...example, n: 0 }],
      );
    });

    test("are the diagonal of distances, without its cancellation far from the origin", () => {
      bed.with("f64", 3, (o) => {
        const far = o.draws(60 * 7).map((x) => 1e6 + x);
        const [A, B] = [
          o.input(60, 7, "window", far),
          o.input(
            60,
            7,
            "tight",
            far.map((x) => x + 1e-3),
          ),
        ];
        const t = o.outputVector(60);
        bed.engine.pairDistances(t.own, A.own, B.own);
        expectWithin("t", t.own, new Float64Array(60).fill(7e-6), 7e-6 * 1e-6); // x + 1e-3 is off by 1e-10, 1e-7 of itself
      });
    });

    test("pairDistancesBackward: adds to what is asked for, whatever is asked for", () => {
      const wanted = fc.record({ rows: fc.boolean(), columns: fc.boolean(), weights: fc.boolean() });
      const all = { rows: true, columns: true, weights: true };
      bed.check(
        fc.record({ ...common, wanted }),
        ({ n, d, precision, seed, layout, weighted, wanted }) => {
          bed.with(precision, seed, (o) => {
            const [A, B, g] = [o.input(n, d, layout), o.input(n, d, layout), o.vector(n)];
            const w = weighted ? o.vector(d) : undefined;
            const rows = wanted.rows ? o.output(n, d, layout, o.draws(n * d)) : undefined;
            const columns = wanted.columns ? o.output(n, d, layout, o.draws(n * d)) : undefined;
            const weights = wanted.weights ? o.outputVector(d, o.draws(d)) : undefined;
            const pick = (side: "own" | "oracle"): PairGradients => ({
              ...(rows && { rows: rows[side] }),
              ...(columns && { columns: columns[side] }),
              ...(weights && { weights: weights[side] }),
            });
            bed.engine.pairDistancesBackward(g.own, A.own, B.own, w?.own, pick("own"));
            oracle.pairDistancesBackward(g.oracle, A.oracle, B.oracle, w?.oracle, pick("oracle"));
            const u = 2 * UNIT[precision] * bed.slack;
            if (rows) expectWithin("rows", rows.own, rows.oracle, 5 * 5 * u);
            if (columns) expectWithin("columns", columns.own, columns.oracle, 5 * 5 * u);
            if (weights) expectWithin("weights", weights.own, weights.oracle, u * ((n + 4) * 4 * n + 1));
          });
        },
        [
          { ...example, wanted: all },
          { ...example, precision: "f32", weighted: false, wanted: all },
          { ...example, n: 0, wanted: all },
          { ...example, d: 0, wanted: all },
        ],
      );
    });

    test("both sides may add to one gradient", () => {
      bed.with("f64", 4, (o) => {
        const [A, B, g] = [o.input(9, 6), o.input(9, 6), o.vector(9)];
        const both = o.output(9, 6, "tight", new Float64Array(54));
        bed.engine.pairDistancesBackward(g.own, A.own, B.own, undefined, { rows: both.own, columns: both.own });
        expect(both.own.read().every((x) => x === 0)).toBe(true); // equal and opposite
      });
    });
  });
}
