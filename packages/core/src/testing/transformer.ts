// The forward pass of a transformer: rows in fixed point and their products, LayerNorm, GELU, attention. Bounds are derived in place; u is
// f32's unit roundoff. A step is at most a 32767th of its row's norm, and what is rounded to it is off by half of it.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fixedRows, wholeNumbers, wordsOf } from "../linalg/fixed.ts";
import { hostMatrix, type Matrix } from "../linalg/matrix.ts";
import { normalDistribution } from "../linalg/plain/normal-distribution.ts";
import { plainTransformer } from "../linalg/plain/transformer.ts";
import { type Transformer, transformerOf } from "../linalg/transformer.ts";
import { atLeastOne, type Bed, oracle, seed, size, UNIT } from "./bed.ts";
import { expectWithin, largest } from "./bounds.ts";
import type { Operands } from "./operands.ts";

const layout = fc.constantFrom("tight" as const, "window" as const);
const HALF_STEP = 0.5 / 32767; // of a row's norm
const u = UNIT.f32;

/** The oracle's matrix in the precision that these operations take. */
const single = (m: Matrix): Matrix => hostMatrix(Float32Array.from(m.read()), m.rows, m.cols);
/** The rows of m one by one. */
function rowsOf(m: Matrix): Float64Array[] {
  const all = m.read();
  return Array.from({ length: m.rows }, (_, i) => all.subarray(i * m.cols, (i + 1) * m.cols));
}
/** 0, and where each of these lengths ends. */
function startsOf(lengths: readonly number[]): number[] {
  let end = 0;
  return [0, ...lengths.map((length) => (end += length))];
}
const norm = (x: Float64Array) => Math.sqrt(x.reduce((sum, value) => sum + value * value, 0));

/** Numbers of one row in a hundred times the magnitude of the row before, now and then a row of zeros. */
function uneven(o: Operands, rows: number, cols: number): Float64Array {
  const scales = Array.from({ length: rows }, () => (o.random.below(8) === 0 ? 0 : 10 ** (o.random.below(5) - 2)));
  return Float64Array.from({ length: rows * cols }, (_, at) => o.round(scales[Math.floor(at / cols)] * o.draw()));
}

export function describeTransformer(bed: Bed): void {
  const ours = (): Transformer => transformerOf(bed.engine);

  describe("transformer", () => {
    test("quantize: every number to half a step, no norm beyond 32 bits", () => {
      bed.check(fc.record({ rows: size, cols: atLeastOne, seed, layout }), ({ rows, cols, seed, layout }) => {
        bed.with("f32", seed, (o) => {
          const X = o.input(rows, cols, layout, uneven(o, rows, cols));
          const own = fixedRows(o.scope, rows, cols);
          ours().quantize(own, X.own);
          const theirs = fixedRows(oracle.scope(), rows, cols);
          plainTransformer.quantize(theirs, single(X.oracle));
          expectWithin("steps", own.steps, theirs.steps, (i) => 4 * u * theirs.steps.get(i, 0));
          for (const [i, x] of rowsOf(X.oracle).entries()) {
            const whole = wholeNumbers(own, i);
            const step = own.steps.get(i, 0);
            expectWithin(
              "numbers",
              Float64Array.from(whole, (n) => n * step),
              x,
              0.51 * step,
            );
            expect(whole.reduce((sum, n) => sum + n * n, 0)).toBeLessThan(2 ** 31);
          }
        });
      });
    });

    test("quantize: the smallest and the largest numbers, and none at all", () => {
      bed.with("f32", 1, (o) => {
        const X = o.input(4, 3, "tight", Float64Array.of(1e38, -1e38, 3e38, 1e-44, 0, 0, 1e-25, 1e-25, 0, 0, 0, 0));
        const own = fixedRows(o.scope, 4, 3);
        ours().quantize(own, X.own);
        expect([...own.steps.read()].map((step) => step > 0)).toEqual([true, false, true, false]);
        expect(wholeNumbers(own, 0)[2]).toBe(32767);
        expect(wholeNumbers(own, 2)).toEqual(Int32Array.of(32738, 32738, 0)); // 46300/√2, less what rounding might add
        ours().quantize(fixedRows(o.scope, 0, 5), o.input(0, 5).own);
      });
    });

    test("multiplyFixed: exact sums, one rounding for each factor and term", () => {
      bed.check(
        fc.record({ rows: size, cols: size, depth: atLeastOne, seed, layout, bias: fc.boolean(), plus: fc.nat(2) }),
        ({ rows, cols, depth, seed, layout, bias, plus }) => {
          bed.with("f32", seed, (o) => {
            const [A, B] = [fixedRows(o.scope, rows, depth), fixedRows(o.scope, cols, depth)];
            ours().quantize(A, o.input(rows, depth, "window", uneven(o, rows, depth)).own);
            ours().quantize(B, o.input(cols, depth, "window", uneven(o, cols, depth)).own);
            const add = plus === 0 ? undefined : o.output(rows, cols, layout, o.draws(rows * cols));
            const C = plus === 2 && add ? add : o.output(rows, cols, layout);
            const b = bias ? o.vector(cols) : undefined;
            const before = add?.oracle.read();
            ours().multiplyFixed(C.own, A, B, { ...(b && { bias: b.own }), ...(add && { plus: add.own }) });
            const left = Array.from({ length: rows }, (_, i) => wholeNumbers(A, i));
            const right = Array.from({ length: cols }, (_, j) => wholeNumbers(B, j));
            const terms = new Float64Array(rows * cols); // magnitudes, for the bound
            const expected = Float64Array.from({ length: rows * cols }, (_, at) => {
              const [i, j] = [Math.floor(at / cols), at % cols];
              let sum = 0;
              for (let k = 0; k < depth; k++) sum += left[i][k] * right[j][k];
              const product = sum * A.steps.get(i, 0) * B.steps.get(j, 0);
              terms[at] =
                4 * Math.abs(product) + 3 * Math.abs(b?.oracle.data[j] ?? 0) + 3 * Math.abs(before?.[at] ?? 0);
              return product + (b?.oracle.data[j] ?? 0) + (before?.[at] ?? 0);
            });
            expectWithin("C", C.own, expected, (i) => 2 * u * terms[i] + 1e-38);
          });
        },
        [{ rows: 300, cols: 130, depth: 97, seed: 1, layout: "window", bias: true, plus: 1 }],
      );
    });

    test.each([1, 2, 384, 1536, 5000])(
      "multiplyFixed: rows of %i numbers that point the same way, the largest sums",
      (n) => {
        bed.with("f32", 1, (o) => {
          const X = o.input(
            4,
            n,
            "tight",
            Float64Array.from({ length: 4 * n }, (_, i) => (i < 2 * n ? 1 : -1)),
          );
          const fixed = fixedRows(o.scope, 4, n);
          ours().quantize(fixed, X.own);
          const C = o.output(4, 4);
          ours().multiplyFixed(C.own, fixed, fixed);
          const expected = Float64Array.from({ length: 16 }, (_, at) => (at >> 2 < 2 === at % 4 < 2 ? n : -n));
          expectWithin("C", C.own, expected, 2 * n * (Math.sqrt(n) / 46_000 + HALF_STEP));
        });
      },
    );

    test("layerNorm: against the oracle, in place too", () => {
      bed.check(
        fc.record({ rows: size, cols: atLeastOne, seed, layout, shift: fc.constantFrom(0, 3), inPlace: fc.boolean() }),
        ({ rows, cols, seed, layout, shift, inPlace }) => {
          bed.with("f32", seed, (o) => {
            const values = o.draws(rows * cols, shift - 1, shift + 1);
            const X = inPlace ? o.output(rows, cols, layout, values) : o.input(rows, cols, layout, values);
            const out = inPlace ? X : o.output(rows, cols, layout);
            const [gain, bias] = [o.vector(cols), o.vector(cols)];
            ours().layerNorm(out.own, X.own, gain.own, bias.own, 1e-5);
            const expected = hostMatrix(new Float32Array(rows * cols), rows, cols);
            const x = single(hostMatrix(values, rows, cols));
            plainTransformer.layerNorm(expected, x, single(gain.oracle), single(bias.oracle), 1e-5);
            // the mean is off by (n/4 + 3)u·|x|, the deviation by as much of itself and by the mean's error
            const sums = (cols / 4 + 8) * u * (shift + 1);
            const bounds = rowsOf(x).map((part) => {
              const mean = part.reduce((sum, value) => sum + value, 0) / cols;
              const deviation = Math.sqrt(norm(part.map((value) => value - mean)) ** 2 / cols + 1e-5);
              return bed.slack * (sums / deviation) * (2 + 2 / deviation) + 4 * u;
            });
            expectWithin("out", out.own, expected, (at) => bounds[Math.floor(at / cols)]);
          });
        },
      );
    });

    test("gelu: against the distribution function; far out 0 or x; in place too", () => {
      bed.with("f32", 3, (o) => {
        const count = 4003;
        const values = Float64Array.from({ length: count }, (_, i) => o.round((i - 2000) / 250 + 1e-3 * o.draw()));
        const X = o.input(1, count, "window", values);
        const out = o.output(1, count, "window");
        ours().gelu(out.own, X.own);
        const expected = values.map((x) => x * normalDistribution(x));
        expectWithin("gelu", out.own, expected, (i) => 4e-7 * Math.max(1, Math.abs(values[i])));
        const inPlace = o.output(1, count, "tight", values);
        ours().gelu(inPlace.own, inPlace.own);
        expect(inPlace.own.read()).toEqual(out.own.read());
        const ends = o.output(1, 7, "tight", Float64Array.of(0, -0, Infinity, -Infinity, Number.NaN, 1e30, -1e30));
        ours().gelu(ends.own, ends.own);
        const [zero, , ...others] = ends.own.read();
        expect([zero, ...others.map((x) => x + 0)]).toEqual([0, Infinity, 0, Number.NaN, Math.fround(1e30), 0]);
      });
    });

    test("attention: against the oracle, text by text", () => {
      bed.check(
        fc.record({
          lengths: fc.array(
            size.map((n) => Math.min(n, 97)),
            { maxLength: 4 },
          ),
          heads: fc.constantFrom(1, 3),
          d: fc.constantFrom(4, 12, 32),
          spread: fc.constantFrom(1, 4),
          seed,
          layout,
        }),
        ({ lengths, heads, d, spread, seed, layout }) => {
          bed.with("f32", seed, (o) => {
            const starts = startsOf(lengths);
            const [n, w] = [starts[starts.length - 1], heads * d];
            const QKV = o.input(n, 3 * w, layout, o.draws(n * 3 * w, -spread, spread));
            const out = o.output(n, w, layout);
            const indices = o.indices(starts);
            ours().attention(out.own, QKV.own, heads, indices.own);
            const expected = hostMatrix(new Float32Array(n * w), n, w);
            plainTransformer.attention(expected, single(QKV.oracle), heads, indices.oracle);
            const rows = rowsOf(QKV.oracle);
            const value = largest(QKV.oracle);
            expectWithin("out", out.own, expected, (at) => {
              const i = Math.floor(at / w);
              const from = Math.floor((at % w) / d) * d;
              const text = starts.findLastIndex((start) => start <= i);
              const length = starts[text + 1] - starts[text];
              // a score q·k/√d is off by half a step of q for each number of k and the other way round, and by some roundings
              const off = (2 * HALF_STEP + 8 * u) * norm(rows[i].subarray(from, from + d)) * Math.sqrt(d) * spread;
              // so a weight by 2·off of itself; then weights and values are rounded to steps of their own
              const weights = 2 * Math.expm1(2 * off) + length * HALF_STEP + 20 * u;
              return bed.slack * value * (weights + Math.sqrt(length) * HALF_STEP);
            });
          });
        },
        [{ lengths: [97, 0, 96, 5], heads: 3, d: 32, spread: 4, seed: 1, layout: "window" }],
      );
    });

    test("attention and products: a text's bits do not depend on its neighbours", () => {
      bed.with("f32", 9, (o) => {
        const [lengths, heads, d, width] = [[7, 30, 1, 13], 2, 16, 32];
        const starts = startsOf(lengths);
        const all = o.input(51, 3 * width);
        const W = fixedRows(o.scope, 20, 3 * width);
        ours().quantize(W, o.input(20, 3 * width).own);
        const run = (X: Matrix, bounds: number[]) => {
          const out = o.output(X.rows, heads * d);
          ours().attention(out.own, X, heads, o.indices(bounds).own);
          const fixed = fixedRows(o.scope, X.rows, X.cols);
          ours().quantize(fixed, X);
          const product = o.output(X.rows, 20);
          ours().multiplyFixed(product.own, fixed, W);
          return [out.own.read(), product.own.read()];
        };
        const [together, products] = run(all.own, starts);
        for (const [text, start] of starts.slice(0, -1).entries()) {
          const end = starts[text + 1];
          const [alone, product] = run(all.own.view(start, end), [0, end - start]);
          expect(alone).toEqual(together.subarray(start * width, end * width));
          expect(product).toEqual(products.subarray(start * 20, end * 20));
        }
      });
    });

    test("words are padded to an even number", () => {
      expect([1, 2, 4, 5, 8, 9].map(wordsOf)).toEqual([2, 2, 2, 4, 4, 6]);
    });
  });
}
