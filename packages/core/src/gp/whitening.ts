// Rows of items made white: X = Λ^{−½}[K_nm·L⁻ᵀ | R], where LLᵀ = K_mm and Λ is what the inducing items leave of S, diagonal (dtc, vfe,
// fitc) or in blocks (pitc: Λ_b = L_bL_bᵀ, and Λ^{−½} means L_b⁻¹). In X every sparse likelihood is the same: S = Λ^{½}(I + W̃W̃ᵀ)Λ^{½ᵀ}
// with W̃ = X's first m columns. n items, m inducing items, k targets.
import { NotPositiveDefiniteError } from "../errors.ts";
import type { Scope } from "../linalg/arena.ts";
import type { Engine } from "../linalg/engine.ts";
import type { Matrix } from "../linalg/matrix.ts";
import { portableLog } from "../linalg/random.ts";
import type { SparseLikelihood, SparseRowInputs } from "./inputs.ts";
import { solveRows } from "./solve-rows.ts";

export type Whitening = DiagonalWhitening | BlockWhitening;

interface DiagonalWhitening {
  kind: "diagonal";
  /** log|Λ| */
  logDeterminant: number;
  /** 1/√Λ_i (n) */
  scale: Matrix;
  /** q_ii/Σ_i (n); not for dtc, which never asks. */
  explained?: Matrix;
}

interface BlockWhitening {
  kind: "blocks";
  logDeterminant: number;
  starts: ArrayLike<number>;
  /** L_b of each block. */
  factors: readonly Matrix[];
}

interface RowsToWhiten extends SparseRowInputs {
  likelihood: SparseLikelihood;
  /** LLᵀ = K_mm, jitter and shift included (m, m). */
  L: Matrix;
  /** (n, k). @default no columns for them in X */
  R?: Matrix;
}

/** Fills X (n, m + k). What the whitening keeps is allocated in `scope`. O(nm²), pitc + Σ_b n_b²(m + n_b). */
export function whiten(engine: Engine, X: Matrix, rows: RowsToWhiten & { scope: Scope }): Whitening {
  const { likelihood, L, Knm, R } = rows;
  const m = L.rows;
  const W = X.view(0, X.rows, 0, m);
  if (likelihood === "pitc") {
    solveRows(engine, W, { source: Knm, L }); // Vᵀ = K_nm·L⁻ᵀ
    if (R) engine.convert(X.view(0, X.rows, m, X.cols), R);
    return whitenBlocks(engine, X, rows);
  }
  return whitenDiagonal(engine, X, rows);
}

// Scaled by Σ^{−½} first, which costs nothing beside the copy; fitc then goes on from Σ to Λ.
function whitenDiagonal(engine: Engine, X: Matrix, rows: RowsToWhiten & { scope: Scope }): DiagonalWhitening {
  const { likelihood, L, Knm, R, noise, diagonal, scope } = rows;
  const n = X.rows;
  const m = L.rows;
  const W = X.view(0, n, 0, m);
  const scale = scope.matrix(n, 1);
  let logDeterminant = 0;
  for (let i = 0; i < n; i++) {
    const sigma = noise.data[noise.offset + i];
    scale.data[scale.offset + i] = 1 / Math.sqrt(sigma);
    logDeterminant += portableLog(sigma);
  }
  solveRows(engine, W, { source: Knm, scale, L });
  const whitening: DiagonalWhitening = { kind: "diagonal", logDeterminant, scale };
  if (likelihood !== "dtc") {
    whitening.explained = scope.matrix(n, 1);
    engine.rowNorms(whitening.explained, W);
  }
  if (likelihood === "fitc" && diagonal && whitening.explained) {
    const ratio = scope.matrix(n, 1); // √(Σ_i/Λ_i)
    whitening.logDeterminant = fromNoiseToLambda(ratio, whitening.explained, { noise, diagonal, scale });
    engine.scaleRows(W, W, ratio);
  }
  if (R) engine.scaleRows(X.view(0, n, m, X.cols), R, scale);
  return whitening;
}

// Λ_i = Σ_i + k_ii − q_ii. Rounding may leave k_ii − q_ii a little below 0, which the noise outweighs; a kernel that is not positive
// definite leaves it anywhere.
function fromNoiseToLambda(
  ratio: Matrix,
  explained: Matrix,
  { noise, diagonal, scale }: { noise: Matrix; diagonal: Matrix; scale: Matrix },
): number {
  const n = ratio.rows;
  let logDeterminant = 0;
  let bad = 0;
  let first = 0;
  for (let i = 0; i < n; i++) {
    const sigma = noise.data[noise.offset + i];
    const lambda = sigma + diagonal.data[diagonal.offset + i] - sigma * explained.data[explained.offset + i];
    if (lambda <= 0 && bad++ === 0) first = i; // NaN goes on, to be named later
    ratio.data[ratio.offset + i] = Math.sqrt(sigma / lambda);
    scale.data[scale.offset + i] = 1 / Math.sqrt(lambda);
    logDeterminant += portableLog(lambda);
  }
  if (bad > 0) {
    const value = diagonal.data[diagonal.offset + first];
    const q = noise.data[noise.offset + first] * explained.data[explained.offset + first];
    throw new NotPositiveDefiniteError(
      `fitc: Σ_i + k_ii − q_ii is not positive for ${bad} of ${n} items (the first: item ${first}, k_ii ${value.toExponential(3)}, q_ii ${q.toExponential(3)}); k_ii < q_ii means that the kernel is not positive definite (the sigmoid link's is not; linear and saturating are)`,
      { pivot: first + 1, value, jitters: [] },
    );
  }
  return logDeterminant;
}

// Λ_b = K_bb + Σ_b − V_bᵀV_b = L_bL_bᵀ; X_b ← L_b⁻¹X_b, targets and all
function whitenBlocks(engine: Engine, X: Matrix, rows: RowsToWhiten & { scope: Scope }): BlockWhitening {
  const { L, noise, blocks, scope } = rows;
  const { starts, K } = blocks as NonNullable<typeof blocks>; // checked with the inputs
  let logDeterminant = 0;
  const factors = K.map((Kbb, b) => {
    const from = starts[b];
    const to = starts[b + 1];
    const factor = scope.matrix(to - from, to - from);
    engine.convert(factor, Kbb);
    engine.syrk(factor, X.view(from, to, 0, L.rows), { alpha: -1, beta: 1 });
    for (let i = 0; i < factor.rows; i++) {
      factor.data[factor.offset + i * (factor.rows + 1)] += noise.data[noise.offset + from + i];
    }
    engine.cholesky(factor, { name: `pitc: Λ of block ${b}` });
    engine.solveTriangular(X.view(from, to), factor);
    logDeterminant += engine.logDeterminant(factor);
    return factor;
  });
  return { kind: "blocks", logDeterminant, starts, factors };
}

/** rows ← Λ^{−½ᵀ}·rows (n, ·): from a gradient by X, or from α̃, to one by K_nm, or to α. */
export function whitenBack(engine: Engine, whitening: Whitening, rows: Matrix): void {
  if (whitening.kind === "diagonal") {
    engine.scaleRows(rows, rows, whitening.scale);
    return;
  }
  whitening.factors.forEach((factor, b) => {
    const block = rows.view(whitening.starts[b], whitening.starts[b + 1]);
    engine.solveTriangular(block, factor, { transpose: true });
  });
}
