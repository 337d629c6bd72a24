// What the calculators of this folder demand of numbers.
import { NearkinError } from "@nearkin/core";

function demand(holds: boolean, wanted: string, [name, value]: readonly [string, number]): void {
  if (!holds) throw new NearkinError("BAD_ARGUMENT", `${name} must be ${wanted}, got ${value}`);
}

export const checkWhole = (name: string, value: number, least = 1): void =>
  demand(Number.isSafeInteger(value) && value >= least, `a whole number of at least ${least}`, [name, value]);

export const checkPositive = (name: string, value: number): void =>
  demand(value > 0 && value < Infinity, "above 0 and finite", [name, value]);

export const checkNotNegative = (name: string, value: number): void =>
  demand(value >= 0 && value < Infinity, "at least 0 and finite", [name, value]);

/** Both ends are allowed. */
export const checkBetween = (name: string, value: number, [least, most]: readonly [number, number]): void =>
  demand(value >= least && value <= most, `between ${least} and ${most}`, [name, value]);

/** Strictly between 0 and 1. */
export const checkShare = (name: string, value: number): void =>
  demand(value > 0 && value < 1, "between 0 and 1, neither of them", [name, value]);

/** In (0, 1]: e^(−D/2) of a distance. */
export const checkKernelValue = (name: string, value: number): void =>
  demand(value > 0 && value <= 1, "above 0 and at most 1", [name, value]);
