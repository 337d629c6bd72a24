import { checkInverse, checkSolve, checkSquare, checkUpdate } from "../contract.ts";
import type { Factorisations } from "../engine.ts";
import { choleskyWithJitter, updateFailure } from "../jitter.ts";
import type { Matrix } from "../matrix.ts";
import { logDeterminant } from "../reductions.ts";
import { plainScope } from "./scope.ts";

// L_ij = (A_ij − Σ_{p<j} L_ip L_jp) / L_jj, row by row
function factor(A: Matrix): number {
  const { data, offset, rowStride, rows: n } = A;
  for (let j = 0; j < n; j++) {
    for (let i = j; i < n; i++) {
      let s = data[offset + i * rowStride + j];
      for (let p = 0; p < j; p++) s -= data[offset + i * rowStride + p] * data[offset + j * rowStride + p];
      if (i === j) {
        data[offset + j * rowStride + j] = s;
        if (!(s > 0) || s === Infinity) return j + 1;
        data[offset + j * rowStride + j] = Math.sqrt(s);
      } else data[offset + i * rowStride + j] = s / data[offset + j * rowStride + j];
    }
  }
  for (let i = 0; i < n; i++) for (let j = i + 1; j < n; j++) data[offset + i * rowStride + j] = 0;
  return 0;
}

// Substitution, a row of the result at a time. A right solve X·op(L) = B is the left solve op(L)ᵀ·Xᵀ = Bᵀ on transposed views.
function solve(B: Matrix, L: Matrix, transpose: boolean): void {
  const n = L.rows;
  const m = B.cols;
  const l = L.read(); // plain doubles, row by row: see dense() in products.ts
  const x = B.read();
  for (let step = 0; step < n; step++) {
    const i = transpose ? n - 1 - step : step;
    for (let p = transpose ? i + 1 : 0; p < (transpose ? n : i); p++) {
      const factor = transpose ? l[p * n + i] : l[i * n + p];
      for (let c = 0; c < m; c++) x[i * m + c] -= factor * x[p * m + c];
    }
    for (let c = 0; c < m; c++) x[i * m + c] /= l[i * n + i];
  }
  B.write(x);
}

export const factorisations: Factorisations = {
  cholesky(A, options = {}) {
    checkSquare(options.name ?? "cholesky", A);
    return A.rows === 0 ? 0 : choleskyWithJitter({ scope: plainScope, factor }, A, options);
  },

  solveTriangular(B, L, options = {}) {
    const { side = "left", transpose = false } = options;
    checkSolve(B, L, side);
    if (side === "left") solve(B, L, transpose);
    else solve(B.transposed(), L, !transpose);
  },

  solveCholesky(B, L) {
    checkSolve(B, L, "left");
    solve(B, L, false);
    solve(B, L, true);
  },

  inverseFromCholesky(out, L) {
    checkInverse(out, L);
    out.fill(0);
    for (let i = 0; i < L.rows; i++) out.set(i, i, 1);
    solve(out, L, false);
    solve(out, L, true);
  },

  logDeterminant(L) {
    checkSquare("logDeterminant: L", L);
    return logDeterminant(L);
  },

  choleskyUpdate(L, x, sign = 1) {
    checkUpdate(L, x, sign);
    const v = (i: number) => x.data[x.offset + i];
    for (let k = 0; k < L.rows; k++) {
      const l = L.get(k, k);
      const d = l * l + sign * v(k) * v(k);
      if (!(d > 0) || d === Infinity) throw updateFailure(L, x, k + 1, sign);
      const r = Math.sqrt(d);
      const c = r / l;
      const s = v(k) / l;
      L.set(k, k, r);
      for (let i = k + 1; i < L.rows; i++) {
        const y = (L.get(i, k) + sign * s * v(i)) / c;
        L.set(i, k, y);
        x.data[x.offset + i] = c * v(i) - s * y;
      }
    }
  },
};
