import { describe, expect, test } from "vitest";
import { Random } from "../linalg/random.ts";
import { exp, expm1, inverseSoftplus, logistic, softplus } from "./exponential.ts";

/** Largest relative difference over points in [low, high). */
function worst(low: number, high: number, f: (x: number) => number, reference: (x: number) => number): number {
  const random = new Random(3);
  let top = 0;
  for (let i = 0; i < 20_000; i++) {
    const x = low + (high - low) * random.uniform();
    const expected = reference(x);
    top = Math.max(top, Math.abs(f(x) - expected) / Math.abs(expected));
  }
  return top;
}

const ULP = 2 ** -52;

describe("against the platform's own functions", () => {
  test("exp", () => {
    expect(worst(-700, 709, exp, Math.exp)).toBeLessThan(2 * ULP);
    expect(worst(-1, 1, exp, Math.exp)).toBeLessThan(2 * ULP);
  });
  test("expm1, also near 0", () => {
    expect(worst(-5, 5, expm1, Math.expm1)).toBeLessThan(4 * ULP);
    expect(worst(-1e-8, 1e-8, expm1, Math.expm1)).toBeLessThan(2 * ULP);
  });
  test("logistic", () => {
    expect(worst(-30, 30, logistic, (x) => 1 / (1 + Math.exp(-x)))).toBeLessThan(6 * ULP);
    expect(worst(-700, -30, logistic, Math.exp)).toBeLessThan(1e-12); // 1 − σ is e^−30 there
  });
  test("softplus and back", () => {
    expect(worst(-30, 30, softplus, (x) => Math.max(x, 0) + Math.log1p(Math.exp(-Math.abs(x))))).toBeLessThan(4 * ULP);
    expect(worst(-700, -40, softplus, Math.exp)).toBeLessThan(4 * ULP);
    expect(
      worst(
        -30,
        60,
        (x) => inverseSoftplus(softplus(x)) - x + 1,
        () => 1,
      ),
    ).toBeLessThan(1e-13);
  });
});

test("ends", () => {
  expect([exp(0), exp(-Infinity), exp(Infinity), exp(800), exp(-800), exp(Number.NaN)]).toEqual([
    1,
    0,
    Infinity,
    Infinity,
    0,
    Number.NaN,
  ]);
  expect(exp(-745)).toBe(5e-324);
  expect(exp(709.78)).toBeCloseTo(1.792822e308, -303);
  expect([logistic(800), logistic(-800), logistic(0)]).toEqual([1, 0, 0.5]);
  expect([softplus(800), softplus(-800), softplus(-1e4)]).toEqual([800, 0, 0]);
  expect([expm1(0), expm1(-50)]).toEqual([0, -1]);
});

test("the same bits in Node and in the browser, on every machine", () => {
  const random = new Random(4);
  const bits = new DataView(new ArrayBuffer(8));
  let hash = 0;
  for (let i = 0; i < 10_000; i++) {
    const x = 40 * (random.uniform() - 0.5);
    for (const y of [exp(x), expm1(x / 40), logistic(x), softplus(x), inverseSoftplus(Math.abs(x) + 1e-9)]) {
      bits.setFloat64(0, y);
      hash = Math.imul(hash ^ bits.getUint32(0), 0x01000193);
      hash = Math.imul(hash ^ bits.getUint32(4), 0x01000193);
    }
  }
  expect((hash >>> 0).toString(16)).toMatchInlineSnapshot(`"fc3d7310"`);
});
