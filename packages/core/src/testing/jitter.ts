// The jitter policy: how much is added, when it gives up, what it says, and what it leaves behind.
import { describe, expect, test } from "vitest";
import { NearkinError, NotPositiveDefiniteError } from "../errors.ts";
import type { CholeskyOptions } from "../linalg/engine.ts";
import type { Precision } from "../linalg/matrix.ts";
import { type Bed, PRECISIONS, UNIT } from "./bed.ts";

/** J − shift·I of order n: eigenvalues n − shift and −shift. */
const shifted = (n: number, diagonal: number, shift: number) =>
  Array.from({ length: n * n }, (_, i) => (i % (n + 1) === 0 ? diagonal - shift : diagonal));

export function describeJitter(bed: Bed): void {
  /** What `cholesky` returned or threw on A, and A afterwards. */
  function attempt(precision: Precision, values: number[], options: CholeskyOptions) {
    const n = Math.sqrt(values.length);
    const scope = bed.engine.scope();
    const A = scope.matrix(n, n, precision).write(values);
    const before = A.read();
    let added = Number.NaN;
    let error: unknown;
    try {
      added = bed.engine.cholesky(A, options);
    } catch (thrown) {
      error = thrown;
    }
    const after = A.read();
    scope.close();
    return { added, error, before, after };
  }

  describe.each(PRECISIONS)("jitter, %s", (precision) => {
    const close = (x: number) => expect.closeTo(x, 12);

    test("none is added where none is needed", () => {
      const { added } = attempt(precision, [4, 2, 2, 5], { jitter: {} });
      expect(added).toBe(0);
    });

    test("always: the first jitter, absolute, relative to the mean of the diagonal", () => {
      const { added, after } = attempt(precision, [4, 0, 0, 8], { jitter: { always: true, relative: 0.5 } });
      expect(added).toBe(3);
      const expected = [Math.sqrt(7), 0, 0, Math.sqrt(11)];
      for (let i = 0; i < 4; i++) expect(Math.abs(after[i] - expected[i])).toBeLessThanOrEqual(4 * UNIT[precision] * 4);
    });

    // J − shift·I is indefinite by `shift`: the first jitter above it is the one that works.
    test.each([
      { shift: 5e-7, added: 1e-6 },
      { shift: 5e-6, added: 1e-5 },
      { shift: 5e-5, added: 1e-4 },
    ])("1e-6, 1e-5, 1e-4 in turn: indefinite by $shift takes $added", ({ shift, added: relative }) => {
      const values = shifted(5, 2, shift * 2);
      const { added } = attempt(precision, values, { jitter: {} });
      const mean = values.reduce((sum, x, i) => (i % 6 === 0 ? sum + x : sum), 0) / 5;
      expect(added / (relative * mean)).toBeCloseTo(1, 5);
    });

    test("gives up with pivot, jitters and cause, and puts A back", () => {
      const values = shifted(3, 1, -1);
      values[4] = -3; // the second pivot: −3 − 1/2
      const { error, before, after } = attempt(precision, values, { jitter: {}, name: "K + σ²I" });
      expect(error).toBeInstanceOf(NotPositiveDefiniteError);
      const { code, pivot, value, jitters, message } = error as NotPositiveDefiniteError;
      const mean = 7 / 3;
      expect({ code, pivot }).toEqual({ code: "NOT_POSITIVE_DEFINITE", pivot: 2 });
      expect(value).toBeCloseTo(-3.5, 2);
      expect(jitters).toEqual([0, close(1e-6 * mean), close(1e-5 * mean), close(1e-4 * mean)]);
      expect(message).toBe(
        "K + σ²I (3×3): pivot 2 is -3.500e+0 after jitter 0.0e+0, 2.3e-6, 2.3e-5, 2.3e-4; the matrix looks indefinite: not a covariance (the sigmoid link's kernel is not positive definite; linear and saturating are)",
      );
      expect(after).toEqual(before);
    });

    test("without jitter the first failure is final, and duplicates are named", () => {
      const { error } = attempt(precision, [1, 1, 1, 1], {});
      expect(error).toMatchObject({
        code: "NOT_POSITIVE_DEFINITE",
        pivot: 2,
        value: 0,
        jitters: [],
        message:
          "cholesky (2×2): pivot 2 is 0.000e+0; rows are duplicates up to rounding: raise the noise, allow jitter, or drop duplicate items",
      });
    });

    test("a first element that is not positive", () => {
      const { error } = attempt(precision, [0, 0, 0, 1], {});
      expect(error).toMatchObject({
        message: "cholesky (2×2): pivot 1 is 0.000e+0; the first diagonal element is not positive",
      });
    });

    test.each([Number.NaN, Infinity])("%d in the matrix is NOT_FINITE, jitter or not, and A comes back", (bad) => {
      const values = [2, 0, 0, 0, 2, 0, bad, 0, 2];
      for (const options of [{}, { jitter: {} }]) {
        const { error, before, after } = attempt(precision, values, options);
        expect(error).toBeInstanceOf(NearkinError);
        expect(error).toMatchObject({ code: "NOT_FINITE" });
        expect((error as Error).message).toMatch(
          /^cholesky \(3×3\): (NaN|-Infinity) reached pivot 3; look for NaN or infinite inputs, or a step that diverged$/,
        );
        if (options.jitter) expect(after).toEqual(before);
      }
    });

    test("the failing pivot is counted through blocks", () => {
      const n = 150;
      const values = Array.from({ length: n * n }, (_, i): number => (i % (n + 1) === 0 ? 1 : 0));
      values[99 * (n + 1)] = -1;
      const { error } = attempt(precision, values, {});
      expect(error).toMatchObject({ pivot: 100, value: -1 });
    });

    test("a downdate that leaves the cone", () => {
      const scope = bed.engine.scope();
      const L = scope.matrix(2, 2, precision).write([2, 0, 1, 1]);
      const x = scope.matrix(2, 1, precision).write([0.5, 3]);
      expect(() => bed.engine.choleskyUpdate(L, x, -1)).toThrow(
        "choleskyUpdate (2×2): without x, pivot 2 is no longer positive; LLᵀ − xxᵀ is not positive definite",
      );
      scope.close();
    });
  });
}
