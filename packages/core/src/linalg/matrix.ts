import { NearkinError } from "../errors.ts";

/** Element type of a matrix. */
export type Precision = "f32" | "f64";
export type FloatArray = Float32Array | Float64Array;

/** Where numbers live: an arena in linear memory (its views change when it grows), or arrays of the host's own. */
export interface Storage {
  readonly f32: Float32Array;
  readonly f64: Float64Array;
  readonly i32: Int32Array;
}

/** The life of a scope: handles remember the generation they were born in. */
export interface Lease {
  generation: number;
}

const FOREVER: Lease = { generation: 0 };

/**
 * A dense matrix: a window of rows × cols on a storage, element (i, j) at `offset + i·rowStride + j·colStride`.
 * Row-major matrices have `colStride` 1; a transposed view swaps the two strides and copies nothing.
 */
export class Matrix {
  storage: Storage;
  precision: Precision;
  rows: number;
  cols: number;
  rowStride: number;
  colStride: number;
  /** Of element (0, 0), in elements. */
  offset: number;
  lease: Lease;
  generation: number;

  constructor(storage: Storage, precision: Precision, rows: number, cols: number) {
    this.storage = storage;
    this.precision = precision;
    this.rows = rows;
    this.cols = cols;
    this.rowStride = cols;
    this.colStride = 1;
    this.offset = 0;
    this.lease = FOREVER;
    this.generation = 0;
  }

  /** The storage's whole array; index it with `offset` and the strides. Fetch it anew after anything that may allocate. */
  get data(): FloatArray {
    return this.precision === "f32" ? this.storage.f32 : this.storage.f64;
  }

  get(i: number, j: number): number {
    this.#check(i, j);
    return this.data[this.offset + i * this.rowStride + j * this.colStride];
  }

  set(i: number, j: number, value: number): void {
    this.#check(i, j);
    this.data[this.offset + i * this.rowStride + j * this.colStride] = value;
  }

  /** Rows [fromRow, toRow) and columns [fromCol, toCol) of this matrix, sharing its numbers. */
  view(fromRow: number, toRow: number, fromCol = 0, toCol = this.cols): Matrix {
    const inside = (from: number, to: number, size: number) =>
      Number.isInteger(from) && Number.isInteger(to) && 0 <= from && from <= to && to <= size;
    if (!inside(fromRow, toRow, this.rows) || !inside(fromCol, toCol, this.cols)) {
      throw new NearkinError(
        "SHAPE_MISMATCH",
        `view: rows ${fromRow}–${toRow}, columns ${fromCol}–${toCol} do not lie in ${shape(this)}`,
      );
    }
    const window = this.#alias(toRow - fromRow, toCol - fromCol);
    window.offset = this.offset + fromRow * this.rowStride + fromCol * this.colStride;
    return window;
  }

  /** The transpose, sharing the numbers. */
  transposed(): Matrix {
    const window = this.#alias(this.cols, this.rows);
    window.rowStride = this.colStride;
    window.colStride = this.rowStride;
    return window;
  }

  /** Copies `values` in, row by row. */
  write(values: ArrayLike<number>): this {
    if (values.length !== this.rows * this.cols) {
      throw new NearkinError(
        "SHAPE_MISMATCH",
        `write: ${shape(this)} takes ${this.rows * this.cols} numbers, got ${values.length}`,
      );
    }
    checkAlive("write", this);
    const { data, offset, rowStride, colStride, cols } = this;
    for (let i = 0; i < this.rows; i++) {
      for (let j = 0; j < cols; j++) data[offset + i * rowStride + j * colStride] = values[i * cols + j];
    }
    return this;
  }

  /** The numbers, row by row, in an array of their own. */
  read(): Float64Array {
    checkAlive("read", this);
    const { data, offset, rowStride, colStride, cols } = this;
    const out = new Float64Array(this.rows * cols);
    for (let i = 0; i < this.rows; i++) {
      for (let j = 0; j < cols; j++) out[i * cols + j] = data[offset + i * rowStride + j * colStride];
    }
    return out;
  }

  fill(value: number): this {
    checkAlive("fill", this);
    const { data, offset, rowStride, colStride } = this;
    for (let i = 0; i < this.rows; i++) {
      for (let j = 0; j < this.cols; j++) data[offset + i * rowStride + j * colStride] = value;
    }
    return this;
  }

  #alias(rows: number, cols: number): Matrix {
    const window = new Matrix(this.storage, this.precision, rows, cols);
    window.rowStride = this.rowStride;
    window.colStride = this.colStride;
    window.offset = this.offset;
    window.lease = this.lease;
    window.generation = this.generation;
    return window;
  }

  #check(i: number, j: number): void {
    if (!(i >= 0 && i < this.rows && j >= 0 && j < this.cols && Number.isInteger(i) && Number.isInteger(j))) {
      throw new NearkinError("INDEX_OUT_OF_RANGE", `element (${i}, ${j}) is outside ${shape(this)}`);
    }
    checkAlive("matrix", this);
  }
}

/** Whole numbers, for rows to gather and labels. */
export class Indices {
  storage: Storage;
  length: number;
  /** Of the first one, in elements of 4 bytes. */
  offset = 0;
  lease: Lease = FOREVER;
  generation = 0;

  constructor(storage: Storage, length: number) {
    this.storage = storage;
    this.length = length;
  }

  get data(): Int32Array {
    return this.storage.i32;
  }

  write(values: ArrayLike<number>): this {
    if (values.length !== this.length) {
      throw new NearkinError("SHAPE_MISMATCH", `write: expected ${this.length} indices, got ${values.length}`);
    }
    checkAlive("write", this);
    const { data, offset } = this;
    for (let i = 0; i < values.length; i++) {
      if ((values[i] | 0) !== values[i]) {
        throw new NearkinError("BAD_ARGUMENT", `write: indices are whole numbers below 2^31, got ${values[i]} at ${i}`);
      }
      data[offset + i] = values[i];
    }
    return this;
  }
}

const EMPTY_F32 = new Float32Array(0);
const EMPTY_F64 = new Float64Array(0);
const EMPTY_I32 = new Int32Array(0);

/**
 * A row-major matrix on an array of the host's own: features of a catalogue, say, from which batches are gathered.
 *
 * @example
 * hostMatrix(new Float32Array([1, 2, 3, 4, 5, 6]), 2, 3).get(1, 0) // => 4
 */
export function hostMatrix(array: FloatArray, rows: number, cols: number): Matrix {
  if (!(array instanceof Float32Array || array instanceof Float64Array)) {
    throw new NearkinError("BAD_ARGUMENT", "hostMatrix: expected a Float32Array or a Float64Array");
  }
  if (!Number.isInteger(rows) || !Number.isInteger(cols) || rows < 0 || cols < 0 || array.length !== rows * cols) {
    throw new NearkinError(
      "SHAPE_MISMATCH",
      `hostMatrix: (${rows}, ${cols}) takes ${rows * cols} numbers, got ${array.length}`,
    );
  }
  const f32 = array instanceof Float32Array ? array : EMPTY_F32;
  const f64 = array instanceof Float64Array ? array : EMPTY_F64;
  return new Matrix({ f32, f64, i32: EMPTY_I32 }, array instanceof Float32Array ? "f32" : "f64", rows, cols);
}

/** Indices on an array of the host's own. */
export function hostIndices(array: Int32Array): Indices {
  if (!(array instanceof Int32Array)) throw new NearkinError("BAD_ARGUMENT", "hostIndices: expected an Int32Array");
  return new Indices({ f32: EMPTY_F32, f64: EMPTY_F64, i32: array }, array.length);
}

export function shape(m: Matrix): string {
  return `(${m.rows}, ${m.cols})`;
}

/** A handle outlives its scope only by mistake: the memory behind it belongs to someone else by then. */
export function checkAlive(name: string, m: Matrix | Indices): void {
  if (m.generation !== m.lease.generation) {
    throw new NearkinError(
      "SCOPE_CLOSED",
      `${name}: the scope that owned this memory is closed; allocate it in an outer scope`,
    );
  }
}

/** Throws unless m is alive, of this precision and shape. */
export function checkShape(
  name: string,
  m: Matrix,
  rows: number,
  cols: number,
  precision: Precision = m.precision,
): void {
  checkAlive(name, m);
  if (m.rows !== rows || m.cols !== cols) {
    throw new NearkinError("SHAPE_MISMATCH", `${name}: expected (${rows}, ${cols}), got ${shape(m)}`);
  }
  if (m.precision !== precision) {
    throw new NearkinError(
      "SHAPE_MISMATCH",
      `${name}: expected ${precision} like the other operands, got ${m.precision}`,
    );
  }
}

/** Throws unless rows of m are contiguous. */
export function checkRowMajor(name: string, m: Matrix): void {
  if (m.colStride !== 1 && m.cols > 1 && m.rows > 0) {
    throw new NearkinError(
      "SHAPE_MISMATCH",
      `${name}: must be row-major (column stride 1, got ${m.colStride}); copy the transposed view first`,
    );
  }
}

/** Throws unless m is n numbers in one run: (n, 1) or (1, n). */
export function checkVector(name: string, m: Matrix, n: number, precision: Precision = m.precision): void {
  checkAlive(name, m);
  const fits = (m.cols === 1 && m.rows === n) || (m.rows === 1 && m.cols === n);
  if (!fits) throw new NearkinError("SHAPE_MISMATCH", `${name}: expected a vector of ${n}, got ${shape(m)}`);
  if (m.precision !== precision) {
    throw new NearkinError(
      "SHAPE_MISMATCH",
      `${name}: expected ${precision} like the other operands, got ${m.precision}`,
    );
  }
  const stride = m.cols === 1 ? m.rowStride : m.colStride;
  if (n > 1 && stride !== 1) {
    throw new NearkinError(
      "SHAPE_MISMATCH",
      `${name}: must be contiguous, got stride ${stride}; copy the column first`,
    );
  }
}
