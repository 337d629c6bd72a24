// The rating an item can expect, from the Gaussian process (Eq. 3), with how sure that is. All f64, from lifted rows: the kernel of a
// model is v·exp(−½φ(γt)), t from columns that are centred and scaled already, so the weights are γh.
// e embedding columns, p channels, m inducing items, q items asked about
import { selfKernel } from "../gp/inducing.ts";
import { type PlacedPosterior, type Prediction, placePosterior, predict } from "../gp/posterior.ts";
import type { Scope } from "../linalg/arena.ts";
import type { Engine, KernelOptions } from "../linalg/engine.ts";
import type { Indices, Matrix } from "../linalg/matrix.ts";
import type { RowLayout } from "../rank/layout.ts";
import { type LiftedRows, locate } from "../rank/rows.ts";
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

/** The same of many rows of a catalogue. */
export interface RatingPredictions {
  /** (q) Rows. */
  readonly items: Int32Array;
  /** (q) Each as in `RatingPrediction`. */
  readonly mean: Float64Array;
  readonly deviation: Float64Array;
  readonly observationDeviation: Float64Array;
}

const AT_ONCE = 512; // rows of a product: some MiB with a thousand inducing items, and no faster with more

/** An item in the coordinates of a lifted row. */
export interface EmbeddedItem {
  /** (e) */
  readonly embedding: ArrayLike<number>;
  /** (p) */
  readonly masked: ArrayLike<number>;
  /** Its row; −1 for a draft. */
  readonly index: number;
}

/** As much of a model's parts as predictions need: plain data, that another thread can be sent. */
export interface RatingParts
  extends Pick<ModelParts, "ensemble" | "kernelScale" | "signalVariance" | "rating" | "noise"> {
  readonly posterior: NonNullable<ModelParts["posterior"]>;
  readonly items: Pick<ModelParts["items"], "masked">;
}

/** The posterior in an engine's memory: that of a model, or of a thread that has nothing else of it. */
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
    parts: RatingParts,
    metric: { layout: RowLayout; h: Float64Array; b: number; lengths: Float64Array },
  ) {
    const { posterior, items, ensemble } = parts;
    const { layout, h, b, lengths } = metric;
    const { embeddingSize: e, channelCount: p, sizes } = layout;
    const { m, inducing } = posterior;
    this.#engine = engine;
    // Ratings are predicted from what is known of an item, not from who met it.
    const weights = h.map((weight, c) =>
      ensemble.channels[c].input === "factors" ? 0 : (parts.kernelScale ?? 1) * weight,
    );
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
    using scope = this.#engine.scope();
    const Z = scope.matrix(1, this.#base.cols).write(embedding);
    const lengths = scope.matrix(1, 1).write([this.#length(masked)]);
    const same = scope.indices(1).write([this.#columns.get(index) ?? -1]);
    const { mean, variance } = this.#posteriorAt(scope, { Z, lengths, same });
    return this.#inRatings(mean[0], variance[0]);
  }

  /**
   * Of these rows, by products of matrices, `AT_ONCE` at a time: within rounding what `predict` gives of each. A row in `replaced` is no longer
   * the item that training saw under its number.
   */
  predictRows(rows: LiftedRows, items: Int32Array, replaced?: ReadonlySet<number>): RatingPredictions {
    const q = items.length;
    const [mean, deviation, observationDeviation] = [0, 0, 0].map(() => new Float64Array(q));
    for (let from = 0; from < q; from += AT_ONCE) {
      using scope = this.#engine.scope();
      const part = items.subarray(from, from + AT_ONCE);
      const found = this.#posteriorAt(scope, this.#placeRows(scope, rows, part, replaced));
      for (let i = 0; i < part.length; i++) {
        const own = this.#inRatings(found.mean[i * this.#posterior.k], found.variance[i]);
        mean[from + i] = own.mean;
        deviation[from + i] = own.deviation;
        observationDeviation[from + i] = own.observationDeviation;
      }
    }
    return { items, mean, deviation, observationDeviation };
  }

  #placeRows(scope: Scope, rows: LiftedRows, items: Int32Array, replaced: ReadonlySet<number> | undefined): PlacedRows {
    const { embeddingSize: e, channelCount: p } = rows.layout;
    const q = items.length;
    const placed = { Z: scope.matrix(q, e), lengths: scope.matrix(q, 1), same: scope.indices(q) };
    const { Z, lengths, same } = placed;
    for (let i = 0; i < q; i++) {
      const item = items[i];
      const { shard, local } = locate(rows, item);
      const at = shard.offset + local * shard.rowStride;
      Z.data.set(shard.data.subarray(at, at + e), Z.offset + i * e);
      lengths.data[lengths.offset + i] = this.#length(rows.masked, item * p);
      same.data[same.offset + i] = replaced?.has(item) ? -1 : (this.#columns.get(item) ?? -1);
    }
    return placed;
  }

  /** Mean and variance of the latent function, at items in the engine's memory. */
  #posteriorAt(scope: Scope, { Z, lengths: rowLengths, same }: PlacedRows): Prediction {
    const engine = this.#engine;
    const Kxm = scope.matrix(Z.rows, this.#base.rows);
    engine.kernel(Kxm, Z, this.#base, { ...this.#options, rowLengths, same });
    const diagonal = scope.matrix(Z.rows, 1).fill(selfKernel(this.#options));
    return predict(engine, this.#posterior, { Kxm, diagonal });
  }

  /** `mean` of column 0, which is the rating. */
  #inRatings(mean: number, variance: number): RatingPrediction {
    const { centre, scale } = this.#rating;
    const { variance: sigma2, perRating } = this.#noise;
    const open = Math.max(0, variance) + sigma2; // an indefinite kernel may leave a variance below 0
    return {
      mean: centre + scale * mean,
      deviation: scale * Math.sqrt(open),
      observationDeviation: scale * Math.sqrt(open + perRating),
    };
  }

  /** `masked` (p) from `at` on. */
  #length(masked: ArrayLike<number>, at = 0): number {
    let sum = 0;
    for (let c = 0; c < this.#lengths.length; c++) if (masked[at + c] === 1) sum += this.#lengths[c];
    return sum;
  }
}

/** Items in the coordinates of lifted rows, in an engine's memory. */
interface PlacedRows {
  /** (q, e) */
  Z: Matrix;
  /** (q) */
  lengths: Matrix;
  /** (q) The inducing item that each is; −1 where it is none. */
  same: Indices;
}
