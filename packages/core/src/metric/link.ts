// The link φ, D = φ(t), of one number: for losses over pairs and for explanations. Matrices go through engine.kernel.
//
//   linear t      saturating 1 − e^−t      sigmoid σ(t + b) (Eq. 7)
import type { Link } from "../linalg/engine.ts";
import { exp, expm1, logistic } from "./exponential.ts";

/**
 * D = φ(t). The offset b is the sigmoid's alone.
 *
 * @example
 * applyLink("linear", 2) // => 2
 * applyLink("sigmoid", 1, -1) // => 0.5
 * applyLink("saturating", 0) // => 0
 */
export function applyLink(link: Link, t: number, offset = 0): number {
  if (link === "linear") return t;
  return link === "saturating" ? 0 - expm1(-t) : logistic(t + offset); // 0 −: never −0
}

/** φ′(t), which for the sigmoid is ∂D/∂b as well. */
export function linkSlope(link: Link, t: number, offset = 0): number {
  if (link === "linear") return 1;
  if (link === "saturating") return exp(-t);
  return logistic(t + offset) * logistic(-t - offset);
}
