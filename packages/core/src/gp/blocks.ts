// The blocks of pitc: items that share their nearest inducing item, at most so many each. n items, m inducing items.
import { NearkinError } from "../errors.ts";
import type { DistanceOptions, Engine } from "../linalg/engine.ts";
import { checkRowMajor, checkShape, type Matrix } from "../linalg/matrix.ts";

export interface BlockInputs {
  /** Embeddings of the items (n, d), f64. */
  Z: Matrix;
  /** Embeddings of the inducing items (m, d). */
  inducing: Matrix;
  /** Weights, lengths and which item is which inducing item, as for `distances`. */
  options?: DistanceOptions;
  /** Most items in a block; what is larger is cut into equal parts. @default 512 */
  limit?: number;
}

export interface ItemBlocks {
  /** Items (n), block by block, each in ascending order: gather rows in this order. */
  order: Int32Array;
  /** Where each block begins in `order`, and n. */
  starts: Int32Array;
}

const ROWS = 1024; // at a time: the distances of so many rows are in memory

/**
 * Groups items by their nearest inducing item (of equally near ones the first), empty groups left out. O(n·m·d).
 *
 * @example
 * const engine = await createEngine({ workers: 1 });
 * const scope = engine.scope();
 * const Z = scope.matrix(5, 1).write([0, 9, 1, 8, 0.5]);
 * const inducing = scope.matrix(2, 1).write([0, 10]);
 * const { order, starts } = blocksByNearest(engine, { Z, inducing });
 * Array.from(order) // => [0, 2, 4, 1, 3]
 * Array.from(starts) // => [0, 3, 5]
 */
export function blocksByNearest(engine: Engine, inputs: BlockInputs): ItemBlocks {
  const { Z, inducing, limit = 512 } = inputs;
  checkShape("blocksByNearest: Z", Z, Z.rows, Z.cols, "f64");
  checkRowMajor("blocksByNearest: Z", Z);
  checkShape("blocksByNearest: inducing", inducing, inducing.rows, Z.cols, "f64");
  if (inducing.rows < 1) throw new NearkinError("BAD_ARGUMENT", "blocksByNearest: needs at least one inducing item");
  if (!Number.isInteger(limit) || limit < 1) {
    throw new NearkinError("BAD_ARGUMENT", `blocksByNearest: limit must be a whole number of at least 1, got ${limit}`);
  }
  const groups: number[][] = Array.from({ length: inducing.rows }, () => []);
  nearest(engine, inputs).forEach((group, item) => {
    groups[group].push(item);
  });
  const starts = [0];
  for (const { length } of groups) {
    const parts = Math.ceil(length / limit);
    const before = starts[starts.length - 1];
    for (let part = 1; part <= parts; part++) starts.push(before + Math.round((part * length) / parts));
  }
  return { order: Int32Array.from(groups.flat()), starts: Int32Array.from(starts) };
}

/** For each item the inducing item of least t. */
function nearest(engine: Engine, inputs: BlockInputs): Int32Array {
  const { Z, inducing, options = {} } = inputs;
  const n = Z.rows;
  const m = inducing.rows;
  const found = new Int32Array(n);
  const { rowLengths, same, ...rest } = options;
  const scope = engine.scope();
  try {
    const distances = scope.matrix(Math.min(n, ROWS), m);
    for (let from = 0; from < n; from += ROWS) {
      const to = Math.min(n, from + ROWS);
      const T = distances.view(0, to - from);
      engine.distances(T, Z.view(from, to), inducing, {
        ...rest,
        ...(rowLengths && { rowLengths: stretch(rowLengths, from, to) }),
        ...(same && { same: scope.indices(to - from).write(same.data.subarray(same.offset + from, same.offset + to)) }),
      });
      const { data, offset } = T;
      for (let i = from; i < to; i++) {
        const row = offset + (i - from) * m;
        let best = 0;
        for (let j = 1; j < m; j++) if (data[row + j] < data[row + best]) best = j;
        found[i] = best;
      }
    }
  } finally {
    scope.close();
  }
  return found;
}

/** Elements from … to of a vector. */
function stretch(v: Matrix, from: number, to: number): Matrix {
  return v.cols === 1 ? v.view(from, to) : v.view(0, 1, from, to);
}
