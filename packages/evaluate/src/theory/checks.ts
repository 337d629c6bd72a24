// What the calculators of this folder demand of numbers.
import { NearkinError } from "@nearkin/core";

function demand(holds: boolean, name: string, wanted: string, value: number): void {
  if (!holds) throw new NearkinError("BAD_ARGUMENT", `${name} must be ${wanted}, got ${value}`);
}

export const checkWhole = (name: string, value: number, least = 1): void =>
  demand(Number.isSafeInteger(value) && value >= least, name, `a whole number of at least ${least}`, value);

export const checkPositive = (name: string, value: number): void =>
  demand(value > 0 && value < Infinity, name, "above 0 and finite", value);

export const checkNotNegative = (name: string, value: number): void =>
  demand(value >= 0 && value < Infinity, name, "at least 0 and finite", value);

/** Strictly between 0 and 1. */
export const checkShare = (name: string, value: number): void =>
  demand(value > 0 && value < 1, name, "between 0 and 1, neither of them", value);

/** In (0, 1]: e^(−D/2) of a distance. */
export const checkKernelValue = (name: string, value: number): void =>
  demand(value > 0 && value <= 1, name, "above 0 and at most 1", value);
