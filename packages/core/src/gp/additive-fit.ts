// The few numbers of an additive kernel, fitted by Adam: a rate that falls in a line to 0 needs neither a line search nor a stopping rule, and
// gives the same bits everywhere.
import type { Engine } from "../linalg/engine.ts";
import { type AdditiveProblem, additiveNll, additiveSize } from "./additive.ts";

export interface AdditiveFitOptions {
  readonly steps: number;
  /** Of the first step. */
  readonly learningRate: number;
  /** Start: `additiveSize` numbers, which become the result. */
  readonly flat: Float64Array;
  /** 1 where a number stays as it is. @default none */
  readonly fixed?: Uint8Array;
}

/** One step, as it was before the numbers moved. */
export interface AdditiveFitStep {
  /** 1 is the first. */
  readonly step: number;
  /** ℓ/(n·k) */
  readonly value: number;
}

/** Yields after every step, so that a caller may show it, or stop. `flat` is changed in place. */
export function* fitAdditive(
  engine: Engine,
  problem: AdditiveProblem,
  { steps, learningRate, flat, fixed }: AdditiveFitOptions,
): Generator<AdditiveFitStep, void, void> {
  const size = additiveSize(problem.terms);
  const gradient = new Float64Array(size);
  const mean = new Float64Array(size);
  const square = new Float64Array(size);
  const [beta1, beta2, epsilon] = [0.9, 0.999, 1e-8];
  let decay1 = 1;
  let decay2 = 1;
  for (let step = 1; step <= steps; step++) {
    const value = additiveNll(engine, problem, flat, gradient);
    const rate = (learningRate * (steps - step + 1)) / steps;
    decay1 *= beta1;
    decay2 *= beta2;
    for (let i = 0; i < size; i++) {
      if (fixed?.[i] === 1) continue;
      mean[i] = beta1 * mean[i] + (1 - beta1) * gradient[i];
      square[i] = beta2 * square[i] + (1 - beta2) * gradient[i] * gradient[i];
      flat[i] -= (rate * (mean[i] / (1 - decay1))) / (Math.sqrt(square[i] / (1 - decay2)) + epsilon);
    }
    yield { step, value };
  }
}
