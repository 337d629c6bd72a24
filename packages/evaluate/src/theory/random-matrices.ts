// Matrices by chance, to check the lemmas on.
import type { Engine, Matrix, Random } from "@nearkin/core";

const WIDTH = 4; // of the items that a kernel is made of

/** K (n, n) with k = exp(−½D), of items by chance, two of which are about 1 apart. */
export function randomKernel(engine: Engine, K: Matrix, random: Random): void {
  const n = K.rows;
  using scope = engine.scope();
  const Z = scope.matrix(n, WIDTH);
  engine.fillNormal(Z, random);
  const weights = scope.matrix(WIDTH, 1).fill(1 / (2 * WIDTH));
  const same = scope.indices(n).write(Array.from({ length: n }, (_, i) => i));
  engine.kernel(K, Z, Z, { weights, same });
}

/** A (n, n) = BBᵀ/n of normal numbers: symmetric, positive semi-definite. */
export function randomGram(engine: Engine, A: Matrix, random: Random): void {
  using scope = engine.scope();
  const B = scope.matrix(A.rows, A.rows);
  engine.fillNormal(B, random);
  engine.syrk(A, B, { alpha: 1 / A.rows });
}
