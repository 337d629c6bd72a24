// The jitter policy: a factorisation that fails by rounding gets a little more diagonal, three times; one that
// fails because its kernel is not positive definite gets an error that says so.
import { NearkinError, NotPositiveDefiniteError } from "../errors.ts";
import type { Scope } from "./arena.ts";
import type { CholeskyOptions } from "./engine.ts";
import type { Matrix } from "./matrix.ts";

/** What the policy needs of an engine. */
export interface Factoriser {
  scope(): Scope;
  /** A = LLᵀ in place. Returns 0, or the 1-based failing pivot, whose value is left on the diagonal. */
  factor(A: Matrix): number;
}

/** Factors A in place; returns the absolute jitter that was added. */
export function choleskyWithJitter(engine: Factoriser, A: Matrix, options: CholeskyOptions): number {
  const { jitter } = options;
  if (!jitter) {
    const pivot = engine.factor(A);
    if (pivot > 0) throw failure(A, pivot, options, []);
    return 0;
  }
  const { relative = 1e-6, tries = 3, always = false } = jitter;
  if (!(relative > 0) || !Number.isInteger(tries) || tries < 1) {
    throw new NearkinError(
      "BAD_ARGUMENT",
      `cholesky: jitter needs relative > 0 and tries ≥ 1, got ${relative} and ${tries}`,
    );
  }
  const scope = engine.scope();
  try {
    const original = scope.matrix(A.rows, A.rows, A.precision);
    copyRows(original, A);
    const unit = meanDiagonal(original);
    const first = always ? 1 : 0; // attempt 0 is the matrix as given
    for (let attempt = first; ; attempt++) {
      const added = jitterOf(attempt, relative, unit);
      if (attempt > first) copyRows(A, original);
      addToDiagonal(A, added);
      const pivot = engine.factor(A);
      if (pivot === 0) return added;
      if (attempt >= tries) {
        const tried = Array.from({ length: attempt - first + 1 }, (_, i) => jitterOf(first + i, relative, unit));
        const error = failure(A, pivot, options, tried);
        copyRows(A, original); // the caller may want to look at it
        throw error;
      }
    }
  } finally {
    scope.close();
  }
}

function jitterOf(attempt: number, relative: number, unit: number): number {
  return attempt === 0 ? 0 : relative * 10 ** (attempt - 1) * unit;
}

function copyRows(to: Matrix, from: Matrix): void {
  const data = to.data;
  for (let i = 0; i < from.rows; i++) {
    const start = from.offset + i * from.rowStride;
    if (data === from.data) data.copyWithin(to.offset + i * to.rowStride, start, start + from.cols);
    else for (let j = 0; j < from.cols; j++) data[to.offset + i * to.rowStride + j] = from.data[start + j];
  }
}

function meanDiagonal(A: Matrix): number {
  let sum = 0;
  for (let i = 0; i < A.rows; i++) sum += Math.abs(A.data[A.offset + i * (A.rowStride + 1)]);
  return A.rows > 0 ? sum / A.rows : 0;
}

function addToDiagonal(A: Matrix, value: number): void {
  for (let i = 0; i < A.rows; i++) A.data[A.offset + i * (A.rowStride + 1)] += value;
}

function failure(A: Matrix, pivot: number, options: CholeskyOptions, jitters: number[]): NearkinError {
  const name = options.name ?? "cholesky";
  const value = A.get(pivot - 1, pivot - 1);
  const size = `${name} (${A.rows}×${A.rows})`;
  if (!Number.isFinite(value)) {
    return new NearkinError(
      "NOT_FINITE",
      `${size}: ${value} reached pivot ${pivot}; look for NaN or infinite inputs, or a step that diverged`,
    );
  }
  const tried = jitters.length > 0 ? ` after jitter ${jitters.map((j) => j.toExponential(1)).join(", ")}` : "";
  // Rounding leaves a pivot within a few thousand ulps of zero; an indefinite matrix leaves a real negative number.
  let scale = 0;
  for (let i = 0; i < pivot - 1; i++) scale = Math.max(scale, A.get(i, i) ** 2);
  const rounding = Math.abs(value) <= (A.precision === "f32" ? 1e-4 : 1e-11) * Math.max(scale, Number.MIN_VALUE);
  const cause =
    pivot === 1
      ? "the first diagonal element is not positive"
      : rounding && jitters.length === 0
        ? "rows are duplicates up to rounding: raise the noise, allow jitter, or drop duplicate items"
        : rounding
          ? "raise the noise, or drop duplicate items"
          : "the matrix looks indefinite: not a covariance (the sigmoid link's kernel is not positive definite; linear and saturating are)";
  return new NotPositiveDefiniteError(`${size}: pivot ${pivot} is ${value.toExponential(3)}${tried}; ${cause}`, {
    pivot,
    value,
    jitters,
  });
}

/** Why an update stopped at `pivot`: numbers that are not finite, or a downdate that would leave the cone. */
export function updateFailure(L: Matrix, x: Matrix, pivot: number, sign: number): NearkinError {
  const size = `choleskyUpdate (${L.rows}×${L.rows})`;
  if (sign > 0 || !Number.isFinite(L.get(pivot - 1, pivot - 1)) || !Number.isFinite(x.data[x.offset + pivot - 1])) {
    return new NearkinError(
      "NOT_FINITE",
      `${size}: pivot ${pivot} is no finite number; look for NaN, infinities or an overflow in L and x`,
    );
  }
  return new NotPositiveDefiniteError(
    `${size}: without x, pivot ${pivot} is no longer positive; LLᵀ − xxᵀ is not positive definite`,
    { pivot, value: Number.NaN, jitters: [] },
  );
}
