// Aᵀ(A·X) for a sparse A. Entries of S and X lie in [−1, 1), scales in [½, 1½): a sum of k products, twice, is off by at most
// about 8k²u, oracle included.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { SparseRows } from "../linalg/engine.ts";
import { hostIndices, hostMatrix, type Matrix } from "../linalg/matrix.ts";
import { atLeastOne, type Bed, oracle, precision, seed, size, UNIT } from "./bed.ts";
import { errorOf, expectWithin } from "./bounds.ts";
import type { Operands } from "./operands.ts";

const layout = fc.constantFrom("tight" as const, "window" as const);

/** Rows of up to four entries, some empty, some with a column twice. */
function draw(o: Operands, rows: number, cols: number) {
  const starts = [0];
  const columns: number[] = [];
  for (let i = 0; i < rows; i++) {
    for (let e = o.random.below(5); e > 0; e--) columns.push(o.random.below(cols));
    starts.push(columns.length);
  }
  return { starts: Int32Array.from(starts), columns: Int32Array.from(columns) };
}

export function describeSparseGram(bed: Bed): void {
  describe("sparseGram", () => {
    test("equals the oracle, with scales and values and without, in the arena and from the host's arrays", () => {
      bed.check(
        fc.record({
          rows: size,
          cols: atLeastOne,
          d: size,
          precision,
          seed,
          layout,
          weighted: fc.boolean(),
          rowScaled: fc.boolean(),
          columnScaled: fc.boolean(),
        }),
        ({ rows, cols, d, precision, seed, layout, weighted, rowScaled, columnScaled }) => {
          bed.with(precision, seed, (o) => {
            const { starts, columns } = draw(o, rows, cols);
            const values = weighted ? o.vector(columns.length) : undefined;
            const r = rowScaled ? o.vector(rows, o.draws(rows, 0.5, 1.5)) : undefined;
            const c = columnScaled ? o.vector(cols, o.draws(cols, 0.5, 1.5)) : undefined;
            const X = o.input(cols, d, layout);
            const out = o.output(cols, d, layout);
            const scales = (which: "own" | "oracle") => ({
              ...(r && { rowScale: r[which] }),
              ...(c && { columnScale: c[which] }),
            });
            const outside = { rows, cols, starts: hostIndices(starts), columns: hostIndices(columns) };
            oracle.sparseGram(
              out.oracle,
              { ...outside, ...(values && { values: values.oracle }) },
              X.oracle,
              scales("oracle"),
            );

            const inside: SparseRows = {
              rows,
              cols,
              starts: o.indices(starts).own,
              columns: o.indices(columns).own,
              ...(values && { values: values.own }),
            };
            const bound = 8 * (columns.length + 1) ** 2 * UNIT[precision] * bed.slack;
            bed.engine.sparseGram(out.own, inside, X.own, scales("own"));
            expectWithin("in the arena", out.own, out.oracle, bound);

            // f32 values on the host, whatever the precision of X
            const again = o.output(cols, d, layout);
            const host = values && hostMatrix(Float32Array.from(values.oracle.read()), columns.length, 1);
            bed.engine.sparseGram(again.own, { ...outside, ...(host && { values: host }) }, X.own, scales("own"));
            if (!weighted || precision === "f32") expect(again.own.read()).toEqual(out.own.read());
            else expectWithin("f32 values", again.own, out.oracle, 8 * (columns.length + 1) ** 2 * UNIT.f32);
          });
        },
        [
          {
            rows: 300,
            cols: 130,
            d: 75,
            precision: "f64",
            seed: 1,
            layout: "window",
            weighted: true,
            rowScaled: true,
            columnScaled: true,
          },
        ],
      );
    });

    test("is Sᵀ(S·X) by the two sparse products", () => {
      bed.with("f64", 3, (o) => {
        const { starts, columns } = draw(o, 90, 40);
        const S: SparseRows = { rows: 90, cols: 40, starts: o.indices(starts).own, columns: o.indices(columns).own };
        const X = o.input(40, 21).own;
        const [SX, twice, once] = [o.output(90, 21).own, o.output(40, 21).own, o.output(40, 21).own];
        bed.engine.sparseMultiply(SX, S, X);
        bed.engine.sparseMultiplyBackward(twice.fill(0), S, SX);
        bed.engine.sparseGram(once, S, X);
        expectWithin("gram", once, twice, 1e-12);
      });
    });

    test("mistakes have codes", () => {
      bed.with("f64", 4, (o) => {
        const S: SparseRows = { rows: 1, cols: 3, starts: o.indices([0, 2]).own, columns: o.indices([0, 2]).own };
        const [X, out] = [o.input(3, 2).own, o.output(3, 2).own];
        const run = (change: Partial<SparseRows>, options?: { rowScale?: Matrix; columnScale?: Matrix }) =>
          errorOf(() => bed.engine.sparseGram(out, { ...S, ...change }, X, options));
        expect([
          run({ columns: o.indices([0, 3]).own }),
          run({ columns: o.indices([0, -1]).own }),
          run({ starts: o.indices([0, 3]).own }),
          run({ starts: o.indices([1, 2]).own }),
          run({ cols: 4 }),
          run({ values: o.vector(3).own }),
          run({}, { rowScale: o.vector(2).own }),
          run({}, { columnScale: o.vector(1).own }),
          errorOf(() => bed.engine.sparseGram(X, S, X)),
        ]).toEqual([
          { code: "INDEX_OUT_OF_RANGE", message: "sparseGram: columns: position 1 holds 3; valid are 0 to 2" },
          { code: "INDEX_OUT_OF_RANGE", message: "sparseGram: columns: position 1 holds -1; valid are 0 to 2" },
          { code: "BAD_ARGUMENT", message: "sparseGram: starts end at 3, but there are 2 entries" },
          { code: "BAD_ARGUMENT", message: "sparseGram: starts must begin at 0 and never fall, got 1 at 0" },
          { code: "SHAPE_MISMATCH", message: "sparseGram: X: expected (4, 2), got (3, 2)" },
          { code: "SHAPE_MISMATCH", message: "sparseGram: values: expected a vector of 2, got (3, 1)" },
          { code: "SHAPE_MISMATCH", message: "sparseGram: rowScale: expected a vector of 1, got (2, 1)" },
          { code: "SHAPE_MISMATCH", message: "sparseGram: columnScale: expected a vector of 3, got (1, 1)" },
          { code: "BAD_ARGUMENT", message: "sparseGram: out shares memory with an input; write the result elsewhere" },
        ]);
      });
    });
  });
}
