// The main mistakes, and the whole error each one gets: the same code and words from every engine.
import { describe, expect, test } from "vitest";
import type { Scope } from "../linalg/arena.ts";
import { type Activation, type Engine, type Link, TopK } from "../linalg/engine.ts";
import type { Bed } from "./bed.ts";
import { errorOf } from "./bounds.ts";

type Mistake = [title: string, code: string, message: string, make: (scope: Scope, engine: Engine) => () => void];

const shapes: Mistake[] = [
  ["gemm: B", "SHAPE_MISMATCH", "gemm: B: expected (3, 5), got (4, 5)", (s, e) => () => e.gemm(s.matrix(2, 5), s.matrix(2, 3), s.matrix(4, 5))],
  ["gemm: C", "SHAPE_MISMATCH", "gemm: C: expected (2, 5), got (5, 2)", (s, e) => () => e.gemm(s.matrix(5, 2), s.matrix(2, 3), s.matrix(3, 5))],
  ["gemm: transposed", "SHAPE_MISMATCH", "gemm: B: expected (3, 3), got (3, 5)", (s, e) => () => e.gemm(s.matrix(2, 5), s.matrix(2, 3), s.matrix(3, 5), { transposeB: true })],
  ["syrk: C", "SHAPE_MISMATCH", "syrk: C: expected (2, 2), got (3, 3)", (s, e) => () => e.syrk(s.matrix(3, 3), s.matrix(2, 3))],
  ["syr2k: B", "SHAPE_MISMATCH", "syr2k: B: expected (2, 3), got (2, 4)", (s, e) => () => e.syr2k(s.matrix(2, 2), s.matrix(2, 3), s.matrix(2, 4))],
  ["gemv: x", "SHAPE_MISMATCH", "gemv: x: expected a vector of 3, got (2, 1)", (s, e) => () => e.gemv(s.matrix(2, 1), s.matrix(2, 3), s.matrix(2, 1))],
  ["scan: query", "SHAPE_MISMATCH", "scan: query: expected a vector of 3, got (2, 1)", (s, e) => () => e.scan(new TopK(1), [s.matrix(4, 3)], s.matrix(2, 1))],
  ["cholesky", "SHAPE_MISMATCH", "K: expected (2, 2), got (2, 3)", (s, e) => () => e.cholesky(s.matrix(2, 3), { name: "K" })],
  ["solveTriangular: B", "SHAPE_MISMATCH", "solve: B: expected (3, 4), got (2, 4)", (s, e) => () => e.solveTriangular(s.matrix(2, 4), s.matrix(3, 3))],
  ["solveTriangular: right", "SHAPE_MISMATCH", "solve: B: expected (2, 3), got (2, 4)", (s, e) => () => e.solveTriangular(s.matrix(2, 4), s.matrix(3, 3), { side: "right" })],
  ["inverse: out", "SHAPE_MISMATCH", "inverse: out: expected (3, 3), got (2, 3)", (s, e) => () => e.inverseFromCholesky(s.matrix(2, 3), s.matrix(3, 3))],
  ["kernel: K", "SHAPE_MISMATCH", "kernel: K: expected (4, 5), got (5, 4)", (s, e) => () => e.kernel(s.matrix(5, 4), s.matrix(4, 2), s.matrix(5, 2))],
  ["kernel: weights", "SHAPE_MISMATCH", "kernel: weights: expected a vector of 2, got (3, 1)", (s, e) => () => e.kernel(s.matrix(4, 5), s.matrix(4, 2), s.matrix(5, 2), { weights: s.matrix(3, 1) })],
  ["softmax: labels", "SHAPE_MISMATCH", "softmaxCrossEntropy: labels: expected 4 of them, got 3", (s, e) => () => e.softmaxCrossEntropy(null, s.matrix(4, 2), s.indices(3))],
  ["adamw", "SHAPE_MISMATCH", "adamw: gradient: expected (3, 1), got (4, 1)", (s, e) => () => e.adamw(s.matrix(3, 1), s.matrix(4, 1), s.matrix(3, 1), s.matrix(3, 1), { step: 1, learningRate: 1 })],
  ["write", "SHAPE_MISMATCH", "write: (2, 2) takes 4 numbers, got 3", (s) => () => s.matrix(2, 2).write([1, 2, 3])],
  ["view", "SHAPE_MISMATCH", "view: rows 1–4, columns 0–2 do not lie in (3, 2)", (s) => () => s.matrix(3, 2).view(1, 4)],
  ["precision", "SHAPE_MISMATCH", "gemm: B: expected f64 like the other operands, got f32", (s, e) => () => e.gemm(s.matrix(2, 5), s.matrix(2, 3), s.matrix(3, 5, "f32"))],
  ["precision of a vector", "SHAPE_MISMATCH", "gemv: x: expected f32 like the other operands, got f64", (s, e) => () => e.gemv(s.matrix(2, 1, "f32"), s.matrix(2, 3, "f32"), s.matrix(3, 1))],
  ["not row-major", "SHAPE_MISMATCH", "gemm: C: must be row-major (column stride 1, got 2); copy the transposed view first", (s, e) => () => e.gemm(s.matrix(5, 2).transposed(), s.matrix(2, 3), s.matrix(3, 5))],
  ["not contiguous", "SHAPE_MISMATCH", "gemv: x: must be contiguous, got stride 4; copy the column first", (s, e) => () => e.gemv(s.matrix(2, 1), s.matrix(2, 3), s.matrix(3, 4).view(0, 3, 1, 2))],
];

const aliases: Mistake[] = [
  ["gemm: C is A", "BAD_ARGUMENT", "gemm: C shares memory with an input; write the result elsewhere", (s, e) => () => { const A = s.matrix(3, 3); e.gemm(A, A, s.matrix(3, 3)); }],
  ["gemm: C overlaps B", "BAD_ARGUMENT", "gemm: C shares memory with an input; write the result elsewhere", (s, e) => () => { const B = s.matrix(4, 3); e.gemm(B.view(0, 3), s.matrix(3, 3), B.view(1, 4)); }],
  ["gemv: y is x", "BAD_ARGUMENT", "gemv: y shares memory with an input; write the result elsewhere", (s, e) => () => { const x = s.matrix(3, 1); e.gemv(x, s.matrix(3, 3), x); }],
  ["inverse: out is L", "BAD_ARGUMENT", "inverse: out shares memory with an input; write the result elsewhere", (s, e) => () => { const L = s.matrix(3, 3); e.inverseFromCholesky(L, L); }],
  ["choleskyUpdate: x is a row of L", "BAD_ARGUMENT", "choleskyUpdate: x shares memory with an input; write the result elsewhere", (s, e) => () => { const L = s.matrix(3, 3); e.choleskyUpdate(L, L.view(1, 2)); }],
  ["rowNorms: out is a row of A", "BAD_ARGUMENT", "rowNorms: out shares memory with an input; write the result elsewhere", (s, e) => () => { const A = s.matrix(3, 3); e.rowNorms(A.view(1, 2), A); }],
  ["kernel: slope is K", "BAD_ARGUMENT", "kernel: slope shares memory with an input; write the result elsewhere", (s, e) => () => { const K = s.matrix(3, 3); e.kernel(K, s.matrix(3, 2), s.matrix(3, 2), { slope: K }); }],
];

const indices: Mistake[] = [
  ["gatherRows", "INDEX_OUT_OF_RANGE", "gatherRows: indices: position 1 holds 3; valid are 0 to 2", (s, e) => () => e.gatherRows(s.matrix(2, 4), s.matrix(3, 4), s.indices(2).write([0, 3]))],
  ["scatterAddRows", "INDEX_OUT_OF_RANGE", "scatterAddRows: indices: position 0 holds -1; valid are 0 to 2", (s, e) => () => e.scatterAddRows(s.matrix(3, 4), s.matrix(2, 4), s.indices(2).write([-1, 0]))],
  ["labels", "INDEX_OUT_OF_RANGE", "softmaxCrossEntropy: labels: position 0 holds 5; valid are 0 to 4", (s, e) => () => e.softmaxCrossEntropy(null, s.matrix(1, 5), s.indices(1).write([5]))],
  ["same", "INDEX_OUT_OF_RANGE", "kernel: same: position 2 holds 4; valid are 0 to 3", (s, e) => () => e.kernel(s.matrix(3, 4), s.matrix(3, 1), s.matrix(4, 1), { same: s.indices(3).write([-1, 0, 4]) })],
  ["sparse columns", "INDEX_OUT_OF_RANGE", "sparseMultiply: columns: position 0 holds 9; valid are 0 to 2", (s, e) => () => e.sparseMultiply(s.matrix(1, 2), { rows: 1, cols: 3, starts: s.indices(2).write([0, 1]), columns: s.indices(1).write([9]) }, s.matrix(3, 2))],
  ["element", "INDEX_OUT_OF_RANGE", "element (2, 0) is outside (2, 2)", (s) => () => s.matrix(2, 2).get(2, 0)],
];

const one = (s: Scope) => s.matrix(1, 1);
const badArguments: Mistake[] = [
  ["scan: k", "BAD_ARGUMENT", "scan: k must be a whole number of at least 1, got 0", (s, e) => () => e.scan(new TopK(0), [one(s)], one(s))],
  ["matrix: rows", "BAD_ARGUMENT", "matrix: rows must be a whole number of at least 0, got -1", (s) => () => s.matrix(-1, 2)],
  ["matrix: cols", "BAD_ARGUMENT", "matrix: cols must be a whole number of at least 0, got 1.5", (s) => () => s.matrix(1, 1.5)],
  ["indices", "BAD_ARGUMENT", "indices: length must be a whole number of at least 0, got NaN", (s) => () => s.indices(Number.NaN)],
  ["sign", "BAD_ARGUMENT", "choleskyUpdate: sign must be 1 or −1, got 2", (s, e) => () => e.choleskyUpdate(one(s), one(s), 2 as 1)],
  ["variance", "BAD_ARGUMENT", "kernel: variance must be a positive number, got 0", (s, e) => () => e.kernel(one(s), one(s), one(s), { variance: 0 })],
  ["offset", "BAD_ARGUMENT", "kernel: offset must be a number, got NaN", (s, e) => () => e.kernel(one(s), one(s), one(s), { offset: Number.NaN })],
  ["link", "BAD_ARGUMENT", "kernel: link must be one of linear, saturating, sigmoid, got cubic", (s, e) => () => e.kernel(one(s), one(s), one(s), { link: "cubic" as Link })],
  ["slope", "BAD_ARGUMENT", "kernelBackward: the sigmoid link needs the slope that kernel() wrote; pass the same slope matrix to both", (s, e) => () => e.kernelBackward(one(s), one(s), one(s), one(s), { link: "sigmoid" }, {})],
  ["activation", "BAD_ARGUMENT", "activate: f must be one of exp, tanh, sigmoid, relu, got cosh", (s, e) => () => e.activate(one(s), one(s), "cosh" as Activation)],
  ["jitter", "BAD_ARGUMENT", "cholesky: jitter needs relative > 0 and tries ≥ 1, got 0 and 3", (s, e) => () => e.cholesky(one(s), { jitter: { relative: 0 } })],
  ["step", "BAD_ARGUMENT", "adamw: step counts from 1, got 0", (s, e) => () => e.adamw(one(s), one(s), one(s), one(s), { step: 0, learningRate: 1 })],
  ["beta2", "BAD_ARGUMENT", "adamw: beta2 must lie in [0, 1), got 1", (s, e) => () => e.adamw(one(s), one(s), one(s), one(s), { step: 1, learningRate: 1, beta2: 1 })],
  ["starts", "BAD_ARGUMENT", "sparseMultiply: starts must begin at 0 and never fall, got 1 at 0", (s, e) => () => e.sparseMultiply(one(s), { rows: 1, cols: 1, starts: s.indices(2).write([1, 1]), columns: s.indices(1) }, one(s))],
  ["entries", "BAD_ARGUMENT", "sparseMultiply: starts end at 2, but there are 1 entries", (s, e) => () => e.sparseMultiply(one(s), { rows: 1, cols: 1, starts: s.indices(2).write([0, 2]), columns: s.indices(1) }, one(s))],
  ["no candidates", "BAD_ARGUMENT", "softmaxCrossEntropy: needs at least one row and one column, got (0, 3)", (s, e) => () => e.softmaxCrossEntropy(null, s.matrix(0, 3), s.indices(0))],
];

export function describeErrors(bed: Bed): void {
  describe.each([
    ["shape mismatch", shapes],
    ["shared memory", aliases],
    ["bad index", indices],
    ["bad argument", badArguments],
  ] as const)("errors: %s", (_, mistakes) => {
    test.each(mistakes)("%s", (_title, code, message, make) => {
      const scope = bed.engine.scope();
      const error = errorOf(make(scope, bed.engine));
      scope.close();
      expect(error).toEqual({ code, message });
    });
  });

  describe("errors: life of a scope", () => {
    const closed = "the scope that owned this memory is closed; allocate it in an outer scope";

    test("a handle of a closed scope", () => {
      const scope = bed.engine.scope();
      const A = scope.matrix(2, 2);
      const index = scope.indices(2);
      scope.close();
      const other = bed.engine.scope();
      expect(errorOf(() => A.read())).toEqual({ code: "SCOPE_CLOSED", message: `read: ${closed}` });
      expect(errorOf(() => A.view(0, 1).fill(0))).toEqual({ code: "SCOPE_CLOSED", message: `fill: ${closed}` });
      expect(errorOf(() => index.write([0, 1]))).toEqual({ code: "SCOPE_CLOSED", message: `write: ${closed}` });
      expect(errorOf(() => bed.engine.cholesky(A))).toEqual({ code: "SCOPE_CLOSED", message: `cholesky: ${closed}` });
      other.close();
    });

    test("a scope closes once; closing again does nothing", () => {
      const scope = bed.engine.scope();
      scope.close();
      expect(() => scope.close()).not.toThrow();
    });
  });

  describe("windows that only look alike", () => {
    // Column blocks of one matrix share rows of memory but no element, wherever the matrix begins.
    test("column blocks of one matrix are distinct, at any address", () => {
      const scope = bed.engine.scope();
      for (let shift = 0; shift < 24; shift++) {
        const inner = bed.engine.scope();
        const whole = inner.matrix(1, shift + 6 * 11).view(0, 1, shift);
        whole.rows = 6; // the same numbers as six rows of eleven
        whole.cols = 11;
        whole.rowStride = 11;
        whole.fill(1);
        const [left, right] = [whole.view(0, 6, 0, 5), whole.view(0, 6, 5, 11)];
        const square = inner.matrix(5, 6).fill(1);
        expect(() => bed.engine.gemm(right, left, square)).not.toThrow();
        expect([right.get(0, 0), right.get(5, 5)]).toEqual([5, 5]);
        expect(errorOf(() => bed.engine.gemm(whole.view(0, 6, 4, 10), left, square)).code).toBe("BAD_ARGUMENT");
        inner.close();
      }
      scope.close();
    });

    test("an empty window shares nothing", () => {
      const scope = bed.engine.scope();
      const A = scope.matrix(4, 4).fill(1);
      expect(() => bed.engine.gemm(A, A.view(0, 4, 2, 2), A.view(2, 2))).not.toThrow();
      expect(A.read().every((x) => x === 0)).toBe(true);
      scope.close();
    });
  });
}
