// AdamW on one flat vector of parameters: those that decay first, the rest after. P parameters.
import type { Engine, Matrix, ParameterLayout, Scope } from "@nearkin/core";

/** What AdamW remembers; P numbers each. */
export interface OptimiserState {
  mean: Matrix;
  square: Matrix;
}

export interface StepSizes {
  learningRate: number;
  weightDecay: number;
  /** 1 at the first step of a stage. */
  step: number;
  /** Largest norm of the gradient. @default null, any */
  clip?: number | null;
  /** Learning rate of the channel weights, as a multiple. @default 1 */
  weightRate?: number;
  /** That of any other tensor. @default 1 */
  rateOf?: (tensor: string) => number;
}

/** The learning rate at a step (1 is the first): a linear rise over `warmup`, then constant, or a cosine down to a tenth. */
export function scheduledRate(
  {
    learningRate,
    warmup,
    schedule,
    steps,
  }: { learningRate: number; warmup: number; schedule: "constant" | "cosine"; steps: number },
  step: number,
): number {
  if (step <= warmup) return (learningRate * step) / warmup;
  if (schedule === "constant") return learningRate;
  const progress = Math.min(1, (step - warmup) / Math.max(1, steps - warmup));
  return learningRate * (0.1 + 0.45 * (1 + portableCosine(Math.PI * progress)));
}

/** Math.cos may differ between JavaScript engines in the last bit; a seed must not. Taylor's series, |x| ≤ π. */
function portableCosine(x: number): number {
  let term = 1;
  let sum = 1;
  for (let k = 2; k <= 40; k += 2) {
    term *= -(x * x) / (k * (k - 1));
    sum += term;
  }
  return sum;
}

/**
 * One step: parameters ← AdamW(gradient), the gradient shortened to `clip` first. Returns its norm before.
 * `flat` and `gradient` are (P, 1).
 */
export function optimise(
  engine: Engine,
  { flat, gradient, layout, state }: { flat: Matrix; gradient: Matrix; layout: ParameterLayout; state: OptimiserState },
  { learningRate, weightDecay, step, clip = null, weightRate = 1, rateOf = () => 1 }: StepSizes,
): number {
  using scope = engine.scope();
  const norm = gradientNorm(engine, scope, gradient);
  if (clip !== null && norm > clip) scaleVector(engine, gradient, clip / norm);
  const rates = (name: string) => (name === "weights" ? weightRate : rateOf(name));
  for (const { from, to, decay, rate } of stretches(layout, rates)) {
    const part = (m: Matrix) => m.view(from, to);
    engine.adamw(part(flat), part(gradient), part(state.mean), part(state.square), {
      learningRate: rate * learningRate,
      step,
      weightDecay: decay ? weightDecay : 0,
    });
  }
  return norm;
}

/** Neighbours in the vector that decay alike and learn at the same rate. */
function stretches({ tensors }: ParameterLayout, rateOf: (name: string) => number) {
  const found: { from: number; to: number; decay: boolean; rate: number }[] = [];
  for (const { name, rows, cols, offset, decay } of tensors) {
    const rate = rateOf(name);
    const last = found[found.length - 1];
    if (last?.decay === decay && last.rate === rate) last.to = offset + rows * cols;
    else found.push({ from: offset, to: offset + rows * cols, decay, rate });
  }
  return found;
}

const STRIP = 4096;

/** ‖g‖, summed strip by strip in float64. */
function gradientNorm(engine: Engine, scope: Scope, gradient: Matrix): number {
  const whole = Math.floor(gradient.rows / STRIP);
  let sum = 0;
  if (whole > 0) {
    const squares = scope.matrix(whole, 1, gradient.precision);
    engine.rowNorms(squares, reshaped(gradient, whole, STRIP));
    for (let i = 0; i < whole; i++) sum += squares.data[squares.offset + i];
  }
  for (let i = whole * STRIP; i < gradient.rows; i++) sum += gradient.data[gradient.offset + i] ** 2;
  return Math.sqrt(sum);
}

/** v ← factor·v */
export function scaleVector(engine: Engine, vector: Matrix, factor: number): void {
  using scope = engine.scope();
  const row = reshaped(vector, 1, vector.rows);
  engine.scaleRows(row, row, scope.matrix(1, 1, vector.precision).write([factor]));
}

/** The first rows·cols numbers of a vector as a matrix, sharing them. */
function reshaped(vector: Matrix, rows: number, cols: number): Matrix {
  const window = vector.view(0, rows * cols);
  window.rows = rows;
  window.cols = cols;
  window.rowStride = cols;
  window.colStride = 1;
  return window;
}

/**
 * E ← eE + (1 − e)·weights, an average over the last 1/(1 − e) steps; over all of them at first, e = min(e, (1 + s)/(10 + s)) at step s.
 * Single steps jump about with their batches; what they have in common stays.
 */
export function average(E: Matrix, flat: Matrix, { averaging, step }: { averaging: number; step: number }): void {
  const keep = Math.min(averaging, (1 + step) / (10 + step));
  const to = E.data;
  const from = flat.data;
  for (let i = 0; i < flat.rows; i++) to[E.offset + i] = keep * to[E.offset + i] + (1 - keep) * from[flat.offset + i];
}
