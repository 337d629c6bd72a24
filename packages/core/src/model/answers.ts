// What can be asked of a model, and what it answers.
import { NearkinError } from "../errors.ts";
import type { UserMetric } from "../personal/personalise.ts";
import type { MetricPosterior } from "../personal/posterior.ts";
import type { PersonalRating, RatingEvidence } from "../personal/process.ts";
import type { Question } from "../personal/question.ts";
import type { LiftedItem, LiftedRows } from "../rank/rows.ts";
import type { Draft, EncodeTexts, MissingChannel } from "./draft.ts";
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

export interface EmbedDraftOptions {
  /**
   * `skip` calls no encoder: a channel whose text has no vector yet is missing, with the reason `pending`, to be embedded again when it
   * has. @default "encode"
   */
  pendingTexts?: "encode" | "skip";
  /** Encodes the texts of these drafts. @default the one that the model was opened with */
  encode?: EncodeTexts;
}

/** An item by its id, or one that is in no catalogue. */
export type ItemQuery = string | Draft | EmbeddedDraft;

export interface MetricOptions {
  /**
   * Weights h by channel in place of the learned ones, channels left out keep theirs; or all of them, in order. 1.0 weighs a typical random
   * pair as 1. Not all 0.
   */
  weights?: Readonly<Record<string, number>> | readonly number[] | Float32Array | Float64Array;
  /** β: how much popularity counts; "calibrated" is the β that ranked validation items best. @default 0: pure similarity */
  popularity?: number | "calibrated";
  /**
   * Items that the user met lately, the last one last; of more than ten the last ten. Raises what people with the same items met, in models with a behavior
   * channel, and is not in the list itself. @default nothing
   */
  history?: readonly ItemQuery[];
  /** γ: how much the history counts. @default the γ that ranked held-back items best */
  historyWeight?: number;
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
  /**
   * λ: how much a list shall differ within itself, from 0, the nearest first, to 1, whatever is farthest from those before it. Chosen among the
   * 200 best; what follows them keeps its order, so that a longer list begins with the shorter one. @default 0
   */
  diversity?: number;
  /** Add every channel's contribution, and the rank without it: that of the item if its distance in the channel were 0. @default false */
  explain?: boolean;
}

export interface SimilarItem {
  readonly id: ItemId;
  readonly title: string | null;
  /** Its place in the list, from 1. */
  readonly rank: number;
  /** Where `diversity` was asked for: its rank by score, from 1. What `rankWithout` of a contribution is to be held against. */
  readonly scoreRank?: number;
  /** −t/T + β·log q + γ·f, f the history's part: what the list is sorted by, unless `diversity` was asked for. */
  readonly score: number;
  /** t: the weighted distance; two random items are about Σ h_c apart. */
  readonly distance: number;
  /** Where `explain` was asked for. */
  readonly contributions?: readonly Contribution[];
  /** If there is a history: how much each of its items that counts adds to the score, in its order. */
  readonly lifts?: readonly number[] | undefined;
}

export interface SimilarResult {
  readonly items: readonly SimilarItem[];
  /** Channels of drafts that had no value, with the reason. */
  readonly missing: readonly MissingChannel[];
  /** h by channel, as used. */
  readonly weights: Readonly<Record<string, number>>;
  /** β, as used. */
  readonly popularity: number;
  /** λ, as used. */
  readonly diversity: number;
  /** Items of the history that count, in the order of `lifts`; absent if there are none. */
  readonly history?: readonly MetItem[];
}

/** An item that the user met; a draft has neither id nor title. */
export interface MetItem {
  readonly id: ItemId | null;
  readonly title: string | null;
}

export interface Explanation extends SimilarItem {
  readonly contributions: readonly Contribution[];
  readonly missing: readonly MissingChannel[];
  /** Items of the history that count, in the order of `lifts`; absent if there are none. */
  readonly history?: readonly MetItem[];
}

/** A user's own metric: may be passed to `similar` and `explain` as it is. */
export interface PersonalMetric extends Omit<UserMetric, "weights"> {
  /** h by channel. */
  readonly weights: Readonly<Record<string, number>>;
}

/** How sure a user's metric is: one deviation to each side of every weight, and how weights vary together. */
export interface PersonalPosterior extends Omit<MetricPosterior, "weights"> {
  /** h by channel, in the middle. */
  readonly weights: Readonly<Record<string, number>>;
  /** Standard deviation of each. */
  readonly deviations: Readonly<Record<string, number>>;
}

export interface PersonalPrediction extends Omit<PersonalRating, "evidence"> {
  /** The mean of the user's ratings. */
  readonly centre: number;
  /** A reason for each rating, in the order given: all contributions and the centre add up to the mean. */
  readonly evidence: readonly PersonalReason[];
  readonly missing: readonly MissingChannel[];
}

export interface PersonalReason extends Omit<RatingEvidence, "rated"> {
  readonly id: ItemId;
  readonly title: string | null;
}

/** An item worth asking a user about. */
export interface SuggestedQuestion extends Omit<Question, "item"> {
  readonly id: ItemId;
  readonly title: string | null;
}

export interface PredictedRating extends RatingPrediction {
  readonly missing: readonly MissingChannel[];
}

export interface PredictAllOptions {
  /** Rows to predict, where they are more than the model's: its own first, then those of items that came later. @default the model's */
  rows?: LiftedRows;
  /** Rows whose item is described otherwise than training saw it. */
  replaced?: ReadonlySet<number>;
}

/** Refuses what is neither an id nor a draft: a number would otherwise pass for a draft without values. */
export function checkQuery(query: ItemQuery): void {
  if (typeof query === "string" || isObject(query)) return;
  throw new NearkinError("BAD_ARGUMENT", `expected an item's id, or a draft as an object by channel, ${got(query)}`);
}

/** The same for a draft alone. */
export function checkDraft(draft: Draft): void {
  if (isObject(draft)) return;
  throw new NearkinError(
    "BAD_ARGUMENT",
    `expected a draft as an object by channel, got ${shown(draft)}; items of the catalogue need no embedding: pass their ids on`,
  );
}

/** An id that is none, in words. */
export function checkId(id: string): void {
  if (typeof id !== "string") throw new NearkinError("BAD_ARGUMENT", `expected an item's id, ${got(id)}`);
}

const got = (value: unknown): string =>
  `got ${shown(value)}${typeof value === "number" || typeof value === "bigint" ? `; ids are strings: "${value}"` : ""}`;

/** Maps, dates, lists and arrays of numbers are no drafts. */
const isObject = (value: unknown): boolean => Object.prototype.toString.call(value) === "[object Object]";

/** What came, short enough for a message. */
export function shown(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value.slice(0, 40));
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (typeof value === "object" && value !== null) {
    const kind = Object.prototype.toString.call(value).slice(8, -1);
    return kind === "Object" ? "an object" : `a ${kind}`;
  }
  return typeof value === "function" ? "a function" : String(value);
}

export function isEmbedded(query: Draft | EmbeddedDraft): query is EmbeddedDraft {
  return query.embedding instanceof Float32Array && query.exact instanceof Float64Array;
}
