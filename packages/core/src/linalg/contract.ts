// What every engine demands of its arguments, in one place: the same mistakes get the same errors whichever engine runs.
// The kernel pass has a file of its own, kernel-contract.ts.
import { NearkinError } from "../errors.ts";
import type { Activation, AdamwOptions, GemmOptions, SparseGramOptions, SparseRows } from "./engine.ts";
import { checkAlive, checkRowMajor, checkShape, checkVector, type Indices, type Matrix, shape } from "./matrix.ts";

/** "operation: operand" for checks that several operations share, put together once: strings made per call are garbage. */
const NAMES = {
  syrk: named("syrk", "A", "C"),
  syr2k: named("syr2k", "A", "C"),
  gatherRows: named("gatherRows", "table", "rows", "indices"),
  scatterAddRows: named("scatterAddRows", "table", "rows", "indices"),
  sparseMultiply: named("sparseMultiply", "W", "out", "starts", "columns", "values"),
  sparseMultiplyBackward: named("sparseMultiplyBackward", "W", "out", "starts", "columns", "values"),
  sparseGram: named("sparseGram", "X", "out", "starts", "columns", "values", "rowScale", "columnScale"),
};

export function named<K extends string>(operation: string, ...operands: K[]): Record<K, string> {
  return Object.fromEntries(operands.map((operand) => [operand, `${operation}: ${operand}`])) as Record<K, string>;
}

export function fail(message: string): never {
  throw new NearkinError("BAD_ARGUMENT", message);
}

/** One past the last element of a window that is not empty. */
function end(m: Matrix): number {
  return m.offset + (m.rows - 1) * m.rowStride + (m.cols - 1) * m.colStride + 1;
}

/** Two windows share an element. Column blocks of one matrix do not, though their extents interleave. */
function overlap(a: Matrix, b: Matrix): boolean {
  if (a.storage !== b.storage || a.precision !== b.precision) return false;
  if (a.rows === 0 || a.cols === 0 || b.rows === 0 || b.cols === 0) return false;
  if (end(a) <= b.offset || end(b) <= a.offset) return false;
  const stride = a.rowStride;
  if (a.colStride === 1 && b.colStride === 1 && stride === b.rowStride && stride > 0) {
    // columns from a's first on, counted around the row: a has [0, a.cols), b has [shift, shift + b.cols)
    const shift = (((b.offset - a.offset) % stride) + stride) % stride;
    if (shift >= a.cols && shift + b.cols <= stride) return false;
  }
  return true;
}

export function checkDistinct(name: string, out: Matrix, input: Matrix): void {
  if (overlap(out, input)) fail(`${name} shares memory with an input; write the result elsewhere`);
}

/** An element-wise result may be its own input, but not a window shifted against it: workers would race. */
function checkSameOrDistinct(name: string, out: Matrix, input: Matrix): void {
  const same = out.storage === input.storage && out.offset === input.offset && out.rowStride === input.rowStride;
  if (!same) checkDistinct(name, out, input);
}

export function checkSquare(name: string, m: Matrix): void {
  checkShape(name, m, m.rows, m.rows);
  checkRowMajor(name, m);
}

export function checkGemm(C: Matrix, A: Matrix, B: Matrix, options: GemmOptions): void {
  const m = options.transposeA ? A.cols : A.rows;
  const k = options.transposeA ? A.rows : A.cols;
  const n = options.transposeB ? B.rows : B.cols;
  checkAlive("gemm: A", A);
  checkShape("gemm: B", B, options.transposeB ? n : k, options.transposeB ? k : n, A.precision);
  checkShape("gemm: C", C, m, n, A.precision);
  checkRowMajor("gemm: C", C);
  checkDistinct("gemm: C", C, A);
  checkDistinct("gemm: C", C, B);
}

export function checkSyrk(operation: "syrk" | "syr2k", C: Matrix, A: Matrix, transpose: boolean): void {
  const names = NAMES[operation];
  const n = transpose ? A.cols : A.rows;
  checkAlive(names.A, A);
  checkShape(names.C, C, n, n, A.precision);
  checkRowMajor(names.C, C);
  checkDistinct(names.C, C, A);
}

export function checkSyr2k(C: Matrix, A: Matrix, B: Matrix, transpose: boolean): void {
  checkSyrk("syr2k", C, A, transpose);
  checkShape("syr2k: B", B, A.rows, A.cols, A.precision);
  checkDistinct("syr2k: C", C, B);
}

export function checkGemv(y: Matrix, A: Matrix, x: Matrix, transpose: boolean): void {
  checkAlive("gemv: A", A);
  checkRowMajor("gemv: A", A);
  checkVector("gemv: x", x, transpose ? A.rows : A.cols, A.precision);
  checkVector("gemv: y", y, transpose ? A.cols : A.rows, A.precision);
  checkDistinct("gemv: y", y, A);
  checkDistinct("gemv: y", y, x);
}

export function checkScaleRows(out: Matrix, A: Matrix, s: Matrix): void {
  checkSameShape("scaleRows", A, out);
  checkVector("scaleRows: s", s, A.rows, A.precision);
  checkDistinct("scaleRows", out, s);
}

export function checkScan(shards: readonly Matrix[], query: Matrix): void {
  for (const shard of shards) {
    checkAlive("scan: shard", shard);
    checkRowMajor("scan: shard", shard);
    checkVector("scan: query", query, shard.cols, shard.precision);
  }
}

export function checkSolve(B: Matrix, L: Matrix, side: "left" | "right"): void {
  if (side !== "left" && side !== "right") fail(`solve: side must be left or right, got ${String(side)}`);
  checkSquare("solve: L", L);
  if (side === "left") checkShape("solve: B", B, L.rows, B.cols, L.precision);
  else checkShape("solve: B", B, B.rows, L.rows, L.precision);
  checkRowMajor("solve: B", B);
  checkDistinct("solve: B", B, L);
}

export function checkInverse(out: Matrix, L: Matrix): void {
  checkSquare("inverse: L", L);
  checkShape("inverse: out", out, L.rows, L.rows, L.precision);
  checkRowMajor("inverse: out", out);
  checkDistinct("inverse: out", out, L);
}

export function checkUpdate(L: Matrix, x: Matrix, sign: number): void {
  checkSquare("choleskyUpdate: L", L);
  checkVector("choleskyUpdate: x", x, L.rows, L.precision);
  checkDistinct("choleskyUpdate: x", x, L);
  if (sign !== 1 && sign !== -1) fail(`choleskyUpdate: sign must be 1 or −1, got ${sign}`);
}

export function checkSameShape(name: string, first: Matrix, other: Matrix): void {
  checkAlive(name, first);
  checkRowMajor(name, first);
  checkShape(name, other, first.rows, first.cols, first.precision);
  checkRowMajor(name, other);
  checkSameOrDistinct(name, other, first);
}

const ACTIVATIONS: readonly Activation[] = ["exp", "tanh", "sigmoid", "relu"];

export function checkActivation(name: string, f: Activation): void {
  if (!ACTIVATIONS.includes(f)) fail(`${name}: f must be one of ${ACTIVATIONS.join(", ")}, got ${f}`);
}

export function checkActivate(Y: Matrix, X: Matrix, f: Activation, bias: Matrix | undefined): void {
  checkSameShape("activate", X, Y);
  checkActivation("activate", f);
  if (!bias) return;
  checkVector("activate: bias", bias, X.cols, X.precision);
  checkDistinct("activate", Y, bias);
}

export function checkDropout(out: Matrix, X: Matrix, rate: number): void {
  checkSameShape("dropout", X, out);
  if (!(rate >= 0 && rate < 1)) fail(`dropout: rate must lie in [0, 1), got ${rate}`);
}

/** Below how many of the 2¹⁶ half-words an element is dropped. A rate above 0 drops something, and one below 1 not everything. */
export function dropoutLimit(rate: number): number {
  return rate === 0 ? 0 : Math.min(Math.max(Math.round(rate * 65536), 1), 65535);
}

export function checkConvert(out: Matrix, A: Matrix): void {
  checkAlive("convert: A", A);
  checkShape("convert: out", out, A.rows, A.cols);
  checkDistinct("convert: out", out, A);
}

export function checkSoftmax(
  dLogits: Matrix | null,
  logits: Matrix,
  labels: Indices,
  offsets: Matrix | undefined,
): void {
  checkSameShape("softmaxCrossEntropy", logits, dLogits ?? logits);
  if (logits.rows === 0 || logits.cols === 0)
    fail(`softmaxCrossEntropy: needs at least one row and one column, got ${shape(logits)}`);
  checkLength("softmaxCrossEntropy: labels", labels, logits.rows);
  checkIndices("softmaxCrossEntropy: labels", labels, logits.cols);
  if (offsets) checkVector("softmaxCrossEntropy: offsets", offsets, logits.cols, logits.precision);
}

function checkContiguous(name: string, m: Matrix, like: Matrix): void {
  checkShape(name, m, like.rows, like.cols, like.precision);
  checkRowMajor(name, m);
  if (m.rows > 1 && m.rowStride !== m.cols) fail(`${name} must be contiguous; a view of some columns is not`);
}

export function checkAdamw(
  parameter: Matrix,
  gradient: Matrix,
  mean: Matrix,
  square: Matrix,
  options: AdamwOptions,
): void {
  checkContiguous("adamw: parameter", parameter, parameter);
  checkContiguous("adamw: gradient", gradient, parameter);
  checkContiguous("adamw: mean", mean, parameter);
  checkContiguous("adamw: square", square, parameter);
  checkDistinct("adamw: parameter", parameter, gradient);
  checkDistinct("adamw: parameter", parameter, mean);
  checkDistinct("adamw: parameter", parameter, square);
  checkDistinct("adamw: mean", mean, gradient);
  checkDistinct("adamw: mean", mean, square);
  checkDistinct("adamw: square", square, gradient);
  const { step, learningRate, beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8, weightDecay = 0 } = options;
  if (!Number.isInteger(step) || step < 1) fail(`adamw: step counts from 1, got ${step}`);
  if (!(learningRate >= 0)) fail(`adamw: learningRate must be at least 0, got ${learningRate}`);
  if (!(beta1 >= 0 && beta1 < 1)) fail(`adamw: beta1 must lie in [0, 1), got ${beta1}`);
  if (!(beta2 >= 0 && beta2 < 1)) fail(`adamw: beta2 must lie in [0, 1), got ${beta2}`);
  if (!(epsilon > 0)) fail(`adamw: epsilon must be positive, got ${epsilon}`);
  if (!(weightDecay >= 0)) fail(`adamw: weightDecay must be at least 0, got ${weightDecay}`);
}

export function checkGather(
  operation: "gatherRows" | "scatterAddRows",
  rows: Matrix,
  table: Matrix,
  indices: Indices,
): void {
  const names = NAMES[operation];
  checkAlive(names.table, table);
  checkRowMajor(names.table, table);
  checkLength(names.indices, indices, rows.rows);
  checkShape(names.rows, rows, indices.length, table.cols, table.precision);
  checkRowMajor(names.rows, rows);
  checkDistinct(names.rows, rows, table);
  checkIndices(names.indices, indices, table.rows);
}

export function checkSparse(
  operation: "sparseMultiply" | "sparseMultiplyBackward",
  out: Matrix,
  S: SparseRows,
  W: Matrix,
): void {
  const names = NAMES[operation];
  checkAlive(names.W, W);
  checkRowMajor(names.W, W);
  checkShape(names.W, W, S.cols, W.cols);
  checkShape(names.out, out, S.rows, W.cols, W.precision);
  checkRowMajor(names.out, out);
  checkDistinct(names.out, out, W);
  checkEntries(names, S);
  if (S.values) checkVector(names.values, S.values, S.columns.length, W.precision);
}

export function checkSparseGram(out: Matrix, S: SparseRows, X: Matrix, options: SparseGramOptions): void {
  const names = NAMES.sparseGram;
  checkShape(names.X, X, S.cols, X.cols);
  checkRowMajor(names.X, X);
  checkShape(names.out, out, S.cols, X.cols, X.precision);
  checkRowMajor(names.out, out);
  checkDistinct(names.out, out, X);
  checkEntries(names, S);
  if (S.values) checkVector(names.values, S.values, S.columns.length);
  const { rowScale, columnScale } = options;
  if (rowScale) checkVector(names.rowScale, rowScale, S.rows, X.precision);
  if (columnScale) checkVector(names.columnScale, columnScale, S.cols, X.precision);
}

/** Starts that begin at 0, never fall and end with the last entry; columns that exist. */
function checkEntries(names: Record<"starts" | "columns", string>, S: SparseRows): void {
  checkLength(names.starts, S.starts, S.rows + 1);
  const { data, offset } = S.starts;
  let before = 0;
  for (let i = 0; i <= S.rows; i++) {
    const start = data[offset + i];
    if (i === 0 ? start !== 0 : start < before) {
      fail(`${names.starts} must begin at 0 and never fall, got ${start} at ${i}`);
    }
    before = start;
  }
  if (before !== S.columns.length) fail(`${names.starts} end at ${before}, but there are ${S.columns.length} entries`);
  checkIndices(names.columns, S.columns, S.cols);
}

export function checkLength(name: string, indices: Indices, length: number): void {
  checkAlive(name, indices);
  if (indices.length !== length) {
    throw new NearkinError("SHAPE_MISMATCH", `${name}: expected ${length} of them, got ${indices.length}`);
  }
}

/** Every index lies in [0, limit). */
function checkIndices(name: string, indices: Indices, limit: number): void {
  checkAlive(name, indices);
  const { data, offset, length } = indices;
  for (let i = 0; i < length; i++) {
    const index = data[offset + i];
    if (index < 0 || index >= limit) outOfRange(name, i, index, limit);
  }
}

export function outOfRange(name: string, position: number, index: number, limit: number): never {
  throw new NearkinError(
    "INDEX_OUT_OF_RANGE",
    `${name}: position ${position} holds ${index}; valid are 0 to ${limit - 1}`,
  );
}

/** βᵗ by squaring: the same bits in every JavaScript engine, unlike Math.pow. */
export function integerPower(base: number, exponent: number): number {
  let result = 1;
  for (let b = base, e = exponent; e > 0; e = Math.floor(e / 2)) {
    if (e % 2 === 1) result *= b;
    b *= b;
  }
  return result;
}
