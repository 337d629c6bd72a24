// Noise per item: Σ_i = σ² + s²/n_i, where the target of an item is a mean over its n_i ratings.
import { NearkinError } from "../errors.ts";
import { checkVector, type Matrix } from "../linalg/matrix.ts";

export interface NoiseInputs {
  /** σ², the same for every item. */
  variance: number;
  /** s², of a single rating. @default 0 */
  ratingVariance?: number;
  /** n_i (n), at least 1; needed where s² > 0. */
  counts?: ArrayLike<number>;
}

/**
 * out (n) = σ² + s²/n_i.
 *
 * @example
 * const out = hostMatrix(new Float64Array(2), 2, 1);
 * itemNoise(out, { variance: 1, ratingVariance: 5, counts: [1, 10] });
 * Array.from(out.read()) // => [6, 1.5]
 */
export function itemNoise(out: Matrix, inputs: NoiseInputs): void {
  const n = checkNoiseInputs("itemNoise", out, inputs);
  const { variance, ratingVariance = 0, counts } = inputs;
  for (let i = 0; i < n; i++) {
    out.data[out.offset + i] = counts && ratingVariance > 0 ? variance + ratingVariance / counts[i] : variance;
  }
}

/** From ∂ℓ/∂Σ_i (n) to ∂ℓ/∂σ² = Σ_i g_i and ∂ℓ/∂s² = Σ_i g_i/n_i. For log σ multiply by 2σ². */
export function noiseBackward(gradient: Matrix, inputs: NoiseInputs): { variance: number; ratingVariance: number } {
  const n = checkNoiseInputs("noiseBackward", gradient, inputs);
  let variance = 0;
  let ratingVariance = 0;
  for (let i = 0; i < n; i++) {
    const g = gradient.data[gradient.offset + i];
    variance += g;
    if (inputs.counts) ratingVariance += g / inputs.counts[i];
  }
  return { variance, ratingVariance };
}

function checkNoiseInputs(name: string, vector: Matrix, inputs: NoiseInputs): number {
  const { variance, ratingVariance = 0, counts } = inputs;
  const n = vector.rows * vector.cols;
  checkVector(name, vector, n, "f64");
  if (!(variance > 0) || variance === Infinity) {
    throw new NearkinError("BAD_ARGUMENT", `${name}: variance must be above 0 and finite, got ${variance}`);
  }
  if (!(ratingVariance >= 0) || ratingVariance === Infinity) {
    throw new NearkinError(
      "BAD_ARGUMENT",
      `${name}: ratingVariance must be at least 0 and finite, got ${ratingVariance}`,
    );
  }
  if (ratingVariance > 0 && counts?.length !== n) {
    throw new NearkinError("SHAPE_MISMATCH", `${name}: ${n} items take ${n} counts, got ${counts?.length ?? "none"}`);
  }
  for (let i = 0; i < (counts?.length ?? 0); i++) {
    if (!(Number(counts?.[i]) >= 1)) {
      throw new NearkinError("BAD_ARGUMENT", `${name}: counts are at least 1, got ${counts?.[i]} at ${i}`);
    }
  }
  return n;
}
