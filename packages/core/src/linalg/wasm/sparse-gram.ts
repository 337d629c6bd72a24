// Aᵀ(A·X) for a sparse A: who computes which columns of X, and how a matrix outside the arena passes through it.
import { checkSparseGram } from "../contract.ts";
import { type Grams, NO_OPTIONS, type SparseRows } from "../engine.ts";
import type { Indices, Matrix, Precision } from "../matrix.ts";
import { cut, type Pool } from "./pool.ts";

const THRESHOLD = 1 << 14; // multiply-adds below which one thread does it alone
const LINE = 64; // bytes of a panel's row: a cache line
/**
 * Entries copied in at a time. Each block goes through every panel, and a panel should not be left before it has paid for its misses.
 * The first blocks are smaller: V8 runs a kernel's first call with code it compiled in haste, to its end.
 */
const BLOCK = 1 << 22;
const FIRST_BLOCK = 1 << 16;

/** A run of rows of S that lies in the arena; entry e of S is number e − base of `columns` and `values`. */
interface Block {
  from: number;
  to: number;
  base: number;
  starts: Indices;
  columns: Indices;
  values: Matrix | undefined;
}

export function grams(pool: Pool): Grams {
  const pack = pool.kernel("panel_pack");
  const unpack = pool.kernel("panel_unpack");
  const gram = pool.kernel("sparse_gram");

  function* blocks(S: SparseRows, precision: Precision): Generator<Block> {
    const { starts, columns, values } = S;
    const inside = (m: Matrix | Indices) => m.storage === pool.arena;
    if (inside(starts) && inside(columns) && (!values || (inside(values) && values.precision === precision))) {
      yield { from: 0, to: S.rows, base: 0, starts, columns, values };
      return;
    }
    const start = (u: number) => starts.data[starts.offset + u];
    const scope = pool.arena.open();
    try {
      let longest = 0;
      for (let u = 0; u < S.rows; u++) longest = Math.max(longest, start(u + 1) - start(u));
      const room = Math.min(columns.length, Math.max(BLOCK, longest));
      const ownStarts = scope.indices(S.rows + 1);
      const ownColumns = scope.indices(room);
      const ownValues = values && scope.matrix(room, 1, precision);
      ownStarts.data.set(starts.data.subarray(starts.offset, starts.offset + S.rows + 1), ownStarts.offset);
      let limit = FIRST_BLOCK;
      for (let from = 0, to = 0; from < S.rows; from = to) {
        const base = start(from);
        while (to < S.rows && (to === from || start(to + 1) - base <= limit)) to++;
        limit = Math.min(room, 2 * limit);
        const copied = (offset: number) => [offset + base, offset + start(to)] as const;
        ownColumns.data.set(columns.data.subarray(...copied(columns.offset)), ownColumns.offset);
        // an array of the other precision is converted on the way
        if (values && ownValues) ownValues.data.set(values.data.subarray(...copied(values.offset)), ownValues.offset);
        yield { from, to, base, starts: ownStarts, columns: ownColumns, values: ownValues };
      }
    } finally {
      scope.close();
    }
  }

  return {
    sparseGram(out, S, X, options = NO_OPTIONS) {
      checkSparseGram(out, S, X, options);
      const { rowScale, columnScale } = options;
      const { precision } = X;
      const width = LINE / (precision === "f32" ? 4 : 8);
      const panels = Math.ceil(X.cols / width);
      if (panels === 0 || S.cols === 0) return;
      const parts = Math.min(panels, pool.share((S.columns.length + S.cols) * X.cols, THRESHOLD));
      const first = (t: number) => cut(panels, parts, t, 1);
      const scope = pool.arena.open();
      try {
        const P = scope.matrix(panels * S.cols, width, precision); // diag(c)·X, panel after panel
        const Q = scope.zeros(panels * S.cols, width, precision); // Sᵀdiag(r²)S·P

        for (let t = 0; t < parts; t++) {
          const j = first(t) * width;
          pool
            .job(t)
            .put(S.cols)
            .put(X.cols - j)
            .put(first(t + 1) - first(t));
          pool
            .putRows(X, 0, j)
            .putVector(columnScale)
            .put(pool.address(P, first(t) * S.cols));
        }
        pool.run(pack[precision], parts);

        for (const block of blocks(S, precision)) {
          for (let t = 0; t < parts; t++) {
            pool
              .job(t)
              .put(block.to - block.from)
              .put(S.cols)
              .put(first(t + 1) - first(t));
            pool.putIndices(block.starts, block.from).put(block.base).putIndices(block.columns);
            pool.putVector(block.values).putVector(rowScale, block.from);
            pool.put(pool.address(P, first(t) * S.cols)).put(pool.address(Q, first(t) * S.cols));
          }
          pool.run(gram[precision], parts);
        }

        for (let t = 0; t < parts; t++) {
          const j = first(t) * width;
          pool
            .job(t)
            .put(S.cols)
            .put(X.cols - j)
            .put(first(t + 1) - first(t));
          pool
            .putRows(out, 0, j)
            .putVector(columnScale)
            .put(pool.address(Q, first(t) * S.cols));
        }
        pool.run(unpack[precision], parts);
      } finally {
        scope.close();
      }
    },
  };
}
