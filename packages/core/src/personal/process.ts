// The Gaussian process of one user's ratings under their own metric: what they may think of an item, because of which ratings. The mean is
// linear in the ratings, so its reasons are exact:
//
//   mean(x) = c + Σ_i ω_i·(r_i − c)      ω = S⁻¹k_x      α = S⁻¹(r − c)
//
// Without rating i the centre moves too, where it is the mean of the ratings: by δ = c − c_{−i}, and with α′ = α + δ·S⁻¹1
//
//   mean_{−i}(x) = c_{−i} + k_xᵀα′ − α′_i·ω_i/(S⁻¹)_ii
//
// n rated items, p channels
import { NearkinError } from "../errors.ts";
import type { Engine } from "../linalg/engine.ts";
import { exp } from "../metric/exponential.ts";
import { applyLink } from "../metric/link.ts";
import type { LiftedItem, LiftedRows } from "../rank/rows.ts";
import { channelDistancesOf, channelPairs } from "./channel-pairs.ts";
import type { PersonalKernel } from "./likelihood.ts";

export interface PersonalProcessInputs {
  readonly rows: Pick<LiftedRows, "layout" | "lengths">;
  /** (n) The rated items. */
  readonly items: readonly LiftedItem[];
  /** (n) */
  readonly ratings: ArrayLike<number>;
  /** (p) h of the user, and b. */
  readonly weights: ArrayLike<number>;
  readonly offset?: number;
  readonly kernel: PersonalKernel;
  /** σ² */
  readonly noise: number;
  /** What ratings are measured from. @default their mean */
  readonly centre?: number;
}

/** One reason for a prediction. */
export interface RatingEvidence {
  /** Place among the rated items. */
  readonly rated: number;
  readonly rating: number;
  /** ω_i·(r_i − centre): all of them, and the centre, add up to the mean. */
  readonly contribution: number;
  /** What the mean would be without this rating; null where it is the only one. */
  readonly without: number | null;
}

export interface PersonalRating {
  readonly mean: number;
  /** Of the process itself. */
  readonly deviation: number;
  /** Of a rating to come. */
  readonly observationDeviation: number;
  /** (n) In the order of the items. */
  readonly evidence: readonly RatingEvidence[];
}

export class PersonalProcess {
  readonly centre: number;
  readonly #inputs: PersonalProcessInputs;
  /** (n, n) S⁻¹ */
  readonly #inverse: Float64Array;
  /** (n) S⁻¹(r − c) */
  readonly #alpha: Float64Array;
  /** (n) S⁻¹1 */
  readonly #ones: Float64Array;

  constructor(engine: Engine, inputs: PersonalProcessInputs) {
    const { items, ratings, noise, rows } = inputs;
    const n = items.length;
    if (n < 1 || ratings.length !== n) {
      throw new NearkinError("SHAPE_MISMATCH", `personal process: ${n} items with ${ratings.length} ratings`);
    }
    this.#inputs = inputs;
    this.centre = inputs.centre ?? Array.from(ratings).reduce((sum, rating) => sum + rating / n, 0);
    using scope = engine.scope();
    const L = scope.matrix(n, n);
    const p = rows.layout.channelCount;
    const pairs = channelPairs(engine, rows, items);
    const N = pairs.length / p;
    const distances = new Float64Array(p);
    for (let i = 0, k = 0; i < n; i++) {
      for (let j = 0; j <= i; j++, k++) {
        for (let c = 0; c < p; c++) distances[c] = pairs[c * N + k];
        L.set(i, j, this.#kernel(distances) + (i === j ? noise : 0));
      }
    }
    engine.cholesky(L, { name: "personal process: K + Σ", jitter: {} });
    const inverse = scope.matrix(n, n);
    engine.inverseFromCholesky(inverse, L);
    this.#inverse = Float64Array.from(inverse.read());
    this.#alpha = this.#times(Float64Array.from(ratings, (rating) => rating - this.centre));
    this.#ones = this.#times(new Float64Array(n).fill(1));
  }

  /** What this user may rate an item, and why. O(n² + n·e) */
  predict(item: LiftedItem): PersonalRating {
    const { items, ratings, noise, rows } = this.#inputs;
    const n = items.length;
    const distances = new Float64Array(rows.layout.channelCount);
    const k = Float64Array.from(items, (rated) => {
      channelDistancesOf(distances, rows, rated, item);
      return this.#kernel(distances);
    });
    const omega = this.#times(k);
    let mean = this.centre;
    let [explained, weight] = [0, 0]; // weight: Σ ω_i = k_xᵀS⁻¹1
    for (let i = 0; i < n; i++) {
      mean += k[i] * this.#alpha[i];
      explained += k[i] * omega[i];
      weight += omega[i];
    }
    const without = (i: number): number | null => {
      const shift = this.#shift(i);
      if (shift === undefined) return null;
      const own = this.#alpha[i] + shift * this.#ones[i];
      return mean - shift + shift * weight - (own * omega[i]) / this.#inverse[i * n + i];
    };
    const variance = Math.max(0, this.#kernel(distances.fill(0)) - explained);
    return {
      mean,
      deviation: Math.sqrt(variance),
      observationDeviation: Math.sqrt(variance + noise),
      evidence: Array.from({ length: n }, (_, i) => ({
        rated: i,
        rating: ratings[i],
        contribution: omega[i] * (ratings[i] - this.centre),
        without: without(i),
      })),
    };
  }

  /** What the process says of each rated item without its own rating (Eq. 3 with it left out); null for the only one. */
  leaveOneOut(): ({ readonly mean: number; readonly observationDeviation: number } | null)[] {
    const { ratings } = this.#inputs;
    const n = ratings.length;
    return Array.from({ length: n }, (_, i) => {
      const shift = this.#shift(i);
      if (shift === undefined) return null;
      return {
        mean: ratings[i] - (this.#alpha[i] + shift * this.#ones[i]) / this.#inverse[i * n + i],
        observationDeviation: Math.sqrt(1 / this.#inverse[i * n + i]),
      };
    });
  }

  /** δ = c − c_{−i}; 0 where the centre is given, undefined where no rating is left to have a mean. */
  #shift(i: number): number | undefined {
    const { ratings, centre } = this.#inputs;
    if (centre !== undefined) return 0;
    return ratings.length > 1 ? (ratings[i] - this.centre) / (ratings.length - 1) : undefined;
  }

  /** k at these distances (p). */
  #kernel(distances: Float64Array): number {
    const { weights, offset = 0, kernel } = this.#inputs;
    let t = 0;
    for (let c = 0; c < distances.length; c++) t += weights[c] * distances[c];
    return kernel.variance * exp(-0.5 * applyLink(kernel.link, t, offset));
  }

  /** S⁻¹x */
  #times(x: Float64Array): Float64Array {
    const n = x.length;
    return x.map((_, i) => {
      let sum = 0;
      for (let j = 0; j < n; j++) sum += this.#inverse[i * n + j] * x[j];
      return sum;
    });
  }
}
