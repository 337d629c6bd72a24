// Factors of all items from two sources: what content foresees, and what people did. The more people met an item, the less its content says:
//
//   v̂_i = v_i + κ/(n_i + κ)·μ_i          v_i = 0 for an item that nobody met
//
// v_i is short for an item that few people met (its shrinkage s), so both parts together are the mean of a posterior whose evidence grows with n_i.
// n items, k factors
import { NearkinError } from "../errors.ts";

export interface BlendInputs {
  /** (n, k) v; empty if nobody met anything. */
  readonly vectors: Float32Array;
  /** (n, k) μ */
  readonly means: Float32Array;
  /** (n) How many people met each item. */
  readonly met: ArrayLike<number>;
  /** κ: people whose evidence counts as much as content. */
  readonly prior: number;
}

/** v̂ (n, k) */
export function blendFactors({ vectors, means, met, prior }: BlendInputs): Float32Array<ArrayBuffer> {
  if (!(prior >= 0 && Number.isFinite(prior))) {
    throw new NearkinError("BAD_ARGUMENT", `blendFactors: prior must be at least 0, got ${prior}`);
  }
  const k = vectors.length / met.length;
  if (!Number.isInteger(k) || means.length !== vectors.length) {
    throw new NearkinError(
      "SHAPE_MISMATCH",
      `blendFactors: ${vectors.length} and ${means.length} numbers are not the factors of ${met.length} items`,
    );
  }
  const blended = new Float32Array(vectors.length);
  for (let i = 0; i < met.length; i++) {
    const share = met[i] > 0 ? prior / (met[i] + prior) : 1;
    for (let j = i * k; j < (i + 1) * k; j++) blended[j] = vectors[j] + share * means[j];
  }
  return blended;
}
