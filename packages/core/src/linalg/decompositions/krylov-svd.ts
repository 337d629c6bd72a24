// Leading singular vectors where singular values fall slowly, as those of user × item matrices do: every product AᵀA·Q is kept, and the vectors are
// sought in the span of all of them (Musco & Musco, 2015, Alg. 2; computed as a block Lanczos process with full orthogonalisation). For the same
// number of multiplied columns it comes much closer than subspace iteration, which keeps the last product only.
// n columns of A, b columns of a block, q passes.
import { NearkinError } from "../../errors.ts";
import type { Engine } from "../engine.ts";
import type { Matrix } from "../matrix.ts";
import type { Random } from "../random.ts";
import type { GramOperator } from "./operator.ts";
import { orthonormalize } from "./orthonormalize.ts";
import { randomizedSvd } from "./randomized-svd.ts";
import { fixSign } from "./sign.ts";
import { symmetricEigen } from "./symmetric-eigen.ts";

export interface KrylovSvdOptions {
  /** How many singular values and vectors. */
  rank: number;
  /** b: columns of a block. The sparse kernel gives 16 to a worker; smaller blocks and more passes come closer. @default 32 */
  block?: number;
  /** q: products with AᵀA; passes·block must be at least rank. @default as many as span 2.5·rank directions, at least 4 */
  passes?: number;
  /** The stream that draws the first block. */
  random: Random;
}

export interface KrylovSvd {
  /** What was asked for, or min(rows, cols) if that is less. */
  rank: number;
  /** (rank), the largest first. */
  singularValues: Float64Array;
  /** (n, rank) row-major: column j is the right singular vector of singularValues[j], its entry of largest magnitude positive. */
  rightVectors: Float64Array;
}

/**
 * A ≈ U·diag(σ)·Vᵀ: σ and V. Costs `passes` calls of `operator.gram` with b columns, and O(n·(q·b)²) besides; needs (n, q·b) numbers of
 * memory. A matrix smaller than q·b is decomposed exactly. The same bits for any number of workers.
 */
export function krylovSvd(engine: Engine, operator: GramOperator, options: KrylovSvdOptions): KrylovSvd {
  const { rank, block: b = 32, passes = Math.max(4, Math.ceil((2.5 * rank) / b)), random } = options;
  for (const [name, value] of Object.entries({ rank, passes, block: b })) {
    if (Number.isInteger(value) && value >= 1) continue;
    throw new NearkinError("BAD_ARGUMENT", `krylovSvd: ${name} must be a whole number of at least 1, got ${value}`);
  }
  if (passes * b < rank) {
    throw new NearkinError(
      "BAD_ARGUMENT",
      `krylovSvd: passes·block must be at least the rank ${rank}, got ${passes}·${b}`,
    );
  }
  const n = operator.cols;
  const limit = Math.min(operator.rows, n);
  if (limit <= passes * b) {
    return randomizedSvd(engine, operator, { rank, oversample: Math.max(0, limit - rank), iterations: passes, random });
  }
  const scope = engine.scope();
  try {
    const Q: Matrix[] = [];
    const T = new Float64Array((passes * b) ** 2); // QᵀAᵀAQ
    const product = scope.matrix(b, b);
    let W = scope.matrix(n, b);
    engine.fillNormal(W, random);
    orthonormalize(engine, W);
    for (let j = 0; j < passes; j++) {
      Q.push(W);
      W = scope.matrix(n, b);
      operator.gram(W, Q[j]); // AᵀA·Q_j
      for (let i = 0; i <= j; i++) {
        project(engine, W, Q[i], product); // T_ij = Q_iᵀAᵀAQ_j, W ← W − Q_i·T_ij
        storeBlock(T, product.read(), i, j, b, passes * b);
      }
      if (j === passes - 1) break;
      // What is left may be rounding alone, where the span already holds all there is: orthogonal only once it has length 1 again.
      orthonormalize(engine, W);
      for (const before of Q) project(engine, W, before, product);
      orthonormalize(engine, W);
    }
    const { values, vectors } = symmetricEigen(T, passes * b);
    const V = scope.matrix(n, rank);
    const S = scope.matrix(rank, b);
    for (let j = 0; j < passes; j++) {
      for (let r = 0; r < rank; r++) {
        const from = r * passes * b + j * b;
        S.data.set(vectors.subarray(from, from + b), S.offset + r * S.rowStride);
      }
      engine.gemm(V, Q[j], S, { transposeB: true, beta: j === 0 ? 0 : 1 }); // V = Σ_j Q_j·S_jᵀ
    }
    const rightVectors = V.read();
    for (let r = 0; r < rank; r++) fixSign(rightVectors, r, n, rank);
    const singularValues = Float64Array.from(values.subarray(0, rank), (value) => Math.sqrt(Math.max(value, 0)));
    return { rank, singularValues, rightVectors };
  } finally {
    scope.close();
  }
}

/** product = QᵀW, W ← W − Q·product. */
function project(engine: Engine, W: Matrix, Q: Matrix, product: Matrix): void {
  engine.gemm(product, Q, W, { transposeA: true });
  engine.gemm(W, Q, product, { alpha: -1, beta: 1 });
}

/** Block (i, j) of T and, transposed, block (j, i); the diagonal blocks are made symmetric. */
function storeBlock(T: Float64Array, values: Float64Array, i: number, j: number, b: number, width: number): void {
  for (let r = 0; r < b; r++) {
    for (let c = 0; c < b; c++) {
      const value = i === j ? 0.5 * (values[r * b + c] + values[c * b + r]) : values[r * b + c];
      T[(i * b + r) * width + j * b + c] = value;
      T[(j * b + c) * width + i * b + r] = value;
    }
  }
}
