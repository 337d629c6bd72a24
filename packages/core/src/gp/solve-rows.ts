// Solves over many rows: most of what a sparse likelihood does besides products.
import type { Engine } from "../linalg/engine.ts";
import type { Matrix } from "../linalg/matrix.ts";

const WIDTH = 256; // columns of a block; OpenBLAS is fastest with two of them at m = 512
const TALL = 4; // times as many rows as columns, from which inverting blocks pays

/**
 * B ← B·L⁻ᵀ (n, m), n ≫ m. OpenBLAS multiplies at three times the speed at which it solves, so there the diagonal blocks are inverted and
 * the rest are products, as the engine's own solve does it inside with blocks of 64.
 */
export function solveRows(engine: Engine, B: Matrix, L: Matrix): void {
  const n = B.rows;
  const m = L.rows;
  if (engine.info.kind !== "native" || n < TALL * m || m < WIDTH) {
    engine.solveTriangular(B, L, { side: "right", transpose: true });
    return;
  }
  const scope = engine.scope();
  try {
    const copy = scope.matrix(n, WIDTH);
    const inverses = scope.matrix(WIDTH, WIDTH);
    for (let from = 0; from < m; from += WIDTH) {
      const to = Math.min(m, from + WIDTH);
      const block = B.view(0, n, from, to);
      // X_j = (B_j − X_{<j}·L_{j,<j}ᵀ)·L_jj⁻ᵀ
      if (from > 0) {
        const before = B.view(0, n, 0, from);
        engine.gemm(block, before, L.view(from, to, 0, from), { transposeB: true, alpha: -1, beta: 1 });
      }
      const rest = copy.view(0, n, 0, to - from);
      const inverse = inverses.view(0, to - from, 0, to - from);
      setIdentity(inverse);
      engine.solveTriangular(inverse, L.view(from, to, from, to));
      engine.convert(rest, block);
      engine.gemm(block, rest, inverse, { transposeB: true });
    }
  } finally {
    scope.close();
  }
}

export function setIdentity(A: Matrix): void {
  const { data, offset, rowStride, rows } = A;
  for (let i = 0; i < rows; i++) {
    data.fill(0, offset + i * rowStride, offset + i * rowStride + rows);
    data[offset + i * (rowStride + 1)] = 1;
  }
}
