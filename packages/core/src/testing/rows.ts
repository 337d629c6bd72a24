// Rows by index: gather, scatter-add, and products with a sparse matrix. Entries lie in [−1, 1): a sum of k of their products is
// off by at most 2k²u, oracle included.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { hostIndices, hostMatrix } from "../linalg/matrix.ts";
import { atLeastOne, type Bed, oracle, precision, seed, size, UNIT } from "./bed.ts";
import { expectWithin } from "./bounds.ts";
import type { Operands } from "./operands.ts";

const layout = fc.constantFrom("tight" as const, "window" as const);

/** Each row a bag of up to four of the table's rows, some empty, some with repeats. */
function sparse(o: Operands, rows: number, cols: number, weighted: boolean) {
  const starts = [0];
  const columns: number[] = [];
  for (let i = 0; i < rows; i++) {
    for (let e = o.random.below(5); e > 0; e--) columns.push(o.random.below(cols));
    starts.push(columns.length);
  }
  const s = o.indices(starts);
  const c = o.indices(columns);
  const v = weighted ? o.vector(columns.length) : undefined;
  return {
    entries: columns.length,
    own: { rows, cols, starts: s.own, columns: c.own, ...(v && { values: v.own }) },
    oracle: { rows, cols, starts: s.oracle, columns: c.oracle, ...(v && { values: v.oracle }) },
  };
}

export function describeRows(bed: Bed): void {
  describe("rows by index", () => {
    test("gatherRows: copies, from the arena and from the host's arrays", () => {
      bed.check(fc.record({ rows: size, table: atLeastOne, d: size, precision, seed, layout }), (drawn) => {
        bed.with(drawn.precision, drawn.seed, (o) => {
          const table = o.input(drawn.table, drawn.d, drawn.layout);
          const picks = Array.from({ length: drawn.rows }, () => o.random.below(drawn.table));
          const indices = o.indices(picks);
          const out = o.output(drawn.rows, drawn.d, drawn.layout);
          bed.engine.gatherRows(out.own, table.own, indices.own);
          oracle.gatherRows(out.oracle, table.oracle, indices.oracle);
          expect(out.own.read()).toEqual(out.oracle.read());

          const array = table.oracle.read();
          const outside = hostMatrix(
            drawn.precision === "f32" ? Float32Array.from(array) : array,
            drawn.table,
            drawn.d,
          );
          const again = o.output(drawn.rows, drawn.d, drawn.layout);
          bed.engine.gatherRows(again.own, outside, hostIndices(Int32Array.from(picks)));
          expect(again.own.read()).toEqual(out.oracle.read());
        });
      });
    });

    test("scatterAddRows: repeated indices add up", () => {
      bed.check(
        fc.record({ rows: size, table: atLeastOne, d: size, precision, seed, layout, scale: fc.constantFrom(1, -0.5) }),
        (drawn) => {
          bed.with(drawn.precision, drawn.seed, (o) => {
            const table = o.output(drawn.table, drawn.d, drawn.layout, o.draws(drawn.table * drawn.d));
            const rows = o.input(drawn.rows, drawn.d, drawn.layout);
            const indices = o.indices(
              Array.from({ length: drawn.rows }, () => o.random.below(Math.min(drawn.table, 7))),
            );
            bed.engine.scatterAddRows(table.own, rows.own, indices.own, drawn.scale);
            oracle.scatterAddRows(table.oracle, rows.oracle, indices.oracle, drawn.scale);
            expectWithin(
              "table",
              table.own,
              table.oracle,
              2 * (drawn.rows + 1) ** 2 * UNIT[drawn.precision] * bed.slack,
            );
          });
        },
      );
    });

    test("sparseMultiply and its backward pass, with values and without", () => {
      bed.check(
        fc.record({ rows: size, cols: atLeastOne, d: size, precision, seed, layout, weighted: fc.boolean() }),
        ({ rows, cols, d, precision, seed, layout, weighted }) => {
          bed.with(precision, seed, (o) => {
            const S = sparse(o, rows, cols, weighted);
            const W = o.input(cols, d, layout);
            const out = o.output(rows, d, layout);
            bed.engine.sparseMultiply(out.own, S.own, W.own);
            oracle.sparseMultiply(out.oracle, S.oracle, W.oracle);
            expectWithin("out", out.own, out.oracle, 2 * 5 ** 2 * UNIT[precision] * bed.slack);

            const dOut = o.input(rows, d, layout);
            const dW = o.output(cols, d, layout, o.draws(cols * d));
            bed.engine.sparseMultiplyBackward(dW.own, S.own, dOut.own);
            oracle.sparseMultiplyBackward(dW.oracle, S.oracle, dOut.oracle);
            expectWithin("dW", dW.own, dW.oracle, 2 * (S.entries + 1) ** 2 * UNIT[precision] * bed.slack);
          });
        },
        [{ rows: 200, cols: 50, d: 130, precision: "f32", seed: 1, layout: "window", weighted: true }],
      );
    });

    test("sparseMultiplyBackward is the adjoint: ⟨S·W, D⟩ = ⟨W, Sᵀ·D⟩", () => {
      bed.with("f64", 5, (o) => {
        const S = sparse(o, 30, 12, true);
        const [W, D] = [o.input(12, 9), o.input(30, 9)];
        const SW = o.output(30, 9);
        const StD = o.output(12, 9, "tight", new Float64Array(108));
        bed.engine.sparseMultiply(SW.own, S.own, W.own);
        bed.engine.sparseMultiplyBackward(StD.own, S.own, D.own);
        const inner = (a: Float64Array, b: Float64Array) => a.reduce((sum, x, i) => sum + x * b[i], 0);
        expect(inner(SW.own.read(), D.oracle.read())).toBeCloseTo(inner(W.oracle.read(), StD.own.read()), 12);
      });
    });
  });
}
