// The main mistakes, and the whole error each one gets: the same code and words from every engine.
import { describe, expect, test } from "vitest";
import type { ErrorCode } from "../errors.ts";
import type { Scope } from "../linalg/arena.ts";
import type { Activation, Engine, Link } from "../linalg/engine.ts";
import { fixedRows } from "../linalg/fixed.ts";
import { Random } from "../linalg/random.ts";
import { TopK } from "../linalg/top-k.ts";
import { transformerOf } from "../linalg/transformer.ts";
import type { Bed } from "./bed.ts";
import { errorOf } from "./bounds.ts";

/** Makes the mistake on engine e with matrices of scope s. */
type Mistake = (e: Engine, s: Scope) => unknown;

const one = (s: Scope) => s.matrix(1, 1);
const step1 = { step: 1, learningRate: 1 };

/** By code, the message, then the mistake. */
const mistakes: Partial<Record<ErrorCode, Record<string, Mistake>>> = {
  SHAPE_MISMATCH: {
    "gemm: B: expected (3, 5), got (4, 5)": (e, s) => e.gemm(s.matrix(2, 5), s.matrix(2, 3), s.matrix(4, 5)),
    "gemm: C: expected (2, 5), got (5, 2)": (e, s) => e.gemm(s.matrix(5, 2), s.matrix(2, 3), s.matrix(3, 5)),
    "gemm: B: expected (3, 3), got (3, 5)": (e, s) =>
      e.gemm(s.matrix(2, 5), s.matrix(2, 3), s.matrix(3, 5), { transposeB: true }),
    "gemm: B: expected f64 like the other operands, got f32": (e, s) =>
      e.gemm(s.matrix(2, 5), s.matrix(2, 3), s.matrix(3, 5, "f32")),
    "gemm: C: must be row-major (column stride 1, got 2); copy the transposed view first": (e, s) =>
      e.gemm(s.matrix(5, 2).transposed(), s.matrix(2, 3), s.matrix(3, 5)),
    "syrk: C: expected (2, 2), got (3, 3)": (e, s) => e.syrk(s.matrix(3, 3), s.matrix(2, 3)),
    "syr2k: B: expected (2, 3), got (2, 4)": (e, s) => e.syr2k(s.matrix(2, 2), s.matrix(2, 3), s.matrix(2, 4)),
    "gemv: x: expected a vector of 3, got (2, 1)": (e, s) => e.gemv(s.matrix(2, 1), s.matrix(2, 3), s.matrix(2, 1)),
    "gemv: x: expected f32 like the other operands, got f64": (e, s) =>
      e.gemv(s.matrix(2, 1, "f32"), s.matrix(2, 3, "f32"), s.matrix(3, 1)),
    "gemv: x: must be contiguous, got stride 4; copy the column first": (e, s) =>
      e.gemv(s.matrix(2, 1), s.matrix(2, 3), s.matrix(3, 4).view(0, 3, 1, 2)),
    "scaleRows: s: expected a vector of 2, got (3, 1)": (e, s) =>
      e.scaleRows(s.matrix(2, 3), s.matrix(2, 3), s.matrix(3, 1)),
    "scan: query: expected a vector of 3, got (2, 1)": (e, s) => e.scan(new TopK(1), [s.matrix(4, 3)], s.matrix(2, 1)),
    "K: expected (2, 2), got (2, 3)": (e, s) => e.cholesky(s.matrix(2, 3), { name: "K" }),
    "solve: B: expected (3, 4), got (2, 4)": (e, s) => e.solveTriangular(s.matrix(2, 4), s.matrix(3, 3)),
    "solve: B: expected (2, 3), got (2, 4)": (e, s) =>
      e.solveTriangular(s.matrix(2, 4), s.matrix(3, 3), { side: "right" }),
    "inverse: out: expected (3, 3), got (2, 3)": (e, s) => e.inverseFromCholesky(s.matrix(2, 3), s.matrix(3, 3)),
    "kernel: K: expected (4, 5), got (5, 4)": (e, s) => e.kernel(s.matrix(5, 4), s.matrix(4, 2), s.matrix(5, 2)),
    "kernel: weights: expected a vector of 2, got (3, 1)": (e, s) =>
      e.kernel(s.matrix(4, 5), s.matrix(4, 2), s.matrix(5, 2), { weights: s.matrix(3, 1) }),
    "kernel: rowLengths: expected a vector of 4, got (5, 1)": (e, s) =>
      e.distances(s.matrix(4, 5), s.matrix(4, 2), s.matrix(5, 2), { rowLengths: s.matrix(5, 1) }),
    "kernel: columnLengths: expected a vector of 5, got (4, 1)": (e, s) =>
      e.kernel(s.matrix(4, 5), s.matrix(4, 2), s.matrix(5, 2), { columnLengths: s.matrix(4, 1) }),
    "kernelBackward: gradients.rowLengths: expected a vector of 4, got (5, 1)": (e, s) =>
      e.kernelBackward(
        s.matrix(4, 5),
        s.matrix(4, 5),
        s.matrix(4, 2),
        s.matrix(5, 2),
        {},
        { rowLengths: s.matrix(5, 1) },
      ),
    "distancesBackward: G: expected (4, 5), got (5, 4)": (e, s) =>
      e.distancesBackward(s.matrix(5, 4), s.matrix(4, 2), s.matrix(5, 2), {}, {}),
    "distancesBackward: gradients.columns: expected (5, 2), got (4, 2)": (e, s) =>
      e.distancesBackward(s.matrix(4, 5), s.matrix(4, 2), s.matrix(5, 2), {}, { columns: s.matrix(4, 2) }),
    "pairDistances: B: expected (4, 2), got (5, 2)": (e, s) =>
      e.pairDistances(s.matrix(4, 1), s.matrix(4, 2), s.matrix(5, 2)),
    "pairDistances: t: expected a vector of 4, got (2, 1)": (e, s) =>
      e.pairDistances(s.matrix(2, 1), s.matrix(4, 2), s.matrix(4, 2)),
    "pairDistancesBackward: gradients.weights: expected f64 like the other operands, got f32": (e, s) =>
      e.pairDistancesBackward(s.matrix(4, 1), s.matrix(4, 2), s.matrix(4, 2), undefined, {
        weights: s.matrix(2, 1, "f32"),
      }),
    "activate: bias: expected a vector of 3, got (2, 1)": (e, s) =>
      e.activate(s.matrix(2, 3), s.matrix(2, 3), "tanh", s.matrix(2, 1)),
    "dropout: expected (2, 3), got (3, 2)": (e, s) => e.dropout(s.matrix(3, 2), s.matrix(2, 3), 0.1, new Random(1)),
    "convert: out: expected (2, 3), got (3, 2)": (e, s) => e.convert(s.matrix(3, 2), s.matrix(2, 3, "f32")),
    "softmaxCrossEntropy: labels: expected 4 of them, got 3": (e, s) =>
      e.softmaxCrossEntropy(null, s.matrix(4, 2), s.indices(3)),
    "adamw: gradient: expected (3, 1), got (4, 1)": (e, s) =>
      e.adamw(s.matrix(3, 1), s.matrix(4, 1), s.matrix(3, 1), s.matrix(3, 1), step1),
    "quantize: out: expected (2, 3), got (3, 3)": (e, s) =>
      transformerOf(e).quantize(fixedRows(s, 3, 3), s.matrix(2, 3, "f32")),
    "multiplyFixed: B: expected (4, 3), got (4, 5)": (e, s) =>
      transformerOf(e).multiplyFixed(s.matrix(2, 4, "f32"), fixedRows(s, 2, 3), fixedRows(s, 4, 5)),
    "multiplyFixed: bias: expected f32 like the other operands, got f64": (e, s) =>
      transformerOf(e).multiplyFixed(s.matrix(2, 4, "f32"), fixedRows(s, 2, 3), fixedRows(s, 4, 3), {
        bias: s.matrix(4, 1),
      }),
    "layerNorm: gain: expected a vector of 3, got (2, 1)": (e, s) =>
      transformerOf(e).layerNorm(
        s.matrix(2, 3, "f32"),
        s.matrix(2, 3, "f32"),
        s.matrix(2, 1, "f32"),
        s.matrix(3, 1, "f32"),
      ),
    "attention: out: expected (5, 8), got (5, 24)": (e, s) =>
      transformerOf(e).attention(s.matrix(5, 24, "f32"), s.matrix(5, 24, "f32"), 2, s.indices(2).write([0, 5])),
    "write: (2, 2) takes 4 numbers, got 3": (_, s) => s.matrix(2, 2).write([1, 2, 3]),
    "view: rows 1–4, columns 0–2 do not lie in (3, 2)": (_, s) => s.matrix(3, 2).view(1, 4),
  },

  BAD_ARGUMENT: {
    "gemm: C shares memory with an input; write the result elsewhere": (e, s) => {
      const A = s.matrix(4, 3);
      e.gemm(A.view(0, 3), s.matrix(3, 3), A.view(1, 4));
    },
    "gemv: y shares memory with an input; write the result elsewhere": (e, s) => {
      const x = s.matrix(3, 1);
      e.gemv(x, s.matrix(3, 3), x);
    },
    "inverse: out shares memory with an input; write the result elsewhere": (e, s) => {
      const L = s.matrix(3, 3);
      e.inverseFromCholesky(L, L);
    },
    "choleskyUpdate: x shares memory with an input; write the result elsewhere": (e, s) => {
      const L = s.matrix(3, 3);
      e.choleskyUpdate(L, L.view(1, 2));
    },
    "rowNorms: out shares memory with an input; write the result elsewhere": (e, s) => {
      const A = s.matrix(3, 3);
      e.rowNorms(A.view(1, 2), A);
    },
    "kernel: slope shares memory with an input; write the result elsewhere": (e, s) => {
      const K = s.matrix(3, 3);
      e.kernel(K, s.matrix(3, 2), s.matrix(3, 2), { slope: K });
    },
    "scaleRows shares memory with an input; write the result elsewhere": (e, s) => {
      const A = s.matrix(3, 1);
      e.scaleRows(A, s.matrix(3, 1), A);
    },
    "activate shares memory with an input; write the result elsewhere": (e, s) => {
      const A = s.matrix(4, 3);
      e.activate(A.view(1, 4), A.view(0, 3), "relu");
    },
    "distancesBackward: gradients.rows shares memory with an input; write the result elsewhere": (e, s) => {
      const Z = s.matrix(3, 2);
      e.distancesBackward(s.matrix(3, 3), Z, s.matrix(3, 2), {}, { rows: Z });
    },
    "pairDistancesBackward: gradients.weights shares memory with an input; write the result elsewhere": (e, s) => {
      const w = s.matrix(2, 1);
      e.pairDistancesBackward(s.matrix(3, 1), s.matrix(3, 2), s.matrix(3, 2), w, { weights: w });
    },
    "convert: out shares memory with an input; write the result elsewhere": (e, s) => {
      const A = s.matrix(3, 3);
      e.convert(A.transposed(), A);
    },
    "gelu: takes f32 matrices, got f64; convert() makes one": (e, s) => transformerOf(e).gelu(one(s), one(s)),
    "multiplyFixed: plus shares memory with an input; write the result elsewhere": (e, s) => {
      const A = s.matrix(4, 3, "f32");
      transformerOf(e).multiplyFixed(A.view(0, 3), fixedRows(s, 3, 2), fixedRows(s, 3, 2), { plus: A.view(1, 4) });
    },
    "layerNorm: epsilon must be at least 0, got -1": (e, s) => {
      const A = s.matrix(1, 1, "f32");
      transformerOf(e).layerNorm(A, A, s.matrix(1, 1, "f32"), s.matrix(1, 1, "f32"), -1);
    },
    "attention: QKV has three times heads·d columns, d a multiple of 4; got 24 for 3 heads": (e, s) =>
      transformerOf(e).attention(s.matrix(5, 8, "f32"), s.matrix(5, 24, "f32"), 3, s.indices(2).write([0, 5])),
    "attention: starts must begin at 0 and end at 5, the rows of QKV": (e, s) =>
      transformerOf(e).attention(s.matrix(5, 8, "f32"), s.matrix(5, 24, "f32"), 2, s.indices(2).write([0, 4])),
    "attention: starts must never fall, got 2 at 2": (e, s) =>
      transformerOf(e).attention(s.matrix(5, 8, "f32"), s.matrix(5, 24, "f32"), 2, s.indices(4).write([0, 3, 2, 5])),
    "dropout: rate must lie in [0, 1), got 1": (e, s) => e.dropout(one(s), one(s), 1, new Random(1)),
    "dropout: rate must lie in [0, 1), got NaN": (e, s) => e.dropout(one(s), one(s), Number.NaN, new Random(1)),
    "scan: k must be a whole number of at least 1, got 0": (e, s) => e.scan(new TopK(0), [one(s)], one(s)),
    "matrix: rows must be a whole number of at least 0, got -1": (_, s) => s.matrix(-1, 2),
    "matrix: cols must be a whole number of at least 0, got 1.5": (_, s) => s.matrix(1, 1.5),
    "indices: length must be a whole number of at least 0, got NaN": (_, s) => s.indices(Number.NaN),
    "choleskyUpdate: sign must be 1 or −1, got 2": (e, s) => e.choleskyUpdate(one(s), one(s), 2 as 1),
    "kernel: variance must be a positive number, got 0": (e, s) => e.kernel(one(s), one(s), one(s), { variance: 0 }),
    "kernel: offset must be a number, got NaN": (e, s) => e.kernel(one(s), one(s), one(s), { offset: Number.NaN }),
    "kernel: link must be one of linear, saturating, sigmoid, got cubic": (e, s) =>
      e.kernel(one(s), one(s), one(s), { link: "cubic" as Link }),
    "kernelBackward: the sigmoid link needs the slope that kernel() wrote; pass the same slope matrix to both": (
      e,
      s,
    ) => e.kernelBackward(one(s), one(s), one(s), one(s), { link: "sigmoid" }, {}),
    "activate: f must be one of exp, tanh, sigmoid, relu, got cosh": (e, s) =>
      e.activate(one(s), one(s), "cosh" as Activation),
    "cholesky: jitter needs relative > 0 and tries ≥ 1, got 0 and 3": (e, s) =>
      e.cholesky(one(s), { jitter: { relative: 0 } }),
    "adamw: step counts from 1, got 0": (e, s) => e.adamw(one(s), one(s), one(s), one(s), { ...step1, step: 0 }),
    "adamw: beta2 must lie in [0, 1), got 1": (e, s) => e.adamw(one(s), one(s), one(s), one(s), { ...step1, beta2: 1 }),
    "sparseMultiply: starts must begin at 0 and never fall, got 1 at 0": (e, s) =>
      e.sparseMultiply(one(s), { rows: 1, cols: 1, starts: s.indices(2).write([1, 1]), columns: s.indices(1) }, one(s)),
    "sparseMultiply: starts end at 2, but there are 1 entries": (e, s) =>
      e.sparseMultiply(one(s), { rows: 1, cols: 1, starts: s.indices(2).write([0, 2]), columns: s.indices(1) }, one(s)),
    "softmaxCrossEntropy: needs at least one row and one column, got (0, 3)": (e, s) =>
      e.softmaxCrossEntropy(null, s.matrix(0, 3), s.indices(0)),
  },

  INDEX_OUT_OF_RANGE: {
    "gatherRows: indices: position 1 holds 3; valid are 0 to 2": (e, s) =>
      e.gatherRows(s.matrix(2, 4), s.matrix(3, 4), s.indices(2).write([0, 3])),
    "scatterAddRows: indices: position 0 holds -1; valid are 0 to 2": (e, s) =>
      e.scatterAddRows(s.matrix(3, 4), s.matrix(2, 4), s.indices(2).write([-1, 0])),
    "softmaxCrossEntropy: labels: position 0 holds 5; valid are 0 to 4": (e, s) =>
      e.softmaxCrossEntropy(null, s.matrix(1, 5), s.indices(1).write([5])),
    "kernel: same: position 2 holds 4; valid are 0 to 3": (e, s) =>
      e.kernel(s.matrix(3, 4), s.matrix(3, 1), s.matrix(4, 1), { same: s.indices(3).write([-1, 0, 4]) }),
    "sparseMultiply: columns: position 0 holds 9; valid are 0 to 2": (e, s) => {
      const S = { rows: 1, cols: 3, starts: s.indices(2).write([0, 1]), columns: s.indices(1).write([9]) };
      e.sparseMultiply(s.matrix(1, 2), S, s.matrix(3, 2));
    },
    "element (2, 0) is outside (2, 2)": (_, s) => s.matrix(2, 2).get(2, 0),
  },
};

export function describeErrors(bed: Bed): void {
  describe.each(Object.entries(mistakes))("errors: %s", (code, messages) => {
    test.each(Object.entries(messages))("%s", (message, make) => {
      const scope = bed.engine.scope();
      const error = errorOf(() => make(bed.engine, scope));
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
