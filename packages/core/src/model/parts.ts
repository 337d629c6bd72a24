// What a model is made of: everything training hands over, and everything a model folder holds. Plain data, nothing recomputed.
// n items, p channels, e = Σ e_c embedding columns, w = e + p + 1 columns of a lifted row, m inducing items, k targets
import type { FoldInSettings } from "../behavior/fold-in.ts";
import type { ChannelTransform } from "../channels/channel.ts";
import type { NumberMode } from "../channels/number.ts";
import type { Likelihood } from "../gp/inputs.ts";
import type { EngineInfo } from "../linalg/engine.ts";
import type { FloatArray } from "../linalg/matrix.ts";
import type { EnsembleConfig, Statistics } from "../metric/ensemble.ts";
import type { PersonalPrior } from "../personal/settings.ts";
import type { ItemId } from "./ids.ts";
import type { FieldShape } from "./shapes.ts";

/** Everything a model folder holds. */
export interface ModelParts {
  /** sha256 of all the rest. `encodeModel` computes it, `decodeModel` sets it. */
  readonly id?: string;
  readonly name: string;
  /** Versions of the programs that made it. */
  readonly tools: Readonly<Record<string, string>>;
  readonly dataset: ModelDataset;
  /** The training configuration with all defaults filled in; JSON. */
  readonly config: Readonly<Record<string, unknown>>;
  /** Seeds by what they seed. */
  readonly seeds: Readonly<Record<string, number>>;
  /** What computed it. */
  readonly engine: ModelEngine;
  readonly stages: readonly ModelStage[];
  readonly warnings: readonly ModelWarning[];
  /** What else is worth keeping: the model it started from, a selection on a split; JSON. */
  readonly notes: Readonly<Record<string, unknown>>;

  /** In the order of `ensemble.channels`. */
  readonly channels: readonly ModelChannel[];
  readonly ensemble: EnsembleConfig;
  /** All parameters, laid out by `ensembleLayout(ensemble)`. */
  readonly parameters: FloatArray;
  readonly statistics: Statistics;
  /** (e) What lifted rows are centred by. */
  readonly centres: Float64Array;
  /** T */
  readonly temperature: number;
  /** β that suits the validation items best. */
  readonly popularity: number;
  /** How much a user's last items count; absent in models without a channel of who met what. */
  readonly history?: ModelHistory;
  /** Settings by which events after training update rows; absent in older models, whose rows stay as they are. */
  readonly updates?: ModelUpdates;
  /** v */
  readonly signalVariance: number;
  /** γ: predictions are made with v·exp(−½φ(γt)), since the scale of t that ranks best need not be the one that predicts best. @default 1 */
  readonly kernelScale?: number;
  readonly noise: ModelNoise;
  /** A rating is centre + scale · target column 0. */
  readonly rating: { readonly centre: number; readonly scale: number };

  readonly items: ModelItems;
  /** null where training had no such stage. */
  readonly posterior: ModelPosterior | null;
  /** What is known of users before one is met; absent where training had too few to learn it from. */
  readonly personal?: PersonalPrior;
  readonly catalogue: ModelCatalogue;
}

/** What decides the numbers; not the number of workers, which decides none of them (but for the native engine, whose threads are part of `library`). */
export type ModelEngine = Pick<EngineInfo, "kind" | "reproducible" | "library">;

export interface ModelDataset {
  readonly id: string;
  readonly name: string;
  /** Users and ratings are made up: said wherever results are shown. */
  readonly simulated: boolean;
}

export interface ModelStage {
  readonly name: string;
  /** Steps done, and the one that was kept. */
  readonly steps: number;
  readonly best: number;
  /** By name; JSON has no NaN, so what was not measured is left out. */
  readonly metrics: Readonly<Record<string, number>>;
}

export interface ModelWarning {
  readonly code: string;
  readonly text: string;
  readonly stage: string | null;
  readonly step: number;
}

/** A channel, from an item's value to the input of its tower. */
export interface ModelChannel {
  readonly name: string;
  readonly transform: ChannelTransform;
  /** What numbers and dates become. */
  readonly numberMode: NumberMode;
  /** What inputs are multiplied by. */
  readonly scale: number;
}

/** The third term of the score, γ·f (rank/history.ts). */
export interface ModelHistory {
  /** γ */
  readonly weight: number;
  /** δ */
  readonly decay: number;
  /** Items that count, the last ones. */
  readonly items: number;
}

/** Settings by which events after training update the rows of a server. */
export interface ModelUpdates {
  /** Time of the last event of training, in seconds since 1970; null where events have no times. */
  readonly time: number | null;
  /** Days after which an event counts half in q; null: all count alike. */
  readonly halfLife: number | null;
  /** Mean weight of the training events in q, if one at `time` weighs 1. */
  readonly perEvent: number;
  /** Absent in models without a channel of who met what. */
  readonly foldIn?: FoldInSettings;
}

/** Σ = σ² + s²/n: variance of the mean of n ratings around the latent target, in units of the targets. */
export interface ModelNoise {
  /** σ² */
  readonly variance: number;
  /** s² */
  readonly perRating: number;
}

export interface ModelItems {
  /** (n, w) Lifted rows. */
  readonly rows: Float32Array;
  /** (n, p) 1 where a channel is a stand-in. */
  readonly masked: Uint8Array;
  /** (n) Training ratings. */
  readonly ratings: Int32Array;
}

/** The posterior of the targets, conditioned on all training items. */
export interface ModelPosterior {
  readonly likelihood: Likelihood;
  readonly m: number;
  readonly k: number;
  /** (m) Rows of the inducing items. */
  readonly inducing: Int32Array;
  /** (m, e) Their embeddings, centred and scaled as in a lifted row, but not rounded. */
  readonly embeddings: Float64Array;
  /** (m, m) */
  readonly L: Float64Array;
  /** (m, m); absent for `exact`. */
  readonly LB?: Float64Array;
  /** (m, k) */
  readonly beta: Float64Array;
  readonly jitter: number;
  readonly shift: number;
}

/** Items as people see them; every array is in the order of the rows. */
export interface ModelCatalogue {
  readonly ids: readonly ItemId[];
  readonly titles: readonly (string | null)[];
  /** 1 where an item file has a row for it. */
  readonly described: Uint8Array;
  readonly fields: ReadonlyMap<string, readonly (string | null)[]>;
  /** How fields are read, by what a filter calls them; absent in models of before (`model.shapes` then looks at the cells). */
  readonly shapes?: ReadonlyMap<string, FieldShape>;
}
