// The engine's products and factorisations, on OpenBLAS. All sizes go there: the engine's own kernels are ahead by 100 ns at most,
// and only below 5 × 5.
import { type Accelerate, type Accelerator, type Matrix, NearkinError } from "@nearkin/core";
import { leadingDimension, rowMajorDimension } from "./layout.ts";
import { loadOpenBlas } from "./library.ts";
import { LEFT, LOWER, NO_TRANSPOSE, NON_UNIT, type OpenBlas, RIGHT, ROW_MAJOR, TRANSPOSE } from "./routines.ts";

/**
 * The system's OpenBLAS for an engine's products and factorisations, on the engine's own memory: nothing is copied.
 * It uses as many threads as the engine. Throws OpenBlasUnavailableError.
 *
 * @example
 * const engine = await createEngine({ engine: "native", native: openBlas });
 * engine.info.library // => "OpenBLAS 0.3.21 (SkylakeX)"
 */
export const openBlas: Accelerate = async (memory, workers) => accelerate(await loadOpenBlas(), memory, workers);

function accelerate(blas: OpenBlas, memory: { readonly buffer: ArrayBufferLike }, workers: number): Accelerator {
  blas.setThreads(workers);
  const threads = blas.threads;
  let view: Float64Array | undefined; // of the memory as it was when `base` was asked for
  let base = 0;

  /** Where the numbers of `m` begin, or 0 if they are not in this memory. */
  function address(m: Matrix): number {
    if (m.storage.f64 !== view && !refresh(m)) return 0;
    return base + m.offset * (m.precision === "f32" ? 4 : 8);
  }

  // A memory's views are made anew when it grows. V8 grows in place, but only promises to where it could reserve the room.
  // Addresses are compared, not buffers: V8 also renews the buffers of all shared memories when one of them grows.
  function refresh(m: Matrix): boolean {
    const current = blas.addressOf(new Uint8Array(memory.buffer));
    if (blas.addressOf(m.storage.f64) !== current) return false;
    view = m.storage.f64;
    base = current;
    return true;
  }

  // OpenBLAS has one count of threads per process, and another engine may have set its own.
  function claimThreads(): void {
    if (blas.threads !== threads) blas.setThreads(threads);
  }

  return {
    library: `OpenBLAS ${blas.version} (${blas.core})`,
    workers: threads,

    gemm(C, A, B, alpha, beta, transposeA, transposeB) {
      const k = transposeA ? A.rows : A.cols;
      if (alpha === 0 || k === 0) return false; // BLAS would not look at A and B for α = 0, and miss their NaN
      const lda = leadingDimension(A);
      const ldb = leadingDimension(B);
      const ldc = rowMajorDimension(C);
      const a = address(A);
      const b = address(B);
      const c = address(C);
      if (lda === 0 || ldb === 0 || ldc === 0 || a === 0 || b === 0 || c === 0) return false;
      claimThreads();
      const flipA = transposeA !== lda < 0 ? TRANSPOSE : NO_TRANSPOSE;
      const flipB = transposeB !== ldb < 0 ? TRANSPOSE : NO_TRANSPOSE;
      const { gemm } = blas[C.precision];
      gemm(ROW_MAJOR, flipA, flipB, C.rows, C.cols, k, alpha, a, Math.abs(lda), b, Math.abs(ldb), beta, c, ldc);
      return true;
    },

    syrk(C, A, alpha, beta, transpose) {
      const k = transpose ? A.rows : A.cols;
      if (alpha === 0 || k === 0) return false;
      const lda = leadingDimension(A);
      const ldc = rowMajorDimension(C);
      const a = address(A);
      const c = address(C);
      if (lda === 0 || ldc === 0 || a === 0 || c === 0) return false;
      claimThreads();
      const flip = transpose !== lda < 0 ? TRANSPOSE : NO_TRANSPOSE;
      blas[C.precision].syrk(ROW_MAJOR, LOWER, flip, C.rows, k, alpha, a, Math.abs(lda), beta, c, ldc);
      return true;
    },

    factor(A) {
      const n = A.rows;
      const lda = rowMajorDimension(A);
      const a = address(A);
      if (lda === 0 || a === 0) throw unreadable("cholesky");
      claimThreads();
      const failed = blas[A.precision].potrf(n, a, lda);
      return firstNotFinite(A, failed === 0 ? n : failed - 1) || failed;
    },

    solve(B, L, right, transpose) {
      const ldl = rowMajorDimension(L);
      const ldb = rowMajorDimension(B);
      const l = address(L);
      const b = address(B);
      if (ldl === 0 || ldb === 0 || l === 0 || b === 0) throw unreadable("solve");
      claimThreads();
      const side = right ? RIGHT : LEFT;
      const flip = transpose ? TRANSPOSE : NO_TRANSPOSE;
      blas[B.precision].trsm(ROW_MAJOR, side, LOWER, flip, NON_UNIT, B.rows, B.cols, 1, l, ldl, b, ldb);
    },
  };
}

// ?potrf compares pivots with `≤ 0` and so walks on through NaN and ∞: the 1-based first one among `count` pivots, or 0.
function firstNotFinite(A: Matrix, count: number): number {
  const { data, offset, rowStride } = A;
  for (let i = 0; i < count; i++) if (!Number.isFinite(data[offset + i * (rowStride + 1)])) return i + 1;
  return 0;
}

function unreadable(operation: string): NearkinError {
  return new NearkinError(
    "BAD_ARGUMENT",
    `${operation}: a matrix lies outside this engine's memory, or its rows overlap; allocate it from this engine's scope()`,
  );
}
