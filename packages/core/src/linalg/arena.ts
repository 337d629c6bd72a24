// Memory for matrices: one linear memory, a bump pointer, and scopes that give back all they took when they close.
// Handles and scopes are recycled with the memory, so that a step that opens a scope, computes and closes it leaves nothing
// for the garbage collector.
import { NearkinError } from "../errors.ts";
import { Indices, type Lease, Matrix, type Precision, type Storage } from "./matrix.ts";

const ALIGN = 64; // a cache line
const PAGE = 65536;
export const MAX_PAGES = 65536; // 4 GiB, the most one WebAssembly memory can address

/** A stretch of allocations with one end: everything allocated from it dies when it closes. */
export interface Scope extends Disposable {
  /** A row-major matrix; its contents are whatever was there before. */
  matrix(rows: number, cols: number, precision?: Precision): Matrix;
  /** A row-major matrix of zeros. */
  zeros(rows: number, cols: number, precision?: Precision): Matrix;
  /** Room for whole numbers. */
  indices(length: number): Indices;
  /** Gives the memory back. Scopes close in the reverse order of opening. */
  close(): void;
}

export function checkPrecision(precision: string): void {
  if (precision !== "f32" && precision !== "f64") {
    throw new NearkinError("BAD_ARGUMENT", `precision must be f32 or f64, got ${precision}`);
  }
}

export function checkSize(name: string, value: number): void {
  if (!Number.isInteger(value) || value < 0) {
    throw new NearkinError("BAD_ARGUMENT", `${name} must be a whole number of at least 0, got ${value}`);
  }
}

/** 1536 → "1.5 KiB" */
function bytesText(bytes: number): string {
  const units = ["bytes", "KiB", "MiB", "GiB", "TiB"];
  const power = bytes < 1024 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(bytes) / 10));
  return `${power === 0 ? bytes : (bytes / 1024 ** power).toFixed(1)} ${units[power]}`;
}

/** Allocates in one `WebAssembly.Memory`, growing it when needed. */
export class Arena implements Storage {
  readonly memory: WebAssembly.Memory;
  readonly #limit: number;
  #top: number;
  #depth = 0;
  readonly #scopes: ArenaScope[] = [];
  f32!: Float32Array;
  f64!: Float64Array;
  i32!: Int32Array;

  /** `base`: the first byte that may be given out. */
  constructor(memory: WebAssembly.Memory, base: number, maxPages: number = MAX_PAGES) {
    this.memory = memory;
    this.#limit = maxPages * PAGE;
    this.#top = align(base);
    this.#refresh();
  }

  /** Bytes in use. */
  get used(): number {
    return this.#top;
  }

  /** Bytes the memory has grown to. */
  get capacity(): number {
    return this.memory.buffer.byteLength;
  }

  /** Address of `bytes` bytes, on a cache line. `what` goes into the error when there is no room. */
  allocate(bytes: number, what: string): number {
    const at = this.#top;
    const end = align(at + bytes);
    if (end > this.capacity) this.#grow(end, bytes, what);
    this.#top = end;
    return at;
  }

  open(): Scope {
    let scope = this.#scopes[this.#depth];
    if (scope === undefined) {
      scope = new ArenaScope(this, this.#depth);
      this.#scopes.push(scope);
    }
    scope.enter(this.#top);
    this.#depth++;
    return scope;
  }

  /** Called by a scope that closes. */
  release(depth: number, mark: number): void {
    if (depth !== this.#depth - 1) {
      throw new NearkinError(
        "SCOPE_CLOSED",
        "close: an inner scope is still open; close scopes in the reverse order of opening",
      );
    }
    this.#depth = depth;
    this.#top = mark;
  }

  #grow(end: number, bytes: number, what: string): void {
    try {
      if (end > this.#limit) throw new RangeError("beyond the memory's maximum");
      // A quarter more than asked, so that a growing program does not grow memory at every step; if there is that much.
      const goal = Math.min(this.#limit, Math.max(end, Math.ceil(this.capacity * 1.25)));
      if (goal > end && this.#tryGrow(goal)) return;
      this.memory.grow(Math.ceil((end - this.capacity) / PAGE));
    } catch (cause) {
      throw new NearkinError(
        "OUT_OF_MEMORY",
        `${what}: asked for ${bytesText(bytes)}, with ${bytesText(this.#top)} in use of at most ${bytesText(this.#limit)}; work in smaller batches, or in several shards`,
        { cause },
      );
    }
    this.#refresh();
  }

  #tryGrow(goal: number): boolean {
    try {
      this.memory.grow(Math.ceil((goal - this.capacity) / PAGE));
    } catch {
      return false;
    }
    this.#refresh();
    return true;
  }

  #refresh(): void {
    const buffer = this.memory.buffer as ArrayBuffer;
    this.f32 = new Float32Array(buffer);
    this.f64 = new Float64Array(buffer);
    this.i32 = new Int32Array(buffer);
  }
}

function align(bytes: number): number {
  return Math.ceil(bytes / ALIGN) * ALIGN;
}

class ArenaScope implements Scope {
  readonly #arena: Arena;
  readonly #depth: number;
  readonly #lease: Lease = { generation: 0 };
  readonly #matrices: Matrix[] = [];
  readonly #indices: Indices[] = [];
  #matrixCount = 0;
  #indicesCount = 0;
  #mark = 0;
  #isOpen = false;

  constructor(arena: Arena, depth: number) {
    this.#arena = arena;
    this.#depth = depth;
  }

  enter(mark: number): void {
    this.#mark = mark;
    this.#isOpen = true;
  }

  matrix(rows: number, cols: number, precision: Precision = "f64"): Matrix {
    checkSize("matrix: rows", rows);
    checkSize("matrix: cols", cols);
    checkPrecision(precision);
    this.#checkOpen();
    const size = precision === "f32" ? 4 : 8;
    const offset = this.#arena.allocate(rows * cols * size, "matrix") / size;
    let m = this.#matrices[this.#matrixCount];
    if (m === undefined) {
      m = new Matrix(this.#arena, precision, rows, cols);
      m.lease = this.#lease;
      this.#matrices.push(m);
    }
    this.#matrixCount++;
    m.precision = precision;
    m.rows = rows;
    m.cols = cols;
    m.rowStride = cols;
    m.colStride = 1;
    m.offset = offset;
    m.generation = this.#lease.generation;
    return m;
  }

  zeros(rows: number, cols: number, precision: Precision = "f64"): Matrix {
    const m = this.matrix(rows, cols, precision);
    m.data.fill(0, m.offset, m.offset + rows * cols);
    return m;
  }

  indices(length: number): Indices {
    checkSize("indices: length", length);
    this.#checkOpen();
    const offset = this.#arena.allocate(length * 4, "indices") / 4;
    let v = this.#indices[this.#indicesCount];
    if (v === undefined) {
      v = new Indices(this.#arena, length);
      v.lease = this.#lease;
      this.#indices.push(v);
    }
    this.#indicesCount++;
    v.length = length;
    v.offset = offset;
    v.generation = this.#lease.generation;
    return v;
  }

  close(): void {
    if (!this.#isOpen) return;
    this.#arena.release(this.#depth, this.#mark);
    this.#isOpen = false;
    this.#matrixCount = 0;
    this.#indicesCount = 0;
    this.#lease.generation++;
  }

  [Symbol.dispose](): void {
    this.close();
  }

  #checkOpen(): void {
    if (!this.#isOpen) throw new NearkinError("SCOPE_CLOSED", "matrix: this scope is closed; open a new one");
  }
}
