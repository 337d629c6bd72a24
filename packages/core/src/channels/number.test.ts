import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Random } from "../linalg/random.ts";
import { Bed } from "../testing/bed.ts";
import { errorOf } from "../testing/bounds.ts";
import { applyNumber, fitNumber } from "./number.ts";

const bed = new Bed({ runs: 200 });
const values = fc.array(fc.option(fc.double({ min: -1e9, max: 1e9, noNaN: true }), { nil: undefined, freq: 5 }), {
  minLength: 1,
});
const some = values.filter((list) => list.some((x) => x !== undefined));

describe("fitNumber", () => {
  test("by hand: 2, 4, 4, 4, 5, 5, 7, 9 has mean 5 and deviation 2", () => {
    const fitted = fitNumber([2, 4, undefined, 4, 4, 5, 5, 7, 9, undefined]);
    expect(fitted).toMatchObject({ count: 8, missing: 2, mean: 5, deviation: 2, min: 2, max: 9, constant: false });
    // quantile 0.5 %: 2 + 0.035·2 = 2.07; 99.5 %: 7 + 0.965·2 = 8.93; in deviations −1.465 and 1.965
    expect(fitted.centres[0]).toBeCloseTo(-1.465, 12);
    expect(fitted.centres[15]).toBeCloseTo(1.965, 12);
    expect(fitted.width).toBeCloseTo((1.1 * 3.43) / 15, 12);
  });

  test("the order of items does not matter, to the last bit", () => {
    bed.check(fc.tuple(some, fc.nat()), ([list, seed]) => {
      expect(fitNumber(new Random(seed).shuffle([...list]))).toEqual(fitNumber(list));
    });
  });

  test("a constant column is flagged, whatever the value", () => {
    bed.check(
      fc.tuple(fc.double({ noDefaultInfinity: true, noNaN: true }), fc.integer({ min: 1, max: 50 })),
      ([x, n]) => {
        const fitted = fitNumber(new Array(n).fill(x));
        expect(fitted).toMatchObject({ constant: true, mean: x + 0, deviation: 0 });
        expect(applyNumber(fitted, 17, { mode: "standardised" })).toEqual(new Float32Array(1));
        expect(applyNumber(fitted, 17)).toEqual(new Float32Array(16));
        expect(applyNumber(fitted, undefined)).toBeUndefined();
      },
    );
  });

  test("differences too small to square are a constant, not NaN", () => {
    const fitted = fitNumber([1e-200, 2e-200]);
    expect(fitted.constant).toBe(true);
    expect(applyNumber(fitted, 1e-200)).toEqual(new Float32Array(16));
  });

  test("errors", () => {
    expect(errorOf(() => fitNumber([undefined, undefined]))).toMatchInlineSnapshot(`
      {
        "code": "BAD_ARGUMENT",
        "message": "fitNumber: none of the 2 training items has a value; leave the channel out",
      }
    `);
    expect(errorOf(() => fitNumber([1, Number.NaN]))).toMatchInlineSnapshot(`
      {
        "code": "BAD_VALUE",
        "message": "training item 1: expected a finite number, got NaN; leave it out if it is not known",
      }
    `);
    expect(errorOf(() => fitNumber([1, "2" as unknown as number]))).toMatchInlineSnapshot(`
      {
        "code": "BAD_VALUE",
        "message": "training item 1: expected a finite number, got "2"; leave it out if it is not known",
      }
    `);
    expect(errorOf(() => fitNumber([-1], { log: true }))).toMatchInlineSnapshot(`
      {
        "code": "BAD_VALUE",
        "message": "training item 0: log needs numbers of at least 0, got -1",
      }
    `);
    expect(errorOf(() => fitNumber([-1e308, 1e308]))).toMatchInlineSnapshot(`
      {
        "code": "BAD_VALUE",
        "message": "fitNumber: values from -1e+308 to 1e+308 are too far apart for 64-bit floats; use another unit, or log",
      }
    `);
  });
});

describe("applyNumber", () => {
  test("whatever the value, bins are in [0, 1] and not all 0", () => {
    bed.check(fc.tuple(some, fc.double({ noDefaultInfinity: true, noNaN: true })), ([list, x]) => {
      const fitted = fitNumber(list);
      const bins = applyNumber(fitted, x) as Float32Array;
      expect(bins.every((b) => b >= 0 && b <= 1)).toBe(true);
      expect(Math.max(...bins) > 0.85).toBe(!fitted.constant); // half a spacing off: exp(−½(0.5/1.1)²) = 0.90
    });
  });

  test("the sum of the bins hardly depends on the value", () => {
    const fitted = fitNumber(Array.from({ length: 1000 }, (_, i) => i));
    for (let x = 300; x < 700; x += 7) {
      const sum = (applyNumber(fitted, x) as Float32Array).reduce((a, b) => a + b, 0);
      expect(sum).toBeCloseTo(1.1 * Math.sqrt(2 * Math.PI), 3);
    }
  });

  test("logarithms: log1p by hand, exact for tiny values", () => {
    const fitted = fitNumber([0, Math.E - 1], { log: true });
    expect(fitted.mean).toBeCloseTo(0.5, 15);
    expect(fitted.deviation).toBeCloseTo(0.5, 15);
    expect(fitNumber([1e-20, 3e-20], { log: true }).mean).toBeCloseTo(2e-20, 34);
    expect(errorOf(() => applyNumber(fitted, -0.5))).toMatchInlineSnapshot(`
      {
        "code": "BAD_VALUE",
        "message": "log needs numbers of at least 0, got -0.5",
      }
    `);
  });

  test("writes into out, and leaves it alone where the value is missing", () => {
    const fitted = fitNumber([0, 2]);
    const out = new Float32Array([7]);
    expect(applyNumber(fitted, undefined, { mode: "standardised", out })).toBeUndefined();
    expect(out[0]).toBe(7);
    expect(applyNumber(fitted, 3, { mode: "standardised", out })).toBe(out);
    expect(out[0]).toBe(2);
    expect(errorOf(() => applyNumber(fitted, 1, { out }))).toMatchInlineSnapshot(`
      {
        "code": "SHAPE_MISMATCH",
        "message": "applyNumber: out must hold 16 numbers, got 1",
      }
    `);
    expect(errorOf(() => applyNumber(fitted, Infinity))).toMatchInlineSnapshot(`
      {
        "code": "BAD_VALUE",
        "message": "expected a finite number, got Infinity; leave it out if it is not known",
      }
    `);
  });
});
