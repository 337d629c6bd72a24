// The three steps that are timed against PyTorch, each through the functions that training itself calls, and what both sides are given so that
// they can be held against each other: the value, and the gradient by everything that is learned.
import type { Engine, Tensor } from "@nearkin/core";
import type { Flops } from "./train-flops.ts";
import { exactCase, vfeCase } from "./train-likelihood-case.ts";
import { siameseCase } from "./train-siamese-case.ts";

export interface Outcome {
  value: number;
  /** By name; matrices row by row. */
  gradients: Record<string, ArrayLike<number>>;
}

export interface StepTrial {
  /** One whole step. */
  call(): void;
  /** Value and gradients on the inputs of `tensors`, without dropout; before the first call. */
  outcome(): Outcome;
}

export interface StepCase {
  /** As the peer calls it. */
  key: "siamese" | "vfe" | "exact";
  name: string;
  flops: Flops;
  /** Most time, in that of PyTorch. */
  targets: { portable: number; native: number };
  /** Steps in a turn. */
  repeat: number;
  /** Largest relative difference from PyTorch that is still the same numbers. */
  tolerance: number;
  open(engine: Engine): StepTrial;
  /** All that the peer needs; after the first `open`. */
  tensors(): Record<string, Tensor>;
}

export function stepCases(): StepCase[] {
  return [siameseCase(), vfeCase(), exactCase()];
}
