// From embeddings to the kernel matrix and back: the formulas are in docs/linalg.md, "The kernel and its gradient". n rows, m columns, width d.
import type { Scope } from "../arena.ts";
import {
  type DistanceOptions,
  type KernelGradients,
  type KernelOptions,
  type KernelPass,
  type Link,
  NO_OPTIONS,
  type Products,
} from "../engine.ts";
import {
  checkColumnSums,
  checkDistancesBackward,
  checkKernel,
  checkKernelBackward,
  checkRowNorms,
} from "../kernel-contract.ts";
import type { Matrix } from "../matrix.ts";
import { addLengthGradients, nonNegative, sum } from "../reductions.ts";
import { pairDistances } from "./pair-distances.ts";
import { cut, type Pool } from "./pool.ts";

const PASS_THRESHOLD = 1 << 14; // elements
const LINK_CODE: Record<Link, number> = { linear: 0, saturating: 1, sigmoid: 2 };
const DISTANCE_CODE = 3;

const CROSS = { alpha: -2, transposeB: true };
const FIRST_TRANSPOSED = { transposeA: true };

export function kernelPass(pool: Pool, { gemm, gemv }: Products): KernelPass {
  const rowNormsKernel = pool.kernel("row_norms");
  const columnSumsKernel = pool.kernel("column_sums");
  const scaleColumns = pool.kernel("scale_columns");
  const forward = pool.kernel("kernel_forward");
  const backward = pool.kernel("kernel_backward");
  const chain = pool.kernel("kernel_chain");

  // out_i = plus_i + Σ_j w_j A_ij²
  function rowNorms(out: Matrix, A: Matrix, weights: Matrix | undefined, plus?: Matrix): void {
    const parts = pool.share(A.rows * A.cols, PASS_THRESHOLD);
    for (let t = 0; t < parts; t++) {
      const from = cut(A.rows, parts, t, 1);
      pool
        .job(t)
        .put(cut(A.rows, parts, t + 1, 1) - from)
        .put(A.cols)
        .putRows(A, from)
        .putVector(weights)
        .putVector(out, from);
      pool.putVector(plus, from);
    }
    pool.run(rowNormsKernel[A.precision], parts);
  }

  function columnSums(out: Matrix, A: Matrix): void {
    const parts = pool.share(A.rows * A.cols, PASS_THRESHOLD);
    for (let t = 0; t < parts; t++) {
      pool
        .job(t)
        .put(A.rows)
        .put(cut(A.cols, parts, t, 4))
        .put(cut(A.cols, parts, t + 1, 4))
        .putRows(A)
        .putVector(out)
        .put(pool.workspace(t));
    }
    pool.run(columnSumsKernel[A.precision], parts);
  }

  // t = a²_a + a²_b − 2·Z_a·H·Z_bᵀ, then φ and the kernel, on each thread's rows. Lengths are part of the norms.
  function fused(K: Matrix, Za: Matrix, Zb: Matrix, options: KernelOptions, code: number): void {
    const n = Za.rows;
    const m = Zb.rows;
    const d = Za.cols;
    if (n === 0 || m === 0) return;
    const { weights, slope, same, rowLengths, columnLengths, offset = 0, variance = 1 } = options;
    const scope = pool.arena.open();
    try {
      const normsA = scope.matrix(n, 1, K.precision);
      const normsB = scope.matrix(m, 1, K.precision);
      rowNorms(normsA, Za, weights, rowLengths);
      rowNorms(normsB, Zb, weights, columnLengths);
      let ZaH = Za;
      if (weights) {
        ZaH = scope.matrix(n, d, K.precision);
        const parts = pool.share(n * d, PASS_THRESHOLD);
        for (let t = 0; t < parts; t++) {
          const from = cut(n, parts, t, 1);
          pool
            .job(t)
            .put(cut(n, parts, t + 1, 1) - from)
            .put(d)
            .putRows(Za, from)
            .putVector(weights)
            .putRows(ZaH, from);
        }
        pool.run(scaleColumns[K.precision], parts);
      }
      gemm(K, ZaH, Zb, CROSS);
      const clamp = nonNegative(weights) && nonNegative(rowLengths) && nonNegative(columnLengths) ? 1 : 0;
      const parts = pool.share(n * m, PASS_THRESHOLD);
      for (let t = 0; t < parts; t++) {
        const from = cut(n, parts, t, 1);
        pool
          .job(t)
          .put(code)
          .put(cut(n, parts, t + 1, 1) - from)
          .put(m)
          .putVector(normsA, from)
          .putVector(normsB)
          .putRows(K, from);
        pool
          .putOptionalRows(slope, from)
          .putIndices(same, from)
          .put(clamp)
          .put(offset)
          .put(variance)
          .put(pool.workspace(t));
      }
      pool.run(forward[K.precision], parts);
    } finally {
      scope.close();
    }
  }

  // ∂ℓ/∂Z += 2(diag(ρ)Z − W)H and this side's part of ∂ℓ/∂h
  function chainSide(
    Z: Matrix,
    W: Matrix,
    sums: Matrix,
    weights: Matrix,
    dZ: Matrix | undefined,
    dWeights: Matrix | undefined,
    cross: number,
  ): void {
    if (!dZ && !dWeights) return;
    const parts = pool.share(Z.rows * Z.cols, PASS_THRESHOLD);
    for (let t = 0; t < parts; t++) {
      pool
        .job(t)
        .put(Z.rows)
        .put(cut(Z.cols, parts, t, 4))
        .put(cut(Z.cols, parts, t + 1, 4));
      pool.putRows(Z).putRows(W).putVector(sums).putVector(weights);
      pool.putOptionalRows(dZ).putVector(dWeights).put(cross);
    }
    pool.run(chain[Z.precision], parts);
  }

  // From G_t and its row sums ρ on: the embeddings, the weights, the lengths
  function pushBack(
    G: Matrix,
    rho: Matrix,
    Za: Matrix,
    Zb: Matrix,
    options: DistanceOptions,
    out: KernelGradients,
    scope: Scope,
  ): void {
    const { rows, columns, weights: dWeights } = out;
    const isChained = rows !== undefined || columns !== undefined || dWeights !== undefined;
    if (out.rowLengths) addLengthGradients(out.rowLengths, rho, G, options.same, "rows");
    if (!isChained && !out.columnLengths) return;
    const gamma = scope.matrix(Zb.rows, 1, G.precision); // column sums of G_t
    columnSums(gamma, G);
    if (out.columnLengths) addLengthGradients(out.columnLengths, gamma, G, options.same, "columns");
    if (!isChained) return;

    const weights = options.weights ?? scope.matrix(Za.cols, 1, G.precision).fill(1);
    const W = scope.matrix(Za.rows, Za.cols, G.precision);
    if (rows || dWeights) gemm(W, G, Zb); // G_t·Z_b
    chainSide(Za, W, rho, weights, rows, dWeights, 2);
    const W2 = scope.matrix(Zb.rows, Zb.cols, G.precision);
    if (columns) gemm(W2, G, Za, FIRST_TRANSPOSED); // G_tᵀ·Z_a
    chainSide(Zb, W2, gamma, weights, columns, dWeights, 0);
  }

  function kernelGradients(
    G: Matrix,
    K: Matrix,
    Za: Matrix,
    Zb: Matrix,
    options: KernelOptions,
    out: KernelGradients,
  ): void {
    const n = Za.rows;
    const m = Zb.rows;
    const { slope, variance = 1 } = options;
    const scope = pool.arena.open();
    try {
      const rho = scope.matrix(n, 1, K.precision); // row sums of G_t
      const dots = scope.matrix(n, 1, K.precision); // row sums of G∘K
      const parts = pool.share(n * m, PASS_THRESHOLD);
      for (let t = 0; t < parts; t++) {
        const from = cut(n, parts, t, 1);
        pool
          .job(t)
          .put(cut(n, parts, t + 1, 1) - from)
          .put(m)
          .putRows(G, from)
          .putRows(K, from);
        pool.putOptionalRows(slope, from).putVector(rho, from).putVector(dots, from);
      }
      pool.run(backward[K.precision], parts);
      out.variance = sum(dots) / variance;
      out.offset = options.link === "sigmoid" ? sum(rho) : 0;
      pushBack(G, rho, Za, Zb, options, out, scope);
    } finally {
      scope.close();
    }
  }

  return {
    rowNorms(out, A, weights) {
      checkRowNorms(out, A, weights);
      rowNorms(out, A, weights);
    },

    columnSums(out, A) {
      checkColumnSums(out, A);
      columnSums(out, A);
    },

    distances(T, Za, Zb, options: DistanceOptions = NO_OPTIONS) {
      checkKernel(T, Za, Zb, options);
      fused(T, Za, Zb, options, DISTANCE_CODE);
    },

    kernel(K, Za, Zb, options = NO_OPTIONS) {
      checkKernel(K, Za, Zb, options);
      fused(K, Za, Zb, options, LINK_CODE[options.link ?? "linear"]);
    },

    kernelBackward(G, K, Za, Zb, options, out) {
      checkKernelBackward(G, K, Za, Zb, options, out);
      kernelGradients(G, K, Za, Zb, options, out);
    },

    distancesBackward(G, Za, Zb, options, out) {
      checkDistancesBackward(G, Za, Zb, options, out);
      const scope = pool.arena.open();
      try {
        const rho = scope.matrix(Za.rows, 1, G.precision); // row sums of G
        gemv(rho, G, scope.matrix(Zb.rows, 1, G.precision).fill(1));
        pushBack(G, rho, Za, Zb, options, out, scope);
      } finally {
        scope.close();
      }
    },

    ...pairDistances(pool),
  };
}
