// Errors say what was expected, what came, what to try; whole, as they are printed.
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import type { Scope } from "../linalg/arena.ts";
import { createEngine } from "../linalg/create.ts";
import type { Engine } from "../linalg/engine.ts";
import type { Matrix } from "../linalg/matrix.ts";
import { errorOf } from "../testing/bounds.ts";
import { blocksByNearest } from "./blocks.ts";
import { evidenceWeights, exactEvidence } from "./evidence.ts";
import { exactNll } from "./exact.ts";
import { measureShift } from "./indefinite.ts";
import { selectInducing } from "./inducing.ts";
import type { SparseInputs } from "./inputs.ts";
import { leaveOneOut } from "./leave-one-out.ts";
import { itemNoise } from "./noise.ts";
import { exactPosterior, fitPosterior, predict } from "./posterior.ts";
import { sparseNll } from "./sparse.ts";

let engine: Engine;
let scope: Scope;
beforeAll(async () => {
  engine = await createEngine({ engine: "wasm", workers: 1 });
});
afterAll(() => engine.close());
beforeEach(() => {
  scope = engine.scope();
});
afterEach(() => scope.close()); // would complain of a scope that an error left open

const filled = (rows: number, cols: number, value: number): Matrix => scope.matrix(rows, cols).fill(value);
const identity = (n: number): Matrix => {
  const I = scope.zeros(n, n);
  for (let i = 0; i < n; i++) I.set(i, i, 1);
  return I;
};
const sparse = (change: Partial<SparseInputs> = {}): SparseInputs => ({
  likelihood: "vfe",
  Knm: filled(4, 2, 0.5),
  Kmm: identity(2),
  diagonal: filled(4, 1, 1),
  R: filled(4, 1, 1),
  noise: filled(4, 1, 0.1),
  ...change,
});
const exact = () => ({ K: identity(4), R: filled(4, 1, 1), noise: filled(4, 1, 0.1) });

test("NaN is named where it entered, with a count", () => {
  const Knm = filled(4, 2, 0.5);
  Knm.set(1, 0, Number.NaN);
  Knm.set(2, 1, Infinity);
  const Kmm = identity(2);
  Kmm.set(1, 0, Number.NaN);
  const R = filled(4, 1, Number.NaN);
  const K = identity(4);
  K.set(3, 1, Number.NaN);
  const blocks = { starts: [0, 1, 4], K: [identity(1), filled(3, 3, Number.NaN)] };
  expect([
    errorOf(() => sparseNll(engine, sparse({ Knm }), {})),
    errorOf(() => sparseNll(engine, sparse({ Kmm, R }))),
    errorOf(() => sparseNll(engine, sparse({ R }))),
    errorOf(() => sparseNll(engine, sparse({ likelihood: "fitc", diagonal: filled(4, 1, Number.NaN) }))),
    errorOf(() => sparseNll(engine, sparse({ likelihood: "pitc", blocks }))),
    errorOf(() => exactNll(engine, { ...exact(), K })),
    errorOf(() => exactNll(engine, { ...exact(), R })),
    errorOf(() => fitPosterior(engine, { ...sparse({ Knm }), blocks: [sparse({ Knm })] })),
    errorOf(() => leaveOneOut(engine, sparse({ R }))),
    errorOf(() => leaveOneOut(engine, { likelihood: "exact", ...exact(), K })),
    errorOf(() => exactNll(engine, { ...exact(), R: filled(4, 1, 1e300) })),
  ]).toMatchInlineSnapshot(`
    [
      {
        "code": "NOT_FINITE",
        "message": "vfe: NaN or infinite: 2 of the 8 entries of Knm; look for a missing value, or a step that diverged",
      },
      {
        "code": "NOT_FINITE",
        "message": "vfe: NaN or infinite: 1 of the 4 entries of Kmm, 4 of the 4 entries of R; look for a missing value, or a step that diverged",
      },
      {
        "code": "NOT_FINITE",
        "message": "vfe: NaN or infinite: 4 of the 4 entries of R; look for a missing value, or a step that diverged",
      },
      {
        "code": "NOT_FINITE",
        "message": "fitc: NaN or infinite: 4 of the 4 entries of diagonal; look for a missing value, or a step that diverged",
      },
      {
        "code": "NOT_FINITE",
        "message": "pitc: NaN or infinite: 9 of the 9 entries of K of block 1; look for a missing value, or a step that diverged",
      },
      {
        "code": "NOT_FINITE",
        "message": "exact: NaN or infinite: 1 of the 16 entries of K; look for a missing value, or a step that diverged",
      },
      {
        "code": "NOT_FINITE",
        "message": "exact: NaN or infinite: 4 of the 4 entries of R; look for a missing value, or a step that diverged",
      },
      {
        "code": "NOT_FINITE",
        "message": "vfe: NaN or infinite: 2 of the 8 entries of Knm; look for a missing value, or a step that diverged",
      },
      {
        "code": "NOT_FINITE",
        "message": "vfe: NaN or infinite: 4 of the 4 entries of R; look for a missing value, or a step that diverged",
      },
      {
        "code": "NOT_FINITE",
        "message": "exact: NaN or infinite: 1 of the 16 entries of K; look for a missing value, or a step that diverged",
      },
      {
        "code": "NOT_FINITE",
        "message": "exact: the value is Infinity though all inputs are finite: an overflow; look at the sizes of the kernel, R and the noise",
      },
    ]
  `);
});

test("noise, shift, likelihood and diagonal", () => {
  const noise = filled(4, 1, 0.1);
  noise.set(1, 0, 0);
  noise.set(3, 0, -2);
  expect([
    errorOf(() => sparseNll(engine, sparse({ noise }))),
    errorOf(() => exactNll(engine, { ...exact(), noise })),
    errorOf(() => sparseNll(engine, sparse({ shift: -1 }))),
    errorOf(() => sparseNll(engine, sparse({ likelihood: "sgpr" as "vfe" }))),
    errorOf(() => {
      const { diagonal: _, ...rest } = sparse({ likelihood: "fitc" });
      sparseNll(engine, rest);
    }),
    errorOf(() => {
      const { diagonal: _, ...rest } = sparse({ likelihood: "dtc" });
      leaveOneOut(engine, rest);
    }),
    errorOf(() => itemNoise(scope.matrix(2, 1), { variance: 0 })),
    errorOf(() => itemNoise(scope.matrix(2, 1), { variance: 1, ratingVariance: 1 })),
    errorOf(() => itemNoise(scope.matrix(2, 1), { variance: 1, ratingVariance: 1, counts: [3, 0] })),
  ]).toMatchInlineSnapshot(`
    [
      {
        "code": "BAD_ARGUMENT",
        "message": "vfe: noise must be above 0 and finite, but 2 of 4 are not; the first is 0 at 1",
      },
      {
        "code": "BAD_ARGUMENT",
        "message": "exact: noise must be above 0 and finite, but 2 of 4 are not; the first is 0 at 1",
      },
      {
        "code": "BAD_ARGUMENT",
        "message": "vfe: shift must be at least 0 and finite, got -1",
      },
      {
        "code": "BAD_ARGUMENT",
        "message": "likelihood must be one of dtc, fitc, pitc, vfe, got sgpr",
      },
      {
        "code": "BAD_ARGUMENT",
        "message": "fitc: needs the diagonal, k_ii of each item",
      },
      {
        "code": "BAD_ARGUMENT",
        "message": "leaveOneOut: dtc needs the diagonal here, k_ii of each item",
      },
      {
        "code": "BAD_ARGUMENT",
        "message": "itemNoise: variance must be above 0 and finite, got 0",
      },
      {
        "code": "SHAPE_MISMATCH",
        "message": "itemNoise: 2 items take 2 counts, got none",
      },
      {
        "code": "BAD_ARGUMENT",
        "message": "itemNoise: counts are at least 1, got 0 at 1",
      },
    ]
  `);
});

test("shapes that do not fit", () => {
  const posterior = fitPosterior(engine, { ...sparse(), blocks: [sparse()] });
  expect([
    errorOf(() => sparseNll(engine, sparse({ Kmm: identity(3) }))),
    errorOf(() => sparseNll(engine, sparse({ R: filled(3, 1, 1) }))),
    errorOf(() => sparseNll(engine, sparse({ R: filled(4, 0, 1) }))),
    errorOf(() => sparseNll(engine, sparse({ noise: filled(5, 1, 1) }))),
    errorOf(() => sparseNll(engine, sparse({ Knm: scope.matrix(4, 2, "f32") }))),
    errorOf(() => sparseNll(engine, sparse({ Kmm: scope.matrix(0, 0), Knm: scope.matrix(4, 0) }))),
    errorOf(() => sparseNll(engine, sparse(), { Knm: scope.matrix(2, 4) })),
    errorOf(() => sparseNll(engine, sparse(), { noise: scope.matrix(3, 1) })),
    errorOf(() => exactNll(engine, exact(), { K: scope.matrix(4, 3) })),
    errorOf(() => predict(engine, posterior, { Kxm: scope.matrix(2, 3), diagonal: scope.matrix(2, 1) })),
    errorOf(() => fitPosterior(engine, { ...sparse(), blocks: [sparse(), sparse({ R: filled(4, 2, 1) })] })),
    errorOf(() => fitPosterior(engine, { ...sparse(), blocks: [] })),
    errorOf(() => evidenceWeights(engine, exactPosterior(engine, exact()), { ...sparse(), Kxm: scope.matrix(1, 4) })),
    errorOf(() => exactEvidence(engine, posterior, scope.matrix(1, 2))),
  ]).toMatchInlineSnapshot(`
    [
      {
        "code": "SHAPE_MISMATCH",
        "message": "vfe: K_nm: expected (4, 3), got (4, 2)",
      },
      {
        "code": "SHAPE_MISMATCH",
        "message": "vfe: R: expected (4, 1), got (3, 1)",
      },
      {
        "code": "BAD_ARGUMENT",
        "message": "vfe: needs at least one item and one target, got R (4, 0)",
      },
      {
        "code": "SHAPE_MISMATCH",
        "message": "vfe: noise: expected a vector of 4, got (5, 1)",
      },
      {
        "code": "SHAPE_MISMATCH",
        "message": "vfe: K_nm: expected f64 like the other operands, got f32",
      },
      {
        "code": "BAD_ARGUMENT",
        "message": "vfe: needs at least one inducing item",
      },
      {
        "code": "SHAPE_MISMATCH",
        "message": "vfe: gradient of K_nm: expected (4, 2), got (2, 4)",
      },
      {
        "code": "SHAPE_MISMATCH",
        "message": "vfe: gradient of noise: expected a vector of 4, got (3, 1)",
      },
      {
        "code": "SHAPE_MISMATCH",
        "message": "exact: gradient of K: expected (4, 4), got (4, 3)",
      },
      {
        "code": "SHAPE_MISMATCH",
        "message": "predict: Kxm: expected (2, 2), got (2, 3)",
      },
      {
        "code": "SHAPE_MISMATCH",
        "message": "fitPosterior: 1 targets at first, then 2",
      },
      {
        "code": "BAD_ARGUMENT",
        "message": "fitPosterior: needs at least one block of training items",
      },
      {
        "code": "BAD_ARGUMENT",
        "message": "evidenceWeights: an exact posterior has no inducing items; use exactEvidence",
      },
      {
        "code": "BAD_ARGUMENT",
        "message": "exactEvidence: the posterior is of vfe; use evidenceWeights",
      },
    ]
  `);
});

test("blocks of pitc", () => {
  const pitc = (starts: number[], sizes: number[]) => () =>
    sparseNll(engine, sparse({ likelihood: "pitc", blocks: { starts, K: sizes.map(identity) } }));
  expect([
    errorOf(() => sparseNll(engine, sparse({ likelihood: "pitc" }))),
    errorOf(pitc([0, 2], [2])),
    errorOf(pitc([0, 4], [2, 2])),
    errorOf(pitc([0, 0, 4], [0, 4])),
    errorOf(pitc([0, 1, 4], [1, 2])),
  ]).toMatchInlineSnapshot(`
    [
      {
        "code": "BAD_ARGUMENT",
        "message": "pitc: needs blocks: where each begins, and its kernel",
      },
      {
        "code": "BAD_ARGUMENT",
        "message": "pitc: 1 blocks of 4 items take 2 starts, from 0 to 4; got 2, from 0 to 2",
      },
      {
        "code": "BAD_ARGUMENT",
        "message": "pitc: 2 blocks of 4 items take 3 starts, from 0 to 4; got 2, from 0 to 4",
      },
      {
        "code": "BAD_ARGUMENT",
        "message": "pitc: block 0 runs from 0 to 0; blocks hold at least one item",
      },
      {
        "code": "SHAPE_MISMATCH",
        "message": "pitc: K of block 1: expected (3, 3), got (2, 2)",
      },
    ]
  `);
});

test("not positive definite: the cause is named, and jitter does not hide it", () => {
  const indefinite = scope.matrix(2, 2).write([1, 3, 3, 1]);
  const strong = filled(4, 2, 2); // q_ii = 8 > k_ii
  const blocks = { starts: [0, 4], K: [scope.matrix(4, 4).fill(1)] };
  expect([
    errorOf(() => sparseNll(engine, sparse({ Kmm: indefinite }), {})),
    errorOf(() => sparseNll(engine, sparse({ likelihood: "fitc", Knm: strong }))),
    errorOf(() => sparseNll(engine, sparse({ likelihood: "pitc", Knm: strong, blocks }))),
    errorOf(() => exactNll(engine, { K: indefinite, R: filled(2, 1, 1), noise: filled(2, 1, 0.1) })),
  ]).toMatchInlineSnapshot(`
    [
      {
        "code": "NOT_POSITIVE_DEFINITE",
        "message": "vfe: K_mm (2×2): pivot 2 is -7.999e+0 after jitter 1.0e-6, 1.0e-5, 1.0e-4; the matrix looks indefinite: not a covariance (the sigmoid link's kernel is not positive definite; linear and saturating are)",
      },
      {
        "code": "NOT_POSITIVE_DEFINITE",
        "message": "fitc: Σ_i + k_ii − q_ii is not positive for 4 of 4 items (the first: item 0, k_ii 1.000e+0, q_ii 8.000e+0); k_ii < q_ii means that the kernel is not positive definite (the sigmoid link's is not; linear and saturating are)",
      },
      {
        "code": "NOT_POSITIVE_DEFINITE",
        "message": "pitc: Λ of block 0 (4×4): pivot 1 is -6.900e+0; the first diagonal element is not positive",
      },
      {
        "code": "NOT_POSITIVE_DEFINITE",
        "message": "exact: K + Σ (2×2): pivot 2 is -7.081e+0 after jitter 0.0e+0, 1.1e-6, 1.1e-5, 1.1e-4; the matrix looks indefinite: not a covariance (the sigmoid link's kernel is not positive definite; linear and saturating are)",
      },
    ]
  `);
  const { shift } = measureShift(engine, indefinite);
  expect(sparseNll(engine, sparse({ Kmm: indefinite, shift })).shift).toBe(shift);
});

test("choosing inducing items and blocks", () => {
  const Z = filled(3, 2, 0);
  expect([
    errorOf(() => selectInducing(engine, { Z, count: 4 })),
    errorOf(() => selectInducing(engine, { Z, count: 0.5 })),
    errorOf(() => blocksByNearest(engine, { Z, inducing: filled(2, 3, 0) })),
    errorOf(() => blocksByNearest(engine, { Z, inducing: scope.matrix(0, 2) })),
    errorOf(() => blocksByNearest(engine, { Z, inducing: Z, limit: 0 })),
    errorOf(() => measureShift(engine, scope.matrix(2, 3))),
    errorOf(() => measureShift(engine, scope.matrix(0, 0))),
    errorOf(() => measureShift(engine, filled(2, 2, Number.NaN))),
  ]).toMatchInlineSnapshot(`
    [
      {
        "code": "BAD_ARGUMENT",
        "message": "selectInducing: count must be a whole number from 1 to 3, got 4",
      },
      {
        "code": "BAD_ARGUMENT",
        "message": "selectInducing: count must be a whole number from 1 to 3, got 0.5",
      },
      {
        "code": "SHAPE_MISMATCH",
        "message": "blocksByNearest: inducing: expected (2, 2), got (2, 3)",
      },
      {
        "code": "BAD_ARGUMENT",
        "message": "blocksByNearest: needs at least one inducing item",
      },
      {
        "code": "BAD_ARGUMENT",
        "message": "blocksByNearest: limit must be a whole number of at least 1, got 0",
      },
      {
        "code": "SHAPE_MISMATCH",
        "message": "measureShift: K: expected (2, 2), got (2, 3)",
      },
      {
        "code": "BAD_ARGUMENT",
        "message": "measureShift: needs at least one row",
      },
      {
        "code": "NOT_FINITE",
        "message": "measureShift: 4 of 4 entries of K are NaN or infinite",
      },
    ]
  `);
});
