// Solves over many rows: most of what a sparse likelihood does besides products.
import type { Engine } from "../linalg/engine.ts";
import type { Matrix } from "../linalg/matrix.ts";

const WIDTH = 256; // columns of a block; OpenBLAS is fastest with two of them at m = 512
const TALL = 4; // times as many rows as columns, from which inverting blocks pays

interface Rows {
  /** (n, m), not part of `out`. */
  source: Matrix;
  /** s (n). @default all 1 */
  scale?: Matrix;
  /** (m, m), lower. */
  L: Matrix;
}

/**
 * out (n, m) = diag(s)·source·L⁻ᵀ, n ≫ m. OpenBLAS multiplies at three times the speed at which it solves, so there the diagonal blocks are
 * inverted and the rest are products, as the engine's own solve does it inside with blocks of 64.
 */
export function solveRows(engine: Engine, out: Matrix, rows: Rows): void {
  const { source, L } = rows;
  if (engine.info.kind === "native" && source.rows >= TALL * L.rows && L.rows >= WIDTH) solveBlocks(engine, out, rows);
  else {
    scaled(engine, out, source, rows.scale);
    engine.solveTriangular(out, L, { side: "right", transpose: true });
  }
}

// X_j = (A_j − X_{<j}·L_{j,<j}ᵀ)·L_jj⁻ᵀ, block column by block column
function solveBlocks(engine: Engine, out: Matrix, { source, scale, L }: Rows): void {
  const n = source.rows;
  const m = L.rows;
  const scope = engine.scope();
  try {
    const rest = scope.matrix(n, WIDTH);
    const inverses = scope.matrix(WIDTH, WIDTH);
    for (let from = 0; from < m; from += WIDTH) {
      const to = Math.min(m, from + WIDTH);
      const block = rest.view(0, n, 0, to - from);
      scaled(engine, block, source.view(0, n, from, to), scale);
      if (from > 0) {
        const before = out.view(0, n, 0, from);
        engine.gemm(block, before, L.view(from, to, 0, from), { transposeB: true, alpha: -1, beta: 1 });
      }
      const inverse = inverses.view(0, to - from, 0, to - from);
      setIdentity(inverse);
      engine.solveTriangular(inverse, L.view(from, to, from, to));
      engine.gemm(out.view(0, n, from, to), block, inverse, { transposeB: true });
    }
  } finally {
    scope.close();
  }
}

function scaled(engine: Engine, out: Matrix, A: Matrix, scale: Matrix | undefined): void {
  if (scale) engine.scaleRows(out, A, scale);
  else engine.convert(out, A);
}

export function setIdentity(A: Matrix): void {
  const { data, offset, rowStride, rows } = A;
  for (let i = 0; i < rows; i++) {
    data.fill(0, offset + i * rowStride, offset + i * rowStride + rows);
    data[offset + i * (rowStride + 1)] = 1;
  }
}
