// Weights h as callers give them: by the names of channels, or all in order.
import { NearkinError } from "../errors.ts";
import { type MetricOptions, shown } from "./answers.ts";
import { didYouMean, nearestNames } from "./nearest.ts";

/** Channels in order, and what was learned for them. */
export interface LearnedWeights {
  /** (p) */
  readonly names: readonly string[];
  /** (p) h */
  readonly h: Float64Array;
}

/** h of a query (p): the learned ones where none are given. All 0 is refused: no item would be nearer than another. */
export function queryWeights(learned: LearnedWeights, weights: MetricOptions["weights"]): ArrayLike<number> {
  if (weights === undefined) return learned.h;
  const own = channelWeights(learned, weights);
  if (own.length > 0 && Array.from(own).every((weight) => weight === 0)) {
    throw new NearkinError("BAD_ARGUMENT", "weights: all are 0, so no item is nearer than another; leave one above 0");
  }
  return own;
}

/** h (p); channels that are left out keep what was learned. Unknown channels are refused with the nearest name. */
export function channelWeights(
  { names, h: learned }: LearnedWeights,
  weights: NonNullable<MetricOptions["weights"]>,
): ArrayLike<number> {
  // not by `length`: a channel may be called so
  if (Array.isArray(weights) || ArrayBuffer.isView(weights)) return weights as ArrayLike<number>;
  if (typeof weights !== "object" || weights === null) {
    throw new NearkinError(
      "BAD_ARGUMENT",
      `weights: expected numbers by channel, such as { ${names[0]}: 2 }, or a list of all, got ${shown(weights)}`,
    );
  }
  const h = Float64Array.from(learned);
  for (const [name, weight] of Object.entries(weights as Readonly<Record<string, number>>)) {
    const c = names.indexOf(name);
    if (c < 0) {
      const hint = didYouMean(nearestNames(name, names, 1)) || `; the channels are ${names.join(", ")}`;
      throw new NearkinError("BAD_ARGUMENT", `weights: there is no channel "${name}"${hint}`);
    }
    if (typeof weight !== "number" || !Number.isFinite(weight)) {
      throw new NearkinError("BAD_ARGUMENT", `weights: ${name} takes a finite number, got ${shown(weight)}`);
    }
    h[c] = weight;
  }
  return h;
}
