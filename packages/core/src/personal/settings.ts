// What a model knows of users before it meets one: how a user's own metric is fitted, and how metrics differ between users. Stored with the
// model, so that a fit needs nothing but the catalogue's rows and the user's own ratings.
// p channels, P parameters: one for each channel, then β (target `choice`) or b (link `sigmoid`)
import type { Link } from "../linalg/engine.ts";
import type { ChoicePool } from "./choices.ts";

/**
 * What a user's metric is fitted to. `choice`: which items they met, told apart from those they did not. `preference`: the same by a Gaussian process,
 * liked items +1. `rating`: a Gaussian process of their ratings, as in the paper.
 */
export type PersonalTarget = "choice" | "preference" | "rating";

export const personalTargets = ["choice", "preference", "rating"] as const satisfies readonly PersonalTarget[];

/** P */
export const personalParameters = (
  { channels, link }: { channels: readonly unknown[]; link: Link },
  target: PersonalTarget,
): number => channels.length + (target === "choice" || link === "sigmoid" ? 1 : 0);

export interface PersonalSettings {
  readonly target: PersonalTarget;
  /** `map`: the best point under the prior over users. `descent`: gradient steps from its mean, without a prior, as in the paper. */
  readonly fit: "map" | "descent";
  /** A user's last items that count, at most. */
  readonly items: number;
  /** `choice`, κ: items that were met so many places apart, or nearer, are pairs. */
  readonly window: number;
  /** How many items' worth of evidence one item is; pairs of one user are not independent of each other. */
  readonly evidence: number;
  /** Steps of a fit at most. */
  readonly iterations: number;
  /** ω of `descent`. */
  readonly rate: number;
  /** `preference`: items not met, for each that was; they count −½. */
  readonly unseen: number;
  /** `preference`: what an item rated below the user's mean counts. */
  readonly low: number;
}

/** k(t) = v·exp(−½φ(γt)), and the noise around it. */
export interface ProcessScale {
  /** γ: how fast one user's targets change with the distance; items' mean ratings change more slowly. */
  readonly rate: number;
  /** v */
  readonly variance: number;
  /** σ² */
  readonly noise: number;
}

export interface PersonalPrior {
  readonly settings: PersonalSettings;
  /** m (P): the meta-learned weights, in the coordinates that are fitted: θ where weights are softplus(θ), else h; then β or b. */
  readonly mean: Float64Array;
  /** C (P, P) of users' weights around it. */
  readonly covariance: Float64Array;
  /** Users that it was learned from. */
  readonly users: number;
  /** Items drawn once: what a user did not meet. Empty for `rating`. */
  readonly pool: ChoicePool;
  /** Of the target; null for `choice`, which has no process. */
  readonly process: ProcessScale | null;
  /** Of ratings around each user's mean; null where there are none. */
  readonly rating: ProcessScale | null;
}
