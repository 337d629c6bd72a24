// exp, tanh, the logistic function and relu over their whole range, in units in the last place. Math.* is the yardstick: exact
// enough for f32; for f64 its own error (below one ulp) is part of what is measured.
import { describe, expect, test } from "vitest";
import type { Activation } from "../linalg/engine.ts";
import type { Precision } from "../linalg/matrix.ts";
import { Random } from "../linalg/random.ts";
import { type Bed, PRECISIONS, UNIT } from "./bed.ts";

/** Smallest normal number. */
const NORMAL: Record<Precision, number> = { f64: 2 ** -1022, f32: 2 ** -126 };
const LARGEST: Record<Precision, number> = { f64: Number.MAX_VALUE, f32: (2 - 2 ** -23) * 2 ** 127 };

/**
 * The most an engine may be off, in ulps, wherever the value is a normal number. Against 36 digits the WebAssembly engines are off by
 * at most 0.98 (exp), 1.24 (tanh) and 1.94 (sigmoid) in f64, 1.00, 1.21 and 1.88 in f32; the rest is the yardstick's.
 */
const ULPS: Record<Activation, Record<Precision, number>> = {
  exp: { f64: 2, f32: 1.25 },
  tanh: { f64: 2.5, f32: 1.5 },
  sigmoid: { f64: 3, f32: 2.25 },
  relu: { f64: 0, f32: 0 },
};

const truth: Record<Activation, (x: number) => number> = {
  exp: Math.exp,
  tanh: Math.tanh,
  sigmoid: (x) => (x < 0 ? Math.exp(x) / (1 + Math.exp(x)) : 1 / (1 + Math.exp(-x))),
  relu: (x) => (x > 0 ? x : 0),
};

/** Distance in units of the last place of the expected value; subnormal results count in absolute steps. */
function ulps(precision: Precision, actual: number, expected: number): number {
  if (Object.is(actual, expected) || actual === expected) return 0;
  if (!Number.isFinite(actual) || !Number.isFinite(expected)) return Infinity;
  const exponent = Math.floor(Math.log2(Math.max(Math.abs(expected), NORMAL[precision])));
  return Math.abs(actual - expected) / (2 ** exponent * 2 * UNIT[precision]);
}

/** Every magnitude from subnormal to overflow, and densely where the functions live. */
function inputs(precision: Precision): Float64Array {
  const random = new Random(17);
  const limit = precision === "f64" ? 745 : 104;
  const wide = Array.from(
    { length: 2000 },
    () => (random.uniform() < 0.5 ? -1 : 1) * 2 ** (40 * random.uniform() - 35),
  );
  const dense = Array.from({ length: 6000 }, () => (2 * random.uniform() - 1) * 4);
  const range = Array.from({ length: 6000 }, () => (2 * random.uniform() - 1) * limit);
  const seam = Array.from({ length: 500 }, () => 0.625 + 1e-3 * random.normal());
  const all = [...wide, ...dense, ...range, ...seam];
  return Float64Array.from(all, (x) => (precision === "f32" ? Math.fround(x) : x));
}

export function describeActivations(bed: Bed): void {
  function apply(precision: Precision, f: Activation, x: ArrayLike<number>): Float64Array {
    const scope = bed.engine.scope();
    const X = scope.matrix(1, x.length, precision).write(x);
    bed.engine.activate(X, X, f); // in place
    const y = X.read();
    scope.close();
    return y;
  }

  describe.each(PRECISIONS)("activations, %s", (precision) => {
    test.each(Object.keys(truth) as Activation[])("%s over its range", (f) => {
      const x = inputs(precision);
      const y = apply(precision, f, x);
      let worst = 0;
      let at = 0;
      for (let i = 0; i < x.length; i++) {
        const expected = truth[f](x[i]);
        if (Math.abs(expected) > LARGEST[precision]) {
          if (y[i] !== Math.sign(expected) * Infinity) expect.fail(`${f}(${x[i]}) is ${y[i]}, expected an overflow`);
        } else if (Math.abs(expected) < NORMAL[precision]) {
          if (!(Math.abs(y[i] - expected) <= NORMAL[precision]))
            expect.fail(`${f}(${x[i]}) is ${y[i]}, expected ${expected}`);
        } else if (ulps(precision, y[i], expected) > worst) {
          worst = ulps(precision, y[i], expected);
          at = x[i];
        }
      }
      expect(worst, `${f}(${at})`).toBeLessThanOrEqual(ULPS[f][precision] * bed.slack);
    });

    test("infinities, NaN, zeros and the smallest numbers", () => {
      const tiny = precision === "f64" ? 5e-324 : 2 ** -149;
      const x = [
        Infinity,
        -Infinity,
        Number.NaN,
        0,
        -0,
        tiny,
        -tiny,
        NORMAL[precision],
        LARGEST[precision],
        -LARGEST[precision],
      ];
      const top = LARGEST[precision];
      expect([...apply(precision, "exp", x)]).toEqual([Infinity, 0, Number.NaN, 1, 1, 1, 1, 1, Infinity, 0]);
      expect([...apply(precision, "tanh", x)]).toEqual([
        1,
        -1,
        Number.NaN,
        0,
        -0,
        tiny,
        -tiny,
        NORMAL[precision],
        1,
        -1,
      ]);
      expect([...apply(precision, "sigmoid", x)]).toEqual([1, 0, Number.NaN, 0.5, 0.5, 0.5, 0.5, 0.5, 1, 0]);
      expect([...apply(precision, "relu", x)]).toEqual([
        Infinity,
        0,
        Number.NaN,
        0,
        0,
        tiny,
        0,
        NORMAL[precision],
        top,
        0,
      ]);
    });

    test("exp is monotone and 1 at 0; tanh is odd", () => {
      const x = inputs(precision).sort();
      const e = apply(precision, "exp", x);
      for (let i = 1; i < x.length; i++) {
        if (e[i] < e[i - 1] * (1 - 8 * UNIT[precision])) expect.fail(`exp falls between ${x[i - 1]} and ${x[i]}`);
      }
      const t = apply(precision, "tanh", x);
      const negative = apply(
        precision,
        "tanh",
        x.map((v) => -v),
      );
      expect(t).toEqual(negative.map((v) => -v));
    });

    test("an element's value does not depend on its neighbours or its place", () => {
      const x = inputs(precision).slice(0, 37);
      for (const f of Object.keys(truth) as Activation[]) {
        const together = apply(precision, f, x);
        const alone = Float64Array.from(x, (v) => apply(precision, f, [v])[0]);
        expect(together).toEqual(alone);
      }
    });

    test.each(Object.keys(truth) as Activation[])("activateBackward, %s: dY·f′ from Y, in place too", (f) => {
      bed.with(precision, 23, (o) => {
        const Y = o.input(13, 11, "window", o.draws(143, f === "sigmoid" ? 0 : -1, 1));
        const dY = o.input(13, 11, "window");
        const dX = o.output(13, 11, "window");
        bed.engine.activateBackward(dX.own, dY.own, Y.own, f);
        const slope = {
          exp: (y: number) => y,
          tanh: (y: number) => (1 - y) * (1 + y),
          sigmoid: (y: number) => y * (1 - y),
          relu: (y: number) => (y > 0 ? 1 : 0),
        };
        const expected = Y.oracle.read().map((y, i) => dY.oracle.data[i] * slope[f](y));
        const actual = dX.own.read();
        for (let i = 0; i < 143; i++)
          expect(Math.abs(actual[i] - expected[i])).toBeLessThanOrEqual(6 * UNIT[precision]);
        const inPlace = o.output(13, 11, "tight", dY.oracle.read());
        bed.engine.activateBackward(inPlace.own, inPlace.own, Y.own, f);
        expect(inPlace.own.read()).toEqual(actual);
      });
    });
  });
}
