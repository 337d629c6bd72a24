// The part of the gradients that all sparse likelihoods share, (m, m) matrices only: H = [W̃ | α̃]·(C·L) and E of dtc or of vfe, each already
// times L⁻¹. m inducing items, k targets.
import type { Engine } from "../linalg/engine.ts";
import type { Matrix } from "../linalg/matrix.ts";
import { addJitterGradient } from "./exact.ts";
import type { Forward } from "./forward.ts";
import { setIdentity } from "./solve-rows.ts";

const TILE = 32; // rows and columns: 8 kB, which stay in the fastest cache

interface WhiteGradients {
  /** (m + k, m): [W̃ | α̃]·C = H·L⁻¹, so that one product of 2nm(m + k) flops makes the whole gradient by K_nm. */
  C: Matrix;
  /** E·L⁻¹ (m, m). */
  EL: Matrix;
  /** tr(I − B⁻¹) = Σ_i‖y_i‖²: how many of the inducing items' degrees of freedom the targets determine. */
  information: number;
}

// With T₀ = L⁻¹ (dtc) or W̃ᵀW̃·L⁻¹ (vfe) and T₁ = B⁻¹T₀, k(T₀ − T₁) is k(I − B⁻¹)L⁻¹ or, for vfe, k(W̃ᵀW̃ − I + B⁻¹)L⁻¹. So
//   dtc   C = [ kT₁; −βᵀ]   EL = uβᵀ − k(T₀ − T₁)
//   vfe   C = [−kT₁; −βᵀ]   EL = uβᵀ + k(T₀ − T₁)
export function whiteGradients(engine: Engine, pass: Forward): WhiteGradients {
  const { inputs, scope, m, k, L, LB, u, gram } = pass;
  const vfe = inputs.likelihood === "vfe";
  const beta = scope.matrix(m, k); // L⁻ᵀu
  engine.convert(beta, u);
  engine.solveTriangular(beta, L, { transpose: true });

  const EL = scope.matrix(m, m); // T₀ for now
  if (vfe) engine.convert(EL, gram);
  else setIdentity(EL);
  engine.solveTriangular(EL, L, { side: "right" });
  const C = scope.matrix(m + k, m);
  const T1 = C.view(0, m);
  engine.convert(T1, EL);
  engine.solveCholesky(T1, LB);

  const trace = traceOfProduct(T1, L); // of B⁻¹ (dtc), of I − B⁻¹ (vfe)
  combine(EL, T1, vfe ? -k : k);
  engine.gemm(EL, u, beta, { transposeB: true, beta: 1 });
  writeNegativeTranspose(C.view(m, m + k), beta);
  return { C, EL, information: vfe ? trace : m - trace };
}

/** T₀ ← −s·(T₀ − T₁), T₁ ← s·T₁; both contiguous. */
function combine(T0: Matrix, T1: Matrix, s: number): void {
  const a = T0.data;
  const b = T1.data;
  const { offset: first } = T0;
  const { offset: second } = T1;
  const size = T0.rows * T0.cols;
  for (let e = 0; e < size; e++) {
    const scaled = s * b[second + e];
    a[first + e] = scaled - s * a[first + e];
    b[second + e] = scaled;
  }
}

/** tr(T·L) = Σ_ij T_ij·L_ji, L lower; tile by tile, since one of the two is read down its columns. */
function traceOfProduct(T: Matrix, L: Matrix): number {
  const a = T.data;
  const b = L.data;
  const m = L.rows;
  const stride = T.rowStride;
  let trace = 0;
  for (let top = 0; top < m; top += TILE) {
    for (let left = 0; left <= top; left += TILE) {
      for (let j = top; j < Math.min(m, top + TILE); j++) {
        const end = Math.min(j + 1, left + TILE);
        const row = L.offset + j * L.rowStride;
        const column = T.offset + j;
        for (let i = left; i < end; i++) trace += a[column + i * stride] * b[row + i];
      }
    }
  }
  return trace;
}

/** out (k, m) = −uᵀ, u (m, k). */
function writeNegativeTranspose(out: Matrix, u: Matrix): void {
  const from = u.data;
  const to = out.data;
  for (let j = 0; j < out.rows; j++) {
    for (let i = 0; i < out.cols; i++) {
      to[out.offset + j * out.rowStride + i] = -from[u.offset + i * u.rowStride + j];
    }
  }
}

/** out (m, m) = ½·L⁻ᵀ·E·L⁻¹ from EL, which is overwritten: symmetric to the last bit, with what the jitter owes to the diagonal. */
export function setKmmGradient(
  engine: Engine,
  out: Matrix,
  { EL, L, relativeJitter }: { EL: Matrix; L: Matrix; relativeJitter: number },
): void {
  engine.solveTriangular(EL, L, { transpose: true });
  writeSymmetric(out, EL, 0.5);
  addJitterGradient(out, relativeJitter);
}

/** out = factor·(A + Aᵀ)/2, tile by tile. */
export function writeSymmetric(out: Matrix, A: Matrix, factor: number): void {
  const n = out.rows;
  const from = A.data;
  const to = out.data;
  const across = A.rowStride;
  const down = out.rowStride;
  const half = 0.5 * factor;
  for (let top = 0; top < n; top += TILE) {
    for (let left = 0; left <= top; left += TILE) {
      for (let i = top; i < Math.min(n, top + TILE); i++) {
        const end = Math.min(i + 1, left + TILE);
        const read = A.offset + i * across;
        const readDown = A.offset + i;
        const write = out.offset + i * down;
        const writeDown = out.offset + i;
        for (let j = left; j < end; j++) {
          const g = half * (from[read + j] + from[readDown + j * across]);
          to[write + j] = g;
          to[writeDown + j * down] = g;
        }
      }
    }
  }
}
