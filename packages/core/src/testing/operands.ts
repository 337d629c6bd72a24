// The same numbers twice: for the engine under test, at its precision and often as a window of a larger matrix, and for the
// oracle, in f64. What surrounds a window is a frame that nobody may touch, and inputs may not change.
import type { Scope } from "../linalg/arena.ts";
import { hostIndices, hostMatrix, type Indices, type Matrix, type Precision } from "../linalg/matrix.ts";
import { Random } from "../linalg/random.ts";

/** How a matrix lies in memory: alone, as a window of a larger one, or as the transposed view of such a window. */
export type Layout = "tight" | "window" | "transposed";
export const LAYOUTS: readonly Layout[] = ["tight", "window", "transposed"];

export interface Pair {
  own: Matrix;
  oracle: Matrix;
}

interface Frame {
  name: string;
  whole: Matrix;
  before: Float64Array;
  /** In the window or not, element by element of `whole`; absent when nothing at all may change. */
  free?: (i: number, j: number) => boolean;
}

export class Operands {
  readonly scope: Scope;
  readonly precision: Precision;
  readonly random: Random;
  readonly #frames: Frame[] = [];

  constructor(scope: Scope, precision: Precision, seed: number) {
    this.scope = scope;
    this.precision = precision;
    this.random = new Random(seed);
  }

  /** Uniform in [low, high), exactly representable at the operands' precision. */
  draw(low = -1, high = 1): number {
    return this.round(low + (high - low) * this.random.uniform());
  }

  round(x: number): number {
    return this.precision === "f32" ? Math.fround(x) : x;
  }

  draws(count: number, low = -1, high = 1): Float64Array {
    return Float64Array.from({ length: count }, () => this.draw(low, high));
  }

  /** A matrix that is read and must come out unchanged; NaN around it. */
  input(rows: number, cols: number, layout: Layout = "tight", values = this.draws(rows * cols)): Pair {
    return this.#place("input", { rows, cols, layout, values });
  }

  /** A matrix that is written, and read too where the operation says so. */
  output(rows: number, cols: number, layout: Layout = "tight", values = this.nothing(rows * cols)): Pair {
    return this.#place("output", { rows, cols, layout, values });
  }

  /** n numbers in one run, not at the start of what was allocated. */
  vector(n: number, values = this.draws(n)): Pair {
    return this.#place("input", { rows: n, cols: 1, layout: "window", values, margin: [1, 2, 0, 0] });
  }

  outputVector(n: number, values = this.nothing(n)): Pair {
    return this.#place("output", { rows: n, cols: 1, layout: "window", values, margin: [1, 2, 0, 0] });
  }

  /** NaN: an operation that reads it shows it. */
  nothing(count: number): Float64Array {
    return new Float64Array(count).fill(Number.NaN);
  }

  indices(values: ArrayLike<number>): { own: Indices; oracle: Indices } {
    return { own: this.scope.indices(values.length).write(values), oracle: hostIndices(Int32Array.from(values)) };
  }

  /** Throws if a frame or an input was written to. */
  checkUntouched(): void {
    for (const { name, whole, before, free } of this.#frames) {
      const now = whole.read();
      for (let at = 0; at < now.length; at++) {
        if (Object.is(now[at], before[at])) continue;
        const i = Math.floor(at / whole.cols);
        const j = at % whole.cols;
        if (!free?.(i, j)) {
          throw new Error(`${name}: element (${i}, ${j}) of its surroundings went from ${before[at]} to ${now[at]}`);
        }
      }
    }
  }

  #place(
    role: "input" | "output",
    what: { rows: number; cols: number; layout: Layout; values: Float64Array; margin?: readonly number[] },
  ): Pair {
    const { rows, cols, layout, values } = what;
    const [top, bottom, left, right] = layout === "tight" ? [0, 0, 0, 0] : (what.margin ?? [1, 2, 3, 2]);
    const [r, c] = layout === "transposed" ? [cols, rows] : [rows, cols];
    const whole = this.scope.matrix(top + r + bottom, left + c + right, this.precision);
    whole.fill(role === "input" ? Number.NaN : -7.25);
    const window = whole.view(top, top + r, left, left + c);
    const own = layout === "transposed" ? window.transposed() : window;
    own.write(values);
    const inside = (i: number, j: number) => i >= top && i < top + r && j >= left && j < left + c;
    this.#frames.push({
      name: `${role} (${rows}, ${cols}, ${layout})`,
      whole,
      before: whole.read(),
      ...(role === "output" && { free: inside }),
    });
    return { own, oracle: hostMatrix(Float64Array.from(values), rows, cols) };
  }
}

/** A copy of the numbers of m, each through f. */
export function mapped(m: Matrix, f: (x: number) => number): Matrix {
  return hostMatrix(m.read().map(f), m.rows, m.cols);
}
