// OpenBLAS's own functions on raw addresses. An address is a plain number (user space ends at 2^47, doubles are exact to
// 2^53): passed as uintptr_t it costs less than a BigInt or a typed array, and leaves nothing for the garbage collector.
import type { Ffi, SharedLibrary } from "./ffi.ts";

// CBLAS's constants
export const ROW_MAJOR = 101;
export const NO_TRANSPOSE = 111;
export const TRANSPOSE = 112;
export const LOWER = 122;
export const NON_UNIT = 131;
export const LEFT = 141;
export const RIGHT = 142;

/** The routines of one precision. Row-major, sizes in elements, addresses in bytes. */
export interface Routines {
  /** cblas_?gemm: C = α·op(A)·op(B) + β·C. */
  gemm(
    order: number,
    transposeA: number,
    transposeB: number,
    m: number,
    n: number,
    k: number,
    alpha: number,
    a: number,
    lda: number,
    b: number,
    ldb: number,
    beta: number,
    c: number,
    ldc: number,
  ): void;
  /** cblas_?gemv: y = α·op(A)·x + β·y. */
  gemv(
    order: number,
    transpose: number,
    m: number,
    n: number,
    alpha: number,
    a: number,
    lda: number,
    x: number,
    stepX: number,
    beta: number,
    y: number,
    stepY: number,
  ): void;
  /** cblas_?syrk: one triangle of C = α·op(A)·op(A)ᵀ + β·C. */
  syrk(
    order: number,
    triangle: number,
    transpose: number,
    n: number,
    k: number,
    alpha: number,
    a: number,
    lda: number,
    beta: number,
    c: number,
    ldc: number,
  ): void;
  /** cblas_?trsm: B ← α·op(L)⁻¹·B, or from the right. */
  trsm(
    order: number,
    side: number,
    triangle: number,
    transpose: number,
    diagonal: number,
    m: number,
    n: number,
    alpha: number,
    l: number,
    ldl: number,
    b: number,
    ldb: number,
  ): void;
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
export function bindRoutines(ffi: Ffi, library: SharedLibrary): Pick<OpenBlas, "f32" | "f64" | "addressOf"> {
  const addressOf = (view: ArrayBufferView) => Number(ffi.address(view));
  const bind = (letter: "s" | "d"): Routines => {
    const real = letter === "s" ? "float" : "double";
    const gemm = "int, int, int, int, int, int, R, uintptr_t, int, uintptr_t, int, R, uintptr_t, int";
    const gemv = "int, int, int, int, R, uintptr_t, int, uintptr_t, int, R, uintptr_t, int";
    const syrk = "int, int, int, int, int, R, uintptr_t, int, R, uintptr_t, int";
    const trsm = "int, int, int, int, int, int, int, R, uintptr_t, int, uintptr_t, int";
    const cblas = (name: string, types: string) =>
      library.func(`void cblas_${letter}${name}(${types.replaceAll("R", real)})`);
    return {
      gemm: cblas("gemm", gemm),
      gemv: cblas("gemv", gemv),
      syrk: cblas("syrk", syrk),
      trsm: cblas("trsm", trsm),
      potrf: bindPotrf(library, letter, addressOf),
    };
  };
  return { f32: bind("s"), f64: bind("d"), addressOf };
}

// Fortran takes everything by address, and a hidden length for the string. A row-major lower triangle is its "U".
function bindPotrf(library: SharedLibrary, letter: string, addressOf: (view: ArrayBufferView) => number) {
  const call = library.func(`void ${letter}potrf_(uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, size_t)`);
  const box = new Int32Array(new ArrayBuffer(16)); // a buffer of its own lies outside V8's heap and never moves
  const at = addressOf(box);
  box[0] = "U".charCodeAt(0); // little endian, like WebAssembly's memory
  return (n: number, a: number, lda: number): number => {
    box[1] = n;
    box[2] = lda;
    box[3] = 0;
    call(at, at + 4, a, at + 8, at + 12, 1);
    return box[3];
  };
}
