// Scores of all rows for a block of queries. One scan per query would read all rows each time: n·w·4 bytes at the speed of memory, the bound
// this is measured against (bench/evaluate.ts). A block of queries against a block of rows is a matrix product instead, which reads them
// once for the whole block, and its scores are looked through while they are in the cache.
// B queries of a block, n rows, w columns of a row
import type { Scope } from "../linalg/arena.ts";
import type { Engine } from "../linalg/engine.ts";
import type { Matrix } from "../linalg/matrix.ts";
import type { RowClasses } from "./equal-rows.ts";
import type { Query } from "./query.ts";
import type { LiftedRows } from "./rows.ts";

const ROWS = 1024; // times 256 queries are 1 MiB of scores: they stay in a core's cache
const TRANSPOSED = { transposeB: true } as const;

/** Scores without the query's constant: row `first + j` has `data[at + j]`, for j < count. */
export interface ScoreRun {
  data: Float32Array;
  at: number;
  count: number;
  first: number;
}

/** Calls `look` with the f32 scores of query i, run by run, for every query and all rows: those of the classes where they are given. */
export function scanBlock(
  rows: LiftedRows,
  { queries, classes }: { queries: readonly Query[]; classes?: RowClasses | undefined },
  look: (i: number, run: ScoreRun) => void,
): void {
  if (classes) {
    scanBlocks(rows.shards[0].engine, classes.count, { queries, columns: classes.columns, first: 0, look }, (scope) => {
      // Copied block by block: a product takes what lies in the engine's memory, and blocks stay in the cache.
      const v = classes.columns.length;
      const copy = scope.matrix(Math.min(ROWS, classes.count), v, "f32");
      return (at, end) => copy.view(0, end - at).write(classes.values.subarray(at * v, end * v));
    });
    return;
  }
  let first = 0;
  for (const { engine, rows: shard } of rows.shards) {
    scanBlocks(engine, shard.rows, { queries, first, look }, () => (at, end) => shard.view(at, end));
    first += shard.rows;
  }
}

interface Scan {
  queries: readonly Query[];
  /** Of the queries' vectors. @default all */
  columns?: Int32Array;
  /** Number of the first row. */
  first: number;
  look: (i: number, run: ScoreRun) => void;
}

/** Multiplies the rows that `open` lays in the engine's memory, a block at a time. */
function scanBlocks(
  engine: Engine,
  count: number,
  { queries, columns, first, look }: Scan,
  open: (scope: Scope) => (at: number, end: number) => Matrix,
): void {
  const scope = engine.scope();
  try {
    const Q = queryMatrix(scope, queries, columns); // (B, w)
    const S = scope.matrix(queries.length, Math.min(ROWS, Math.max(count, 1)), "f32");
    const blockOf = open(scope);
    const run: ScoreRun = { data: S.data as Float32Array, at: 0, count: 0, first };
    for (let at = 0; at < count; at += ROWS) {
      const end = Math.min(at + ROWS, count);
      const scores = S.view(0, queries.length, 0, end - at); // (B, rows of the block)
      engine.gemm(scores, Q, blockOf(at, end), TRANSPOSED);
      run.count = end - at;
      run.first = first + at;
      for (let i = 0; i < queries.length; i++) {
        run.at = scores.offset + i * scores.rowStride;
        look(i, run);
      }
    }
  } finally {
    scope.close();
  }
}

function queryMatrix(scope: Scope, queries: readonly Query[], columns: Int32Array | undefined): Matrix {
  const Q = scope.matrix(queries.length, columns?.length ?? queries[0].vector.length, "f32");
  const data = Q.data as Float32Array;
  queries.forEach(({ vector }, i) => {
    if (columns) for (let j = 0; j < columns.length; j++) data[Q.offset + i * Q.rowStride + j] = vector[columns[j]];
    else data.set(vector, Q.offset + i * Q.rowStride);
  });
  return Q;
}
