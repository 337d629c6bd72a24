// Logistic loss on sampled negatives. A pair's logit is −(w·t + b), w = e^logScale:
//
//   ℓ = mean_i [ log(1 + e^(u_ii)) + k·mean_j log(1 + e^(−u_ij)) ]      u = w·t + b,  P(met together) = σ(−u)
//
// the skip-gram objective (Mikolov et al. 2013, Eq. 4), k negatives for a positive, their expectation taken over m draws that all anchors
// of a batch share. t_ij = ‖z_i − z_j‖² + ρ_i + ρ_j (model.ts). B anchors, e columns.
import { centred, type Engine, exp, type Matrix, portableLog, type Scope } from "@nearkin/core";

export interface NegativeSampling {
  /** (2B + m, e) Anchors, their positives, negatives for all. */
  readonly Z: Matrix;
  /** (2B + m) ρ of each row. */
  readonly lengths: Float64Array;
  /** (2B + m) The items that rows are of: none is a negative of itself. */
  readonly items: ArrayLike<number>;
  /** B */
  readonly anchors: number;
  /** k */
  readonly negatives: number;
  /** (1, 1) */
  readonly logScale: Matrix;
  /** b (1, 1) */
  readonly offset: Matrix;
}

export interface NegativeSamplingGradients {
  /** (2B + m, e) */
  readonly Z: Matrix;
  readonly logScale: Matrix;
  readonly offset: Matrix;
}

/** The loss; gradients are added to. Scratch is of `scope`. */
export function negativeSamplingLoss(
  engine: Engine,
  scope: Scope,
  { Z, lengths, items, anchors: B, negatives: k, logScale, offset }: NegativeSampling,
  gradients: NegativeSamplingGradients,
): number {
  const m = Z.rows - 2 * B;
  const w = exp(logScale.data[logScale.offset]);
  const b = offset.data[offset.offset];
  const [A, N] = centred(engine, scope, Z.view(0, B), Z.view(2 * B, Z.rows)); // or float32 would lose the digits of distances
  const T = scope.matrix(B, m, Z.precision); // t of anchors and negatives, then ∂ℓ/∂t
  engine.distances(T, A, N);
  const t = scope.matrix(B, 1, Z.precision); // the same of anchors and positives
  engine.pairDistances(t, Z.view(0, B), Z.view(B, 2 * B));
  const near = t.data;
  const far = T.data;
  let loss = 0;
  let dLogScale = 0;
  let dOffset = 0;
  /** Adds `share`·log(1 + e^(sign·u)) of a pair at distance t; its ∂ℓ/∂t. */
  const term = (distance: number, sign: 1 | -1, share: number): number => {
    const x = sign * (w * distance + b);
    const small = exp(-Math.abs(x));
    loss += share * (Math.max(x, 0) + portableLog(1 + small));
    const slope = (sign * share * (x >= 0 ? 1 : small)) / (1 + small); // ∂/∂u
    dLogScale += slope * w * distance;
    dOffset += slope;
    return slope * w;
  };
  for (let i = 0; i < B; i++) {
    const own = near[t.offset + i];
    const isSame = items[i] === items[B + i];
    near[t.offset + i] = term(isSame ? own : own + lengths[i] + lengths[B + i], 1, 1 / B);
    for (let j = 0; j < m; j++) {
      const at = T.offset + i * m + j;
      const distance = far[at] + lengths[i] + lengths[2 * B + j];
      far[at] = items[i] === items[2 * B + j] ? 0 : term(distance, -1, k / (B * m));
    }
  }
  const { Z: dZ } = gradients;
  engine.distancesBackward(T, A, N, {}, { rows: dZ.view(0, B), columns: dZ.view(2 * B, dZ.rows) });
  const sides = { rows: dZ.view(0, B), columns: dZ.view(B, 2 * B) };
  engine.pairDistancesBackward(t, Z.view(0, B), Z.view(B, 2 * B), undefined, sides);
  gradients.logScale.data[gradients.logScale.offset] += dLogScale;
  gradients.offset.data[gradients.offset.offset] += dOffset;
  return loss;
}
