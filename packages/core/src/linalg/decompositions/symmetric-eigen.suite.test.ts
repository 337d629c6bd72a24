import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { errorOf, expectWithin, largest } from "../../testing/bounds.ts";
import { digest } from "../../testing/program.ts";
import { hostMatrix } from "../matrix.ts";
import { createPlainEngine } from "../plain/engine.ts";
import { Random } from "../random.ts";
import { smallestEigenvalue, symmetricEigen } from "./symmetric-eigen.ts";

const U = 2 ** -53;

function symmetric(n: number, entry: (i: number, j: number) => number): Float64Array {
  const A = new Float64Array(n * n);
  for (let i = 0; i < n; i++) for (let j = 0; j <= i; j++) A[i * n + j] = A[j * n + i] = entry(i, j);
  return A;
}

function random(n: number, seed: number): Float64Array {
  const stream = new Random(seed);
  return symmetric(n, () => stream.normal());
}

/** MMᵀ with M (n, n) standard normal. */
function gram(n: number): Float64Array {
  const engine = createPlainEngine();
  const scope = engine.scope();
  const [M, A] = [scope.matrix(n, n), scope.matrix(n, n)];
  engine.fillNormal(M, new Random(n));
  engine.syrk(A, M);
  return A.read();
}

/** Checks AV = VΛ, VVᵀ = I, the order and the signs. */
function expectEigen(A: Float64Array, n: number): Float64Array {
  const before = A.slice();
  const { values, vectors } = symmetricEigen(A, n);
  expect(A).toEqual(before);
  expect([values.length, vectors.length]).toEqual([n, n * n]);
  const engine = createPlainEngine();
  const scope = engine.scope();
  const V = hostMatrix(vectors, n, n); // row j is vector j
  const [VA, I] = [scope.matrix(n, n), scope.matrix(n, n)];
  engine.gemm(VA, V, hostMatrix(A, n, n));
  engine.syrk(I, V);
  // Backward stable: ‖AV − VΛ‖/‖A‖ and ‖VVᵀ − I‖ are a modest multiple of n·u (Golub & Van Loan §8.3)
  const bound = 4 * (n + 4) * U;
  const scale = largest(values);
  expectWithin(
    "AV − VΛ",
    VA,
    vectors.map((v, at) => values[Math.floor(at / n)] * v),
    bound * scale,
  );
  expectWithin(
    "VVᵀ",
    I,
    symmetric(n, (i, j) => (i === j ? 1 : 0)),
    bound,
  );
  for (let j = 0; j < n; j++) {
    if (j > 0) expect(values[j]).toBeLessThanOrEqual(values[j - 1]);
    const row = vectors.subarray(j * n, (j + 1) * n);
    const top = largest(row);
    expect(row.find((x) => Math.abs(x) === top)).toBeGreaterThan(0);
  }
  if (n > 0) expectWithin("λ_min", [smallestEigenvalue(A, n)], [values[n - 1]], bound * scale);
  return values;
}

describe("known spectra", () => {
  test("1 × 1, and nothing", () => {
    expect(symmetricEigen(Float64Array.of(-3), 1)).toEqual({
      values: Float64Array.of(-3),
      vectors: Float64Array.of(1),
    });
    expect(symmetricEigen(new Float64Array(0), 0)).toEqual({
      values: new Float64Array(0),
      vectors: new Float64Array(0),
    });
  });

  test("2 × 2: equal magnitudes, so the first entry is the positive one", () => {
    const { values, vectors } = symmetricEigen(Float64Array.of(2, -1, -1, 2), 2);
    expectWithin("values", values, [3, 1], 4 * U);
    const h = Math.SQRT1_2;
    expectWithin("vectors", vectors, [h, -h, h, h], 4 * U);
  });

  test("a diagonal comes back as it is, sorted", () => {
    const { values, vectors } = symmetricEigen(
      symmetric(4, (i, j) => (i === j ? [1, -4, 9, 0][i] : 0)),
      4,
    );
    expect(Array.from(values)).toEqual([9, 1, 0, -4]);
    expect(Array.from(vectors)).toEqual([0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 0]);
  });

  test("second differences: 2 − 2cos(kπ/(n + 1))", () => {
    const n = 60;
    const values = expectEigen(
      symmetric(n, (i, j) => (i === j ? 2 : i - j === 1 ? -1 : 0)),
      n,
    );
    const expected = Array.from({ length: n }, (_, k) => 2 - 2 * Math.cos(((n - k) * Math.PI) / (n + 1)));
    expectWithin("values", values, expected, 1e-14);
  });

  test("far fewer vectors than dimensions: most of a covariance is rounding, and still converges", () => {
    const n = 384;
    const engine = createPlainEngine();
    const scope = engine.scope();
    const X = scope.matrix(100, n);
    engine.fillNormal(X, new Random(9));
    const unit = X.read();
    for (let i = 0; i < 100; i++) {
      const row = unit.subarray(i * n, (i + 1) * n);
      const norm = Math.sqrt(row.reduce((sum, x) => sum + x * x, 0));
      row.forEach((x, j) => {
        row[j] = Math.fround(x / norm); // as text encoders give them
      });
    }
    const A = scope.matrix(n, n);
    X.write(unit);
    engine.gemm(A, X, X, { transposeA: true, alpha: 0.01 });
    const values = expectEigen(A.read(), n);
    expect(values[99]).toBeGreaterThan(1e-4);
    expect(Math.abs(values[100])).toBeLessThan(1e-15);
  });

  test("equal eigenvalues: the identity, and n·uuᵀ with rank 1", () => {
    const identity = symmetricEigen(gramOfOnes(5, 0), 5);
    expect(Array.from(identity.values)).toEqual([1, 1, 1, 1, 1]);
    expect(identity.vectors).toEqual(gramOfOnes(5, 0)); // equal values keep their order
    const values = expectEigen(gramOfOnes(40, 1), 40);
    expectWithin("values", values, [41, ...new Array(39).fill(1)], 1e-13);
  });

  test("zeros", () => {
    expect(Array.from(expectEigen(new Float64Array(9), 3))).toEqual([0, 0, 0]);
  });

  test("n = 384: a random Gram matrix", () => {
    const values = expectEigen(gram(384), 384);
    expect(values[383]).toBeGreaterThan(0);
  });

  test("a chain of equal blocks that falls apart", () => {
    const block = [4, 1, 0, 1, 4, 1, 0, 1, 4];
    const n = 30;
    const values = expectEigen(
      symmetric(n, (i, j) => (Math.floor(i / 3) === Math.floor(j / 3) ? block[(i % 3) * 3 + (j % 3)] : 0)),
      n,
    );
    const each = [4 + Math.SQRT2, 4, 4 - Math.SQRT2];
    expectWithin(
      "values",
      values,
      Array.from({ length: n }, (_, k) => each[Math.floor(k / 10)]),
      1e-14,
    );
  });
});

/** I + c·11ᵀ */
function gramOfOnes(n: number, c: number): Float64Array {
  return symmetric(n, (i, j) => c + (i === j ? 1 : 0));
}

describe("properties", () => {
  test("any symmetric matrix, dense or sparse, of small or large entries", () => {
    fc.assert(
      fc.property(
        fc.record({
          n: fc.integer({ min: 0, max: 40 }),
          seed: fc.nat(),
          fill: fc.constantFrom(1, 0.3, 0.05),
          grade: fc.constantFrom(1, 0.5, 1e-3),
        }),
        ({ n, seed, fill, grade }) => {
          const stream = new Random(seed);
          const A = symmetric(n, (i) => (stream.uniform() < fill ? stream.normal() * grade ** Math.min(i, 90) : 0));
          const values = expectEigen(A, n);
          const trace = A.reduce((sum, x, at) => (at % (n + 1) === 0 ? sum + x : sum), 0);
          const total = values.reduce((sum, x) => sum + x, 0);
          expectWithin("trace", [total], [trace], 8 * n * U * largest(values));
        },
      ),
      { seed: 20220328, numRuns: 60 },
    );
  });

  test("a power of two scales the values and leaves the vectors, up to the ends of f64", () => {
    const A = random(20, 5);
    const plain = symmetricEigen(A, 20);
    for (const power of [3, -40, 250, -250, 1000, -900]) {
      const scaled = symmetricEigen(
        A.map((x) => x * 2 ** power),
        20,
      );
      expect(scaled.vectors).toEqual(plain.vectors);
      expect(scaled.values).toEqual(plain.values.map((x) => x * 2 ** power));
    }
  });

  test("rounding in one triangle is tolerated, and the mean of both counts", () => {
    const A = random(15, 6);
    const bent = A.map((x, at) => (Math.floor(at / 15) > at % 15 ? x + 2e-12 : x));
    const mean = A.map((x, at) => (Math.floor(at / 15) === at % 15 ? x : x + 1e-12));
    expectWithin("values", symmetricEigen(bent, 15).values, symmetricEigen(mean, 15).values, 1e-14);
  });
});

test("mistakes", () => {
  expect([
    errorOf(() => symmetricEigen(new Float64Array(6), 2)),
    errorOf(() => symmetricEigen(new Float64Array(6), 2.5)),
    errorOf(() => symmetricEigen(Float64Array.of(1, Number.NaN, Number.NaN, Infinity), 2)),
    errorOf(() => symmetricEigen(Float64Array.of(1, 2, 3, 4), 2)),
    errorOf(() => smallestEigenvalue(Float64Array.of(0, Infinity, Infinity, 0), 2)),
    errorOf(() => smallestEigenvalue(new Float64Array(0), 0)),
  ]).toMatchInlineSnapshot(`
    [
      {
        "code": "SHAPE_MISMATCH",
        "message": "symmetricEigen: (2, 2) takes 4 numbers, got 6",
      },
      {
        "code": "SHAPE_MISMATCH",
        "message": "symmetricEigen: (2.5, 2.5) takes 6.25 numbers, got 6",
      },
      {
        "code": "NOT_FINITE",
        "message": "symmetricEigen: 3 of 4 entries are NaN or infinite",
      },
      {
        "code": "BAD_ARGUMENT",
        "message": "symmetricEigen: not symmetric, entry (1, 0) is 3 and (0, 1) is 2; pass (A + Aᵀ)/2 if that is what is meant",
      },
      {
        "code": "NOT_FINITE",
        "message": "smallestEigenvalue: 2 of 4 entries are NaN or infinite",
      },
      {
        "code": "BAD_ARGUMENT",
        "message": "smallestEigenvalue: needs at least one row, got (0, 0)",
      },
    ]
  `);
});

test("the same bits in Node and in the browser, on every machine", () => {
  const { values, vectors } = symmetricEigen(random(75, 7), 75);
  expect([digest([hostMatrix(values, 75, 1)]), digest([hostMatrix(vectors, 75, 75)])]).toMatchInlineSnapshot(`
    [
      "5fafcce719caea83",
      "0412f751c8e4a361",
    ]
  `);
});

describe("rows that need no reflection", () => {
  // After the first reflection the rest of an all-ones matrix is 0 up to rounding, and exactly 0 for some sizes.
  test.each([2, 3, 4, 5, 6, 8, 9, 16, 17])("all ones, n = %d", (n) => {
    const A = symmetric(n, () => 1);
    const values = expectEigen(A, n);
    expect(values[0]).toBeCloseTo(n, 12);
    for (let j = 1; j < n; j++) expect(Math.abs(values[j])).toBeLessThan(1e-13 * n);
    expect(Math.abs(smallestEigenvalue(A, n))).toBeLessThan(1e-13 * n);
  });

  test("low rank of whole numbers, and blocks", () => {
    fc.assert(
      fc.property(fc.integer({ min: 3, max: 12 }), fc.integer({ min: 1, max: 3 }), fc.nat(1000), (n, rank, seed) => {
        const stream = new Random(seed);
        const M = Array.from({ length: n }, () => Array.from({ length: rank }, () => stream.below(3) - 1));
        const A = symmetric(n, (i, j) => M[i].reduce((sum, x, k) => sum + x * M[j][k], 0));
        if (A.some((x) => x !== 0)) expectEigen(A, n);
      }),
      { seed: 5, numRuns: 200 },
    );
  });
});
