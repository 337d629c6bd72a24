// The ensemble's weights on the way to distances, and back. All channels share one matrix Z (B, e), so a channel's weight becomes
// one number per column, and the axes of stand-ins one length per row:
//
//   t_ab = Σ_j w_j (Z_aj − Z_bj)² + length_a + length_b,      w_j = h_c λ_j²/s_c,      length_i = Σ_c [c of i is a stand-in] h_c ρ_c/s_c
//
// so that a pair of which one has no value is at h_c(‖z̄ − z‖² + ρ_c)/s_c, and one of which neither has at 2h_c ρ_c/s_c.
import { NearkinError } from "../errors.ts";
import { checkVector, type Matrix } from "../linalg/matrix.ts";
import { portableLog } from "../linalg/random.ts";
import { type Parameters, parameter } from "../nn/parameters.ts";
import type { Embedding } from "./embed.ts";
import { type EnsembleConfig, embeddingWidth, type Statistics } from "./ensemble.ts";
import { exp, inverseSoftplus, logistic, softplus } from "./exponential.ts";

/** h (p) and b of the metric. */
export function metricWeights(config: EnsembleConfig, parameters: Parameters): { h: Float64Array; b: number } {
  const { data, offset } = parameter(parameters, "weights");
  const h = Float64Array.from(config.channels, (_, c) => {
    const value = data[offset + c];
    return config.weights === "softplus" ? softplus(value) : value;
  });
  return { h, b: parameter(parameters, "offset").get(0, 0) };
}

/** λ_j² of the columns of one channel: 1 where Λ is the identity. */
export function scaleSquares(
  parameters: Parameters,
  { name, embeddingSize }: { name: string; embeddingSize: number },
): Float64Array {
  const scale = parameters.get(`${name}.scale`);
  return Float64Array.from({ length: embeddingSize }, (_, j) => (scale ? exp(2 * scale.get(0, j)) : 1));
}

/** w_j = h_c λ_j²/s_c into `out`, a vector of e. */
export function columnWeights(
  out: Matrix,
  config: EnsembleConfig,
  parameters: Parameters,
  statistics: Statistics,
): void {
  checkVector("columnWeights: out", out, embeddingWidth(config));
  const { h } = metricWeights(config, parameters);
  const { data, offset } = out;
  let at = offset;
  config.channels.forEach((channel, c) => {
    for (const square of scaleSquares(parameters, channel)) data[at++] = (h[c] / statistics.scales[c]) * square;
  });
}

/** length_i = Σ_c h_c ρ_c/s_c over the stand-ins of row i, into `out`, a vector of B. */
export function rowLengths(
  out: Matrix,
  { masked, maskedCounts, Z }: Embedding,
  config: EnsembleConfig,
  parameters: Parameters,
  statistics: Statistics,
): void {
  checkVector("rowLengths: out", out, Z.rows);
  out.fill(0);
  if (maskedCounts.every((count) => count === 0)) return;
  const p = config.channels.length;
  const { h } = metricWeights(config, parameters);
  const { data, offset } = out;
  for (let i = 0; i < Z.rows; i++) {
    let length = 0;
    for (let c = 0; c < p; c++) {
      if (masked[i * p + c] !== 0) length += (h[c] * statistics.lengths[c]) / statistics.scales[c];
    }
    data[offset + i] = length;
  }
}

/** ∂ℓ/∂length of the rows of one embedding, a vector of B. */
export interface LengthGradient {
  readonly embedding: Pick<Embedding, "masked" | "maskedCounts">;
  readonly gradient: Matrix;
}

/**
 * Adds to the gradients of `weights` (through softplus, where there is one) and of each `.scale`, from ∂ℓ/∂w, a vector of e, and the
 * gradients of lengths: ∂ℓ/∂h_c = Σ_j ∂ℓ/∂w_j·λ_j²/s_c + ρ_c/s_c·Σ ∂ℓ/∂length_i, ∂ℓ/∂(log λ_j) = 2w_j·∂ℓ/∂w_j. s_c and ρ_c are constants.
 */
export function weightsBackward(
  dColumnWeights: Matrix,
  dRowLengths: readonly LengthGradient[],
  { config, parameters, statistics }: { config: EnsembleConfig; parameters: Parameters; statistics: Statistics },
  gradients: Parameters,
): void {
  checkVector("weightsBackward: dColumnWeights", dColumnWeights, embeddingWidth(config));
  const { h } = metricWeights(config, parameters);
  const theta = parameter(parameters, "weights");
  const dTheta = parameter(gradients, "weights");
  let at = dColumnWeights.offset;
  config.channels.forEach((channel, c) => {
    const s = statistics.scales[c];
    const squares = scaleSquares(parameters, channel);
    const dScale = gradients.get(`${channel.name}.scale`);
    let dh = 0;
    for (let j = 0; j < squares.length; j++) {
      const dw = dColumnWeights.data[at++];
      dh += (dw * squares[j]) / s;
      if (dScale) dScale.data[dScale.offset + j] += ((2 * h[c]) / s) * squares[j] * dw;
    }
    for (const { embedding, gradient } of dRowLengths) {
      if (embedding.maskedCounts[c] > 0) dh += (statistics.lengths[c] / s) * sumWhereMasked(embedding, gradient, c);
    }
    const slope = config.weights === "softplus" ? logistic(theta.data[theta.offset + c]) : 1;
    dTheta.data[dTheta.offset + c] += slope * dh;
  });
}

/**
 * h_c ← h_c·s_c^new/s_c^old: after scales were measured anew, all distances between items that have their values stay as they were.
 */
export function rescaleWeights(
  config: EnsembleConfig,
  parameters: Parameters,
  before: Statistics,
  after: Statistics,
): void {
  const { data, offset } = parameter(parameters, "weights");
  for (let c = 0; c < config.channels.length; c++) {
    const ratio = after.scales[c] / before.scales[c];
    if (!(ratio > 0 && ratio < Infinity)) {
      throw new NearkinError(
        "BAD_ARGUMENT",
        `rescaleWeights: channel ${config.channels[c].name}: scales are not positive`,
      );
    }
    data[offset + c] = config.weights === "signed" ? data[offset + c] * ratio : rescaled(data[offset + c], ratio);
  }
}

/** θ′ with softplus(θ′) = ratio·softplus(θ). */
function rescaled(theta: number, ratio: number): number {
  if (ratio === 1) return theta;
  const h = ratio * softplus(theta);
  return h < 1e-15 && theta < -30 ? theta + portableLog(ratio) : inverseSoftplus(h); // far below 0, softplus(θ) is e^θ, and may be 0
}

function sumWhereMasked({ masked, maskedCounts }: LengthGradient["embedding"], gradient: Matrix, c: number): number {
  const p = maskedCounts.length;
  checkVector("weightsBackward: gradient of lengths", gradient, masked.length / p);
  const { data, offset } = gradient;
  let sum = 0;
  for (let i = 0; i * p < masked.length; i++) if (masked[i * p + c] !== 0) sum += data[offset + i];
  return sum;
}
