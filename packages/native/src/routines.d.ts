import type { Ffi, SharedLibrary } from "./ffi.ts";
export declare const ROW_MAJOR = 101;
export declare const NO_TRANSPOSE = 111;
export declare const TRANSPOSE = 112;
export declare const LOWER = 122;
export declare const NON_UNIT = 131;
export declare const LEFT = 141;
export declare const RIGHT = 142;
/** The routines of one precision. Row-major, sizes in elements, addresses in bytes. */
export interface Routines {
    /** cblas_?gemm: C = α·op(A)·op(B) + β·C. */
    gemm(order: number, transposeA: number, transposeB: number, m: number, n: number, k: number, alpha: number, a: number, lda: number, b: number, ldb: number, beta: number, c: number, ldc: number): void;
    /** cblas_?gemv: y = α·op(A)·x + β·y. */
    gemv(order: number, transpose: number, m: number, n: number, alpha: number, a: number, lda: number, x: number, stepX: number, beta: number, y: number, stepY: number): void;
    /** cblas_?syrk: one triangle of C = α·op(A)·op(A)ᵀ + β·C. */
    syrk(order: number, triangle: number, transpose: number, n: number, k: number, alpha: number, a: number, lda: number, beta: number, c: number, ldc: number): void;
    /** cblas_?trsm: B ← α·op(L)⁻¹·B, or from the right. */
    trsm(order: number, side: number, triangle: number, transpose: number, diagonal: number, m: number, n: number, alpha: number, l: number, ldl: number, b: number, ldb: number): void;
    /** LAPACK's ?potrf on the lower triangle of a row-major matrix. Returns `info`: 0, or the 1-based pivot that is not positive. */
    potrf(n: number, a: number, lda: number): number;
}
/** The library, bound. */
export interface OpenBlas {
    /** The file it was loaded from. */
    path: string;
    /** "0.3.21" */
    version: string;
    /** The processor whose kernels it chose: "Zen", "SkylakeX", … */
    core: string;
    /** What it was built with: `openblas_get_config()`. */
    config: string;
    f32: Routines;
    f64: Routines;
    /** Threads it was last set to here. The count is one for the whole process, whoever sets it. */
    readonly threads: number;
    /** Sets that count; a library built for fewer keeps to those. */
    setThreads(count: number): void;
    /** Address of a view's first byte: valid while its buffer lives and does not grow. Slow (50 ns and a BigInt). */
    addressOf(view: ArrayBufferView): number;
}
/** Binds the functions; throws when one is missing. Nothing is called yet. */
export declare function bindRoutines(ffi: Ffi, library: SharedLibrary): Pick<OpenBlas, "f32" | "f64" | "addressOf">;
//# sourceMappingURL=routines.d.ts.map