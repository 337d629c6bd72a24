// What can be asked of a model, and what it answers.
import type { LiftedItem } from "../rank/rows.ts";
import type { Draft, MissingChannel } from "./draft.ts";
import type { Contribution } from "./explain.ts";
import type { ItemId } from "./ids.ts";
import type { CatalogueItem } from "./items.ts";
import type { RatingPrediction } from "./rating.ts";

/** An embedded draft: may be asked about again and again without encoding its texts again. */
export interface EmbeddedDraft extends LiftedItem {
  readonly missing: readonly MissingChannel[];
  /** (e) The columns before rounding to f32. */
  readonly exact: Float64Array;
}

/** An item by its id, or one that is in no catalogue. */
export type ItemQuery = string | Draft | EmbeddedDraft;

export interface MetricOptions {
  /** Weights h by channel in place of the learned ones, channels left out keep theirs; or all of them, in order. 1.0 weighs a typical random pair as 1. */
  weights?: Readonly<Record<string, number>> | ArrayLike<number>;
  /** β: how much popularity counts; "calibrated" is what suited the validation items best. @default 0: pure similarity */
  popularity?: number | "calibrated";
}

export interface CandidateOptions {
  /** Ids never to return, besides the query's own. */
  exclude?: Iterable<string>;
  /** Keeps an item when it returns true. */
  filter?: (item: CatalogueItem) => boolean;
}

export interface ModelSimilarOptions extends MetricOptions, CandidateOptions {
  /** @default 10 */
  k?: number;
  /** Add every channel's contribution, and the rank without it. @default false */
  explain?: boolean;
}

export interface SimilarItem {
  readonly id: ItemId;
  readonly title: string | null;
  /** From 1. */
  readonly rank: number;
  /** −t/T + β·log q: what the list is sorted by. */
  readonly score: number;
  /** t: the weighted distance; two random items are about Σ h_c apart. */
  readonly distance: number;
  /** Where `explain` was asked for. */
  readonly contributions?: readonly Contribution[];
}

export interface SimilarResult {
  readonly items: readonly SimilarItem[];
  /** Channels of drafts that had no value, with the reason. */
  readonly missing: readonly MissingChannel[];
  /** h by channel, as used. */
  readonly weights: Readonly<Record<string, number>>;
  /** β, as used. */
  readonly popularity: number;
}

export interface Explanation extends SimilarItem {
  readonly contributions: readonly Contribution[];
  readonly missing: readonly MissingChannel[];
}

export interface PredictedRating extends RatingPrediction {
  readonly missing: readonly MissingChannel[];
}
