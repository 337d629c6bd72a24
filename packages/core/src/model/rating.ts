// The rating an item can expect, from the Gaussian process (Eq. 3), with how sure that is. All f64, from lifted rows: the kernel of a
// model is v·exp(−½φ(γt)), t from columns that are centred and scaled already, so the weights are γh.
// e embedding columns, p channels, m inducing items
import { selfKernel } from "../gp/inducing.ts";
import { type PlacedPosterior, placePosterior, predict } from "../gp/posterior.ts";
import type { Scope } from "../linalg/arena.ts";
import type { Engine, KernelOptions } from "../linalg/engine.ts";
import type { Matrix } from "../linalg/matrix.ts";
import type { RowLayout } from "../rank/layout.ts";
import type { ModelNoise, ModelParts } from "./parts.ts";

/** What is predicted of an item's mean rating. */
export interface RatingPrediction {
  /** Posterior mean, in the units of the ratings. */
  readonly mean: number;
  /** Of the mean over many ratings: what the posterior leaves open, and what an item has to itself, σ, which no channel tells. */
  readonly deviation: number;
  /** Of a single rating to come: that, and how far people differ about one item. */
  readonly observationDeviation: number;
}

/** An item in the coordinates of a lifted row. */
export interface EmbeddedItem {
  /** (e) */
  readonly embedding: ArrayLike<number>;
  /** (p) */
  readonly masked: ArrayLike<number>;
  /** Its row; −1 for a draft. */
  readonly index: number;
}

/** The posterior in an engine's memory. */
export class RatingModel {
  readonly #engine: Engine;
  readonly #posterior: PlacedPosterior;
  readonly #base: Matrix; // (m, e)
  readonly #options: KernelOptions & { weights: Matrix; columnLengths: Matrix };
  readonly #columns: ReadonlyMap<number, number>; // of inducing items, by row
  readonly #lengths: Float64Array; // (p) γ·h_c·ρ_c/s_c
  readonly #rating: ModelParts["rating"];
  readonly #noise: ModelNoise;

  /** Everything is placed in `scope` at once: nothing is allocated there later. */
  constructor(
    engine: Engine,
    scope: Scope,
    parts: ModelParts & { posterior: NonNullable<ModelParts["posterior"]> },
    metric: { layout: RowLayout; h: Float64Array; b: number; lengths: Float64Array },
  ) {
    const { posterior, items, ensemble } = parts;
    const { layout, h, b, lengths } = metric;
    const { embeddingSize: e, channelCount: p, sizes } = layout;
    const { m, inducing } = posterior;
    this.#engine = engine;
    const weights = h.map((weight) => (parts.kernelScale ?? 1) * weight);
    this.#lengths = lengths.map((length, c) => weights[c] * length);
    this.#rating = parts.rating;
    this.#noise = parts.noise;
    this.#columns = new Map(Array.from(inducing, (item, j) => [item, j]));
    this.#base = scope.matrix(m, e).write(posterior.embeddings);
    this.#posterior = placePosterior(scope, { ...posterior });
    this.#options = {
      weights: scope.matrix(e, 1).write(sizes.flatMap((size, c) => Array<number>(size).fill(weights[c]))),
      columnLengths: scope
        .matrix(m, 1)
        .write(Float64Array.from(inducing, (item) => this.#length(items.masked.subarray(item * p, (item + 1) * p)))),
      link: ensemble.link,
      offset: b,
      variance: parts.signalVariance,
    };
  }

  predict({ embedding, masked, index }: EmbeddedItem): RatingPrediction {
    const engine = this.#engine;
    const scope = engine.scope();
    try {
      const Z = scope.matrix(1, this.#base.cols).write(embedding);
      const Kxm = scope.matrix(1, this.#base.rows);
      engine.kernel(Kxm, Z, this.#base, {
        ...this.#options,
        rowLengths: scope.matrix(1, 1).write([this.#length(masked)]),
        same: scope.indices(1).write([this.#columns.get(index) ?? -1]),
      });
      const diagonal = scope.matrix(1, 1).write([selfKernel(this.#options)]);
      const { mean, variance } = predict(engine, this.#posterior, { Kxm, diagonal });
      const { centre, scale } = this.#rating;
      const { variance: sigma2, perRating } = this.#noise;
      const open = Math.max(0, variance[0]) + sigma2; // an indefinite kernel may leave a variance below 0
      return {
        mean: centre + scale * mean[0], // column 0 is the rating
        deviation: scale * Math.sqrt(open),
        observationDeviation: scale * Math.sqrt(open + perRating),
      };
    } finally {
      scope.close();
    }
  }

  #length(masked: ArrayLike<number>): number {
    let sum = 0;
    for (let c = 0; c < this.#lengths.length; c++) if (masked[c] === 1) sum += this.#lengths[c];
    return sum;
  }
}
