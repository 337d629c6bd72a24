// Passes over elements: rows scaled, a bias before the activation, dropout, copies between precisions.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Activation } from "../linalg/engine.ts";
import { hostMatrix, type Precision } from "../linalg/matrix.ts";
import { Random } from "../linalg/random.ts";
import { type Bed, oracle, PRECISIONS, precision, seed, size, UNIT } from "./bed.ts";
import { expectWithin } from "./bounds.ts";
import { LAYOUTS } from "./operands.ts";

const layout = fc.constantFrom("tight" as const, "window" as const);
const anyLayout = fc.constantFrom(...LAYOUTS);
const FUNCTIONS: readonly Activation[] = ["exp", "tanh", "sigmoid", "relu"];

export function describeElements(bed: Bed): void {
  describe("elements", () => {
    test("scaleRows: one product each, in place too", () => {
      bed.check(
        fc.record({ rows: size, cols: size, precision, seed, layout, inPlace: fc.boolean() }),
        ({ rows, cols, precision, seed, layout, inPlace }) => {
          bed.with(precision, seed, (o) => {
            const A = inPlace ? o.output(rows, cols, layout, o.draws(rows * cols)) : o.input(rows, cols, layout);
            const out = inPlace ? A : o.output(rows, cols, layout);
            const s = o.vector(rows);
            bed.engine.scaleRows(out.own, A.own, s.own);
            oracle.scaleRows(out.oracle, A.oracle, s.oracle);
            expectWithin("out", out.own, out.oracle, (i) => Math.abs(out.oracle.data[i]) * UNIT[precision]);
          });
        },
        [{ rows: 300, cols: 257, precision: "f32", seed: 1, layout: "window", inPlace: true }],
      );
    });

    test("activate with a bias is activate of the sum, in place too", () => {
      bed.check(
        fc.record({
          rows: size,
          cols: size,
          precision,
          seed,
          layout,
          f: fc.constantFrom(...FUNCTIONS),
          inPlace: fc.boolean(),
        }),
        ({ rows, cols, precision, seed, layout, f, inPlace }) => {
          bed.with(precision, seed, (o) => {
            const X = inPlace ? o.output(rows, cols, layout, o.draws(rows * cols)) : o.input(rows, cols, layout);
            const bias = o.vector(cols);
            const sums = X.oracle.read().map((x, i) => o.round(x + bias.oracle.data[i % cols]));
            const expected = o.output(rows, cols, "tight", sums);
            const Y = inPlace ? X : o.output(rows, cols, layout);
            bed.engine.activate(Y.own, X.own, f, bias.own);
            bed.engine.activate(expected.own, expected.own, f);
            // (plain arithmetic does not round the sum to f32)
            if (bed.engine.info.kind !== "plain") expectWithin("bias", Y.own, expected.own, 0);
            // the sum is off by u·2, and no function here is steeper than e² there; f itself is off by 3 ulps
            const values = X.oracle.read();
            oracle.activate(Y.oracle, hostMatrix(values, rows, cols), f, bias.oracle);
            expectWithin("oracle", Y.own, Y.oracle, 8 * 8 * UNIT[precision] * bed.slack);
          });
        },
        [
          { rows: 130, cols: 131, precision: "f32", seed: 1, layout: "window", f: "tanh", inPlace: true },
          { rows: 3, cols: 0, precision: "f32", seed: 1, layout: "tight", f: "exp", inPlace: false },
        ],
      );
    });

    test("convert: between precisions and strides, in the arena and out of it", () => {
      const to = fc.constantFrom<Precision>("f32", "f64");
      bed.check(
        fc.record({ rows: size, cols: size, precision, to, seed, from: anyLayout, layout: anyLayout }),
        ({ rows, cols, precision, to, seed, from, layout }) => {
          bed.with(precision, seed, (o) => {
            const values = o.draws(rows * cols);
            const A = o.input(rows, cols, from, values);
            const round = (x: number) => (to === "f32" ? Math.fround(x) : x);
            const expected = values.map(round);
            bed.with(to, seed, (target) => {
              const out = target.output(rows, cols, layout);
              bed.engine.convert(out.own, A.own);
              expectWithin("in the arena", out.own, expected, 0);
              // in from an array of the host's own, and out into one
              const host = hostMatrix(precision === "f32" ? Float32Array.from(values) : values, rows, cols);
              const again = target.output(rows, cols, layout);
              bed.engine.convert(again.own, host);
              expectWithin("in", again.own, expected, 0);
              const away = hostMatrix(
                to === "f32" ? new Float32Array(rows * cols) : new Float64Array(rows * cols),
                rows,
                cols,
              );
              bed.engine.convert(away, A.own);
              expectWithin("out", away, expected, 0);
            });
          });
        },
        [
          { rows: 1200, cols: 131, precision: "f64", to: "f32", seed: 1, from: "tight", layout: "tight" }, // above the threshold
          { rows: 1200, cols: 131, precision: "f32", to: "f64", seed: 2, from: "transposed", layout: "window" },
          { rows: 131, cols: 1200, precision: "f32", to: "f32", seed: 3, from: "window", layout: "transposed" },
        ],
      );
    });

    test.each(PRECISIONS)("convert keeps what has no number: ∞, NaN, −0, and the smallest; %s", (precision) => {
      const scope = bed.engine.scope();
      const values = [Infinity, -Infinity, Number.NaN, -0, 2 ** -149, 1e-60, 1e300];
      const A = scope.matrix(7, 1, precision).write(values);
      for (const to of PRECISIONS) {
        const out = scope.matrix(7, 1, to);
        bed.engine.convert(out, A);
        const rounded = values.map((x) => (precision === "f32" || to === "f32" ? Math.fround(x) : x));
        expect([...out.read()]).toEqual(rounded);
      }
      scope.close();
    });
  });

  describe("dropout", () => {
    test("the plain engine's mask, whatever the stride and precision; in place too", () => {
      bed.check(
        fc.record({
          rows: size,
          cols: size,
          precision,
          seed,
          layout,
          rate: fc.constantFrom(0, 1e-9, 0.1, 0.5, 0.9, 1 - 1e-9),
          inPlace: fc.boolean(),
          drawn: fc.nat(5),
        }),
        ({ rows, cols, precision, seed, layout, rate, inPlace, drawn }) => {
          bed.with(precision, seed, (o) => {
            const [mine, theirs] = [new Random(seed), new Random(seed)];
            for (let i = 0; i < drawn; i++) expect(mine.uint32()).toBe(theirs.uint32());
            const X = inPlace ? o.output(rows, cols, layout, o.draws(rows * cols)) : o.input(rows, cols, layout);
            const out = inPlace ? X : o.output(rows, cols, layout);
            bed.engine.dropout(out.own, X.own, rate, mine);
            oracle.dropout(out.oracle, X.oracle, rate, theirs);
            // one product with 1/(1 − rate), itself rounded
            expectWithin("out", out.own, out.oracle, (i) => 2 * Math.abs(out.oracle.data[i]) * UNIT[precision]);
            expect(mine.uint32()).toBe(theirs.uint32());
          });
        },
        [
          { rows: 130, cols: 131, precision: "f32", seed: 1, layout: "window", rate: 0.3, inPlace: false, drawn: 1 },
          { rows: 130, cols: 131, precision: "f64", seed: 2, layout: "tight", rate: 0.3, inPlace: true, drawn: 0 },
          { rows: 5000, cols: 3, precision: "f32", seed: 3, layout: "window", rate: 0.5, inPlace: false, drawn: 2 },
        ],
      );
    });

    test("element i is dropped by half-word i of the stream, low halves first", () => {
      bed.with("f64", 1, (o) => {
        const X = o.input(5, 13, "window", new Float64Array(65).fill(1));
        const out = o.output(5, 13, "window");
        bed.engine.dropout(out.own, X.own, 0.25, new Random(9).split("dropout"));
        const stream = new Random(9).split("dropout");
        const words = Array.from({ length: 40 }, () => stream.uint32());
        const halves = words.flatMap((word) => [word & 0xffff, word >>> 16]);
        expect([...out.own.read()]).toEqual(Array.from({ length: 65 }, (_, i) => (halves[i] < 16384 ? 0 : 1 / 0.75)));
      });
    });

    test("rate 0 copies and leaves the stream alone", () => {
      bed.with("f32", 2, (o) => {
        const [X, out] = [o.input(7, 5, "window"), o.output(7, 5)];
        const [random, other] = [new Random(3), new Random(3)];
        random.uint32();
        other.uint32();
        bed.engine.dropout(out.own, X.own, 0, random);
        expect(out.own.read()).toEqual(X.oracle.read());
        expect(random.uint32()).toBe(other.uint32());
      });
    });

    test("what is dropped is 0, also where it was NaN or ∞", () => {
      bed.with("f32", 3, (o) => {
        const values = new Float64Array(400).map((_, i) => [Number.NaN, Infinity, -Infinity, 1][i % 4]);
        const [X, out] = [o.input(20, 20, "tight", values), o.output(20, 20)];
        bed.engine.dropout(out.own, X.own, 0.5, new Random(4));
        const result = out.own.read();
        expect(result.every((x, i) => Object.is(x, 0) || Object.is(x, 2 * values[i]))).toBe(true);
        expect(result.filter((x) => x === 0).length).toBeGreaterThan(140);
      });
    });

    test.each([0.02, 0.1, 0.5])("drops %s of the elements, independently of its neighbours", (rate) => {
      const scope = bed.engine.scope();
      const n = 200_000;
      const out = scope.matrix(n, 1, "f32").fill(1);
      bed.engine.dropout(out, out, rate, new Random(12));
      const dropped = out.read().map((x) => (x === 0 ? 1 : 0));
      // how often p is met, in standard deviations; pairs of a lag overlap, which adds 2(p³ − p⁴) to their variance
      const deviations = (count: number, p: number, variance: number) =>
        Math.abs(count - n * p) / Math.sqrt(n * variance);
      const total = dropped.reduce((a, b) => a + b, 0);
      expect(deviations(total, rate, rate * (1 - rate))).toBeLessThan(5);
      for (const lag of [1, 2, 4, 8, 16, 32]) {
        const both = dropped.reduce((sum, x, i) => sum + x * dropped[(i + lag) % n], 0);
        expect(deviations(both, rate ** 2, rate ** 2 + 2 * rate ** 3 - 3 * rate ** 4)).toBeLessThan(5);
      }
      scope.close();
    });
  });
}
