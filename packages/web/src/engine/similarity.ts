// What the page asks about items, whoever answers: a worker of this page that holds the model, or the server.
import type { Contribution, SimilarItem } from "@nearkin/core";

/** By what items are compared. */
export interface Tuning {
  /** h by channel; channels left out keep what was learned. */
  readonly weights: Readonly<Record<string, number>>;
  /** β: how much popularity counts. */
  readonly popularity: number;
  /** What somebody met lately; undefined leaves it out. */
  readonly history?: AskedHistory | undefined;
}

interface AskedHistory {
  /** Ids, the last one last. */
  readonly items: readonly string[];
  /** In units of what the model chose for it. */
  readonly factor: number;
}

export interface SimilarQuestion extends Tuning {
  /** λ, 0 to 1: how much the list shall differ within itself. */
  readonly diversity: number;
  /** Items of the list. */
  readonly k: number;
}

/** A value of a field. */
export type FieldValue = string | number | boolean | readonly string[] | null;

/** An item as people see it. */
export interface ItemFacts {
  readonly id: string;
  readonly title: string | null;
  /** Ratings it had in training. */
  readonly ratings: number;
  readonly fields: Readonly<Record<string, FieldValue>>;
}

export interface ItemDetails extends ItemFacts {
  /** Channels without a value: a stand-in takes their place. */
  readonly missing: readonly string[];
}

/** An item of a list, with its reasons. */
export interface ExplainedItem extends Omit<SimilarItem, "id" | "contributions" | "lifts"> {
  readonly id: string;
  readonly contributions: readonly Contribution[];
  /** How much each item of the history adds to the score, the most first. @default there is no history */
  readonly raisedBy?: readonly Lift[];
}

export interface Lift {
  /** Of the item that was met. */
  readonly id: string;
  readonly title: string;
  readonly lift: number;
}

/** Lifts with the titles of the items that they are of. */
export const liftsOf = (
  lifts: readonly number[] | undefined,
  met: readonly { readonly id: string | null; readonly title: string | null }[] | undefined,
): Lift[] =>
  (met ?? [])
    .map(({ id, title }, i) => ({ id: id ?? "", title: title ?? id ?? "", lift: lifts?.[i] ?? 0 }))
    .sort((a, b) => b.lift - a.lift);

/** Two items that lie close together. */
export interface ClosePair {
  readonly items: readonly [ItemFacts, ItemFacts];
  readonly distance: number;
}

/** The lists of a whole catalogue, for comparing models. */
export interface CatalogueLists {
  readonly ids: readonly string[];
  readonly titles: readonly (string | null)[];
  /** Ids of the nearest items of each, best first. */
  readonly lists: readonly (readonly string[])[];
}

/** What to begin with. */
export interface Shelves {
  /** `popular`: by the number of ratings; `first`: where only the server knows those, the first of the catalogue. */
  readonly order: "popular" | "first";
  readonly items: readonly ItemFacts[];
  /** None where only the server could find them, and of a large catalogue. */
  readonly pairs: readonly ClosePair[];
}

export interface Similarity {
  /** Who answers. */
  readonly place: "browser" | "server";
  /** The items most similar to one of the catalogue, best first, each with its reasons. */
  similar(item: string, question: SimilarQuestion): Promise<readonly ExplainedItem[]>;
  /** Why an item stands where it does in the list of another, however far down. */
  explain(item: string, other: string, tuning: Tuning): Promise<ExplainedItem>;
  item(id: string): Promise<ItemDetails>;
  /** Items whose title holds these words, the likeliest first. */
  search(text: string, limit: number): Promise<readonly ItemFacts[]>;
  shelves(): Promise<Shelves>;
}
