// The leading singular values and right singular vectors of a matrix known only by products with it: Halko, Martinsson & Tropp,
// "Finding structure with randomness" (SIAM Review, 2011), Algorithms 4.4 and 5.3 applied to the symmetric AᵀA.
// n columns of A (items), l = rank + oversample.
import { NearkinError } from "../../errors.ts";
import type { Engine } from "../engine.ts";
import type { Random } from "../random.ts";
import type { GramOperator } from "./operator.ts";
import { orthonormalize } from "./orthonormalize.ts";
import { fixSign } from "./sign.ts";
import { symmetricEigen } from "./symmetric-eigen.ts";

export interface RandomizedSvdOptions {
  /** How many singular values and vectors. */
  rank: number;
  /** Directions carried along to make the wanted ones converge faster, and then dropped. @default 10 */
  oversample?: number;
  /** Times the basis is multiplied by AᵀA. The error in a vector falls by (σ_{l+1}/σ_j)² each time; one more pass measures. @default 4 */
  iterations?: number;
  /** The stream that draws the first basis. */
  random: Random;
}

export interface RandomizedSvd {
  /** What was asked for, or min(rows, cols) if that is less. */
  rank: number;
  /** (rank), the largest first. */
  singularValues: Float64Array;
  /** (n, rank) row-major: column j is the right singular vector of singularValues[j], its entry of largest magnitude positive. */
  rightVectors: Float64Array;
  /** (rank): ‖AᵀAv_j − σ_j²v_j‖/σ_1². σ_j² is off by at most σ_1² times it; a vector by about that over its gap to the others. */
  residuals: Float64Array;
}

/**
 * A ≈ U·diag(σ)·Vᵀ: σ and V. Costs iterations + 1 passes of `operator.gram` and O(n·l²) for each. Singular values below about 1e-8·σ_1
 * (3e-4·σ_1 from an f32 operator) are rounding: they are square roots of what is left of AᵀA.
 */
export function randomizedSvd(engine: Engine, operator: GramOperator, options: RandomizedSvdOptions): RandomizedSvd {
  const { oversample = 10, iterations = 4, random } = options;
  const least = (name: string, value: number, minimum: number) => {
    if (!Number.isInteger(value) || value < minimum) {
      throw new NearkinError(
        "BAD_ARGUMENT",
        `randomizedSvd: ${name} must be a whole number of at least ${minimum}, got ${value}`,
      );
    }
  };
  least("rank", options.rank, 1);
  least("oversample", oversample, 0);
  least("iterations", iterations, 0);
  const n = operator.cols;
  const limit = Math.min(operator.rows, n);
  const rank = Math.min(options.rank, limit);
  const l = Math.min(rank + oversample, limit);
  const scope = engine.scope();
  try {
    // Alg. 4.4, line 1: Ω, standard normal; line 2 without a product: any basis of its span will do
    let Q = scope.matrix(n, l);
    let Z = scope.matrix(n, l);
    engine.fillNormal(Q, random);
    orthonormalize(engine, Q);
    // Alg. 4.4, lines 3–6: Q ← orth(AᵀA·Q)
    for (let j = 0; j < iterations; j++) {
      operator.gram(Z, Q);
      orthonormalize(engine, Z);
      [Q, Z] = [Z, Q];
    }
    // Alg. 5.3, line 1: B = Qᵀ(AᵀA)Q, symmetric but for rounding
    operator.gram(Z, Q);
    const B = scope.matrix(l, l);
    engine.gemm(B, Q, Z, { transposeA: true });
    // Alg. 5.3, line 2: B = WᵀΛW, rows of W
    const { values, vectors } = symmetricEigen(symmetrized(B.read(), l), l);
    const W = scope.matrix(rank, l).write(vectors.subarray(0, rank * l));
    // Alg. 5.3, line 3: V = QWᵀ, and AᵀAV = ZWᵀ beside it
    const V = scope.matrix(n, rank);
    const image = scope.matrix(n, rank);
    engine.gemm(V, Q, W, { transposeB: true });
    engine.gemm(image, Z, W, { transposeB: true });
    const rightVectors = V.read();
    const residuals = residualNorms(image.read(), rightVectors, values, rank);
    for (let j = 0; j < rank; j++) fixSign(rightVectors, j, n, rank);
    const singularValues = Float64Array.from(values.subarray(0, rank), (value) => Math.sqrt(Math.max(value, 0)));
    return { rank, singularValues, rightVectors, residuals };
  } finally {
    scope.close();
  }
}

/** ½(B + Bᵀ) */
function symmetrized(B: Float64Array, l: number): Float64Array {
  return B.map((value, at) => 0.5 * (value + B[(at % l) * l + Math.floor(at / l)]));
}

function residualNorms(image: Float64Array, V: Float64Array, values: Float64Array, rank: number): Float64Array {
  const squares = new Float64Array(rank);
  for (let at = 0; at < V.length; at += rank) {
    for (let j = 0; j < rank; j++) {
      const r = image[at + j] - values[j] * V[at + j];
      squares[j] += r * r;
    }
  }
  return squares.map((square) => (values[0] > 0 ? Math.sqrt(square) / values[0] : 0));
}
