// Stage-1 losses: from embeddings and column weights to a mean loss over the rows, and gradients that are ADDED to what is there.
// B rows; e embedding columns; t_ab = Σ_j w_j (Z_aj − Z_bj)² + lengths (weights.ts).
import { NearkinError } from "../errors.ts";
import type { Scope } from "../linalg/arena.ts";
import type { DistanceOptions, Engine, KernelGradients, Link, PairGradients } from "../linalg/engine.ts";
import { checkVector, type Indices, type Matrix } from "../linalg/matrix.ts";
import { centred } from "./centre.ts";
import { logistic, softplus } from "./exponential.ts";
import { applyLink, linkSlope } from "./link.ts";

export interface SoftmaxBatch {
  /** (B, e): anchors. */
  readonly Za: Matrix;
  /** (m, e), m ≥ B: row i is the positive of anchor i, and a negative of all others. */
  readonly Zb: Matrix;
  /** w: a vector of e. */
  readonly weights: Matrix;
  /** T */
  readonly temperature: number;
  /** log q_j of the m candidates: subtracted from their logits. @default none */
  readonly logq?: Matrix;
  /** Also ask each positive for its anchor, among all anchors, and take the mean of both losses; needs m = B. @default false */
  readonly symmetric?: boolean;
  /** log q of the B anchors, for the way back. @default none */
  readonly anchorLogq?: Matrix;
  /** Lengths of the anchors, a vector of B. @default 0 */
  readonly rowLengths?: Matrix;
  /** Lengths of the candidates, a vector of m. @default 0 */
  readonly columnLengths?: Matrix;
}

/** In-batch softmax: logits −t_ij/T − log q_j, label i for row i. Scratch is of `scope`. */
export function softmaxLoss(engine: Engine, scope: Scope, batch: SoftmaxBatch, gradients: KernelGradients): number {
  const { weights, temperature, logq } = batch;
  if (!(temperature > 0))
    throw new NearkinError("BAD_ARGUMENT", `softmaxLoss: temperature must be positive, got ${temperature}`);
  if (batch.Zb.rows < batch.Za.rows) {
    throw new NearkinError(
      "SHAPE_MISMATCH",
      `softmaxLoss: ${batch.Za.rows} anchors, but only ${batch.Zb.rows} candidates`,
    );
  }
  const [Za, Zb] = centred(engine, scope, batch.Za, batch.Zb);
  // −1/T rides in the weights and lengths: then distances are logits, and no pass over (B, m) is spent on it.
  const factor = -1 / temperature;
  const options: DistanceOptions = { weights: multiplied(scope, weights, factor) };
  const own: KernelGradients = { ...gradients };
  if (gradients.weights) own.weights = zerosLike(scope, gradients.weights);
  for (const side of ["rowLengths", "columnLengths"] as const) {
    const lengths = batch[side];
    if (lengths) options[side] = multiplied(scope, lengths, factor);
    if (gradients[side]) own[side] = zerosLike(scope, gradients[side]);
  }
  const logits = scope.matrix(Za.rows, Zb.rows, Za.precision);
  engine.distances(logits, Za, Zb, options);
  const labels = scope.indices(Za.rows);
  for (let i = 0; i < labels.length; i++) labels.data[labels.offset + i] = i;
  const loss = batch.symmetric
    ? bothWays(engine, scope, logits, { ...batch, labels })
    : engine.softmaxCrossEntropy(logits, logits, labels, logq);
  engine.distancesBackward(logits, Za, Zb, options, own);
  for (const key of ["weights", "rowLengths", "columnLengths"] as const) {
    const to = gradients[key];
    const from = own[key];
    if (to && from) addMultiple(to, from, factor);
  }
  return loss;
}

/** ½·(loss of anchor → positive) + ½·(loss of positive → anchor); the logits S become its gradient, ½(∂ℓ₁/∂S + (∂ℓ₂/∂Sᵀ)ᵀ). */
function bothWays(
  engine: Engine,
  scope: Scope,
  S: Matrix,
  { logq, anchorLogq, labels }: Pick<SoftmaxBatch, "logq" | "anchorLogq"> & { labels: Indices },
): number {
  if (S.rows !== S.cols) {
    throw new NearkinError(
      "SHAPE_MISMATCH",
      `softmaxLoss: symmetric takes as many candidates as anchors, got ${S.cols} and ${S.rows}`,
    );
  }
  const back = scope.matrix(S.cols, S.rows, S.precision);
  engine.convert(back, S.transposed());
  const loss =
    engine.softmaxCrossEntropy(S, S, labels, logq) + engine.softmaxCrossEntropy(back, back, labels, anchorLogq);
  const half = scope.matrix(S.rows, 1, S.precision).fill(0.5);
  engine.scaleRows(S, S, half);
  const turned = scope.matrix(S.rows, S.cols, S.precision);
  engine.convert(turned, back.transposed());
  engine.scatterAddRows(S, turned, labels, 0.5); // label i is row i
  return loss / 2;
}

/** Pairs side by side: row i of A with row i of B. */
export interface PairBatch {
  /** (B, e) */
  readonly A: Matrix;
  /** (B, e) */
  readonly B: Matrix;
  /** w: a vector of e. */
  readonly weights: Matrix;
  /** b of the link, see each loss. @default 0 */
  readonly offset?: number;
  /** (B) 0 for similar pairs, 1 for dissimilar ones. */
  readonly labels: ArrayLike<number>;
  /** Lengths of both sides together, a vector of B, added to t. @default 0 */
  readonly lengths?: Matrix;
}

/** What the losses over pairs add to; each is optional. */
export interface PairLossGradients extends PairGradients {
  /** ∂ℓ/∂b (1, 1) */
  readonly offset?: Matrix;
  /** ∂ℓ/∂length: a vector of B. */
  readonly lengths?: Matrix;
}

/** One pair's loss, ∂ℓ/∂t and ∂ℓ/∂b, into `out`. */
type PairTerm = (t: number, dissimilar: boolean, out: { loss: number; slope: number; offsetSlope: number }) => void;

export interface ContrastiveBatch extends PairBatch {
  readonly link: Link;
  /** τ: dissimilar pairs are pushed apart up to here. */
  readonly margin: number;
}

/** Eq. 2: mean of (1 − y)·D + y·max(0, τ − D), D = φ(t). At D = τ the gradient is 0. */
export function contrastiveLoss(
  engine: Engine,
  scope: Scope,
  batch: ContrastiveBatch,
  gradients: PairLossGradients,
): number {
  const { link, margin, offset = 0 } = batch;
  return pairLoss(engine, scope, batch, gradients, (t, dissimilar, out) => {
    const distance = applyLink(link, t, offset);
    const sign = !dissimilar ? 1 : distance < margin ? -1 : 0;
    out.loss = dissimilar ? Math.max(0, margin - distance) : distance;
    out.slope = sign * linkSlope(link, t, offset);
    out.offsetSlope = link === "sigmoid" ? out.slope : 0;
  });
}

/**
 * Binary cross-entropy of P(dissimilar) = σ(t + b), the other output that the paper gives a Siamese net (§2.1, "a probability that
 * they are dissimilar"): mean of (1 − y)·log(1 + e^(t+b)) + y·log(1 + e^(−t−b)).
 *
 * Under the sigmoid link that probability is D itself (Eq. 7). Under the other links the same reading of t holds, and b is an intercept
 * of this loss alone: −log(1 − e^(−D)) would be infinite for a dissimilar pair with D = 0, and D of `saturating` is never above 1.
 */
export function crossEntropyLoss(engine: Engine, scope: Scope, batch: PairBatch, gradients: PairLossGradients): number {
  const { offset = 0 } = batch;
  return pairLoss(engine, scope, batch, gradients, (t, dissimilar, out) => {
    const logit = t + offset;
    out.loss = softplus(dissimilar ? -logit : logit);
    out.slope = dissimilar ? -logistic(-logit) : logistic(logit);
    out.offsetSlope = out.slope;
  });
}

function pairLoss(
  engine: Engine,
  scope: Scope,
  { A, B, weights, labels, lengths }: PairBatch,
  gradients: PairLossGradients,
  term: PairTerm,
): number {
  const n = A.rows;
  if (n === 0 || labels.length !== n) {
    throw new NearkinError(
      "SHAPE_MISMATCH",
      `pair loss: ${labels.length} labels for ${n} pairs; it takes one each, and a pair`,
    );
  }
  if (lengths) checkVector("pair loss: lengths", lengths, n, A.precision);
  if (gradients.lengths) checkVector("pair loss: gradients.lengths", gradients.lengths, n, A.precision);
  const t = scope.matrix(n, 1, A.precision);
  engine.pairDistances(t, A, B, weights);
  const own = { loss: 0, slope: 0, offsetSlope: 0 };
  const { data, offset: at } = t;
  let loss = 0;
  let dOffset = 0;
  for (let i = 0; i < n; i++) {
    term(data[at + i] + (lengths ? lengths.data[lengths.offset + i] : 0), labels[i] !== 0, own);
    loss += own.loss;
    dOffset += own.offsetSlope;
    data[at + i] = own.slope / n; // from here on ∂ℓ/∂t
  }
  if (gradients.offset) gradients.offset.data[gradients.offset.offset] += dOffset / n;
  if (gradients.lengths) addMultiple(gradients.lengths, t, 1);
  const { rows, columns, weights: dWeights } = gradients;
  engine.pairDistancesBackward(t, A, B, weights, {
    ...(rows && { rows }),
    ...(columns && { columns }),
    ...(dWeights && { weights: dWeights }),
  });
  return loss / n;
}

/** factor·v, in the scope. */
function multiplied(scope: Scope, v: Matrix, factor: number): Matrix {
  const out = zerosLike(scope, v);
  addMultiple(out, v, factor);
  return out;
}

function zerosLike(scope: Scope, v: Matrix): Matrix {
  return scope.zeros(v.rows, v.cols, v.precision);
}

/** out += factor·v, vectors of the same length. */
function addMultiple(out: Matrix, v: Matrix, factor: number): void {
  const to = out.data;
  const from = v.data;
  const n = v.rows * v.cols;
  for (let i = 0; i < n; i++) to[out.offset + i] += factor * from[v.offset + i];
}
