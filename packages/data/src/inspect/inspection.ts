// What `nearkin inspect` finds out about a dataset. This is also the form of its JSON: fields may be added, none is renamed.
import type { QueryRole } from "../dataset/roles.ts";
import type { Manifest } from "../manifest.ts";
import type { Warning } from "./warning.ts";

export interface Inspection {
  name: string;
  id: string;
  /** Users and ratings are made up. */
  simulated: boolean;
  counts: Manifest["counts"];
  /** Interactions over users × items. */
  density: number;
  time: {
    kind: Manifest["time"]["kind"];
    /** ISO 8601, of the first and the last training event; null where the order of rows is all there is. */
    from: string | null;
    to: string | null;
    /** T of the split by time. */
    cut: string | null;
  };
  /** How the data were split: `config.split.by`. */
  split: string;
  /** Training interactions of a training user, and of a training item. */
  perUser: Spread;
  perItem: Spread;
  popularity: Popularity;
  ratings: Manifest["ratings"] & { histogram: Bar[] };
  channels: ChannelInspection[];
  examples: ExampleItem[];
  rejects: RejectSummary;
  /** What the truths hold; null where truth/ is not there. */
  truth: Record<QueryRole, TruthSummary> | null;
  /** What `prepare` had to say. */
  notes: string[];
  warnings: Warning[];
}

export interface Spread {
  least: number;
  q10: number;
  q25: number;
  median: number;
  q75: number;
  q90: number;
  q99: number;
  most: number;
  mean: number;
}

export interface Popularity {
  /** 0: all items are equally popular; towards 1: one has everything. */
  gini: number;
  /** Share of the training interactions that go to the most popular items, at least one of them. */
  top: { items: number; interactions: number }[];
}

/** Ratings from `from` to `to`; a single value where the two are equal, otherwise `to` is not included, but for the last bar. */
export interface Bar {
  from: number;
  to: number;
  count: number;
}

export interface ChannelInspection {
  name: string;
  type: string;
  /** Columns of the item files. */
  columns: string[];
  /** Items with a value, and their share of all items. */
  present: number;
  share: number;
  /** Share of the training items with a value. */
  trainingShare: number;
  /** Occurrences of categories, or texts, that training does not know. */
  unknown: number;
  unreadable: number;
  /** All training items that have a value have the same one. */
  constant: boolean;
  /** Size of the vocabulary, and terms left out of it: categories, and texts by lsa. */
  terms: number | null;
  droppedTerms: number | null;
  /** Of a text channel. */
  encoder: string | null;
  /** Width as stored, and after PCA. */
  width: number | null;
  components: number | null;
  /** Share of the variance that the components keep. */
  explainedVariance: number | null;
  /** Least and largest training value: of numbers, after the logarithm where there is one; of dates, in years since 1970. */
  range: [number, number] | null;
  /** Of a number channel: rank correlation with the mean rating of training items. */
  ratingCorrelation: number | null;
}

export interface ExampleItem {
  /** Why this one. */
  why: string;
  id: string;
  role: string;
  /** Training interactions. */
  interactions: number;
  fields: Record<string, string | null>;
}

export interface RejectSummary {
  total: number;
  /** Most frequent first. */
  reasons: { source: string; column: string | null; reason: string; effect: string; count: number }[];
  /** The first ones as they stand in the files. */
  first: { file: string; line: number; column: string | null; reason: string; value: string | null }[];
}

/** n query items of one role. */
export interface TruthSummary {
  queries: number;
  /** Interactions of a query item over its whole world, those after T included; null without queries. */
  ratings: { least: number; median: number; most: number } | null;
  /** EV4: sizes of G, and queries whose G is empty, per horizon; `days` null is no bound. */
  coInteraction: { days: number | null; mean: number; median: number; empty: number }[];
  /** EV5 */
  affinity: { mean: number; median: number; empty: number };
}
