// Who met it, in closed form: behavior factors of items that people know, and what content foresees of them for items that nobody met. No metric is trained;
// it answers known and new items alike.
import {
  type BehaviorSettings,
  behaviorFactors,
  type ContentInput,
  channelInput,
  type Engine,
  type Foresight,
  type Matrix,
  Random,
  type Scope,
} from "@nearkin/core";
import { type Dataset, loadChannels, type TrainingData } from "@nearkin/data";
import type { PersonalRecommender } from "../evaluate-users.ts";
import type { Recommender } from "../protocol/recommender.ts";
import { scoredRecommender } from "./scored.ts";

export interface BehaviorSpaceOptions extends BehaviorSettings {
  /** Holds the factors. */
  scope: Scope;
  /** What content foresees, of the same items. */
  foresight: Foresight;
  /** (n) How many people met each item. */
  met: ArrayLike<number>;
  /** k @default 128 */
  rank?: number;
  seed: number;
}

/** Factors of all items, where an engine can multiply them. */
export interface BehaviorSpace {
  readonly engine: Engine;
  /** (n, k) */
  readonly V: Matrix;
}

/** Inputs of all channels that have content, as towers get them. */
export async function contentInputs(
  engine: Engine,
  dataset: Dataset,
  { itemCount, trainItems }: { itemCount: number; trainItems: Int32Array },
): Promise<ContentInput[]> {
  const inputs: ContentInput[] = [];
  for (const [, { transform, tensors }] of await loadChannels(dataset)) {
    const options = { numberMode: "bins", scaling: "norm", fitOn: trainItems, itemCount } as const;
    const { input } = channelInput(engine, transform, tensors, options);
    if (input.kind !== "identity") inputs.push(input);
  }
  return inputs;
}

/** Factors of items that somebody met, and what content foresees for the others. */
export function behaviorSpace(
  engine: Engine,
  { histories, itemCount: n }: Pick<TrainingData, "histories" | "itemCount">,
  { scope, foresight, met, rank = 128, seed, ...settings }: BehaviorSpaceOptions,
): BehaviorSpace {
  const { vectors, rank: k } = behaviorFactors(engine, histories, {
    itemCount: n,
    rank,
    random: new Random(seed).split("behavior", "factors"),
    ...settings,
  });
  const means = foresight.means(vectors);
  const V = scope.matrix(n, k, "f32");
  for (let item = 0; item < n; item++) {
    V.data.set((met[item] > 0 ? vectors : means).subarray(item * k, (item + 1) * k), V.offset + item * k);
  }
  return { engine, V };
}

interface RecommenderOptions {
  /** Holds what it computes with. */
  scope: Scope;
  ids: readonly string[];
  /** As tables print it. */
  name: string;
}

/** Candidates by the inner product of their factors with the query's. */
export function behaviorBaseline({ engine, V }: BehaviorSpace, { scope, ...named }: RecommenderOptions): Recommender {
  const scores = scope.matrix(V.rows, 1, "f32");
  const vector = scope.matrix(V.cols, 1, "f32");
  return scoredRecommender({
    ...named,
    score: (query, out) => {
      vector.data.fill(0, vector.offset, vector.offset + V.cols);
      addUnit(vector, V, query, 1);
      engine.gemv(scores, V, vector);
      out.set(scores.data.subarray(scores.offset, scores.offset + V.rows));
    },
  });
}

export interface HistoryOptions extends RecommenderOptions {
  /** γ: what the user's last items weigh beside the query. */
  weight: number;
  /** Each step back counts so much of the one before. @default 0.9 */
  decay?: number;
  /** Items that count. @default 10 */
  last?: number;
}

/**
 * The same for a user: candidates by v_j·(v̂_q + γ·Σ_s w_s v̂_s), where v̂ has length 1, s are the items that the user met last, and the weights
 * w_s sum to 1. The user adds to the query vector, so the scan stays what it is.
 */
export function behaviorWithHistory(
  { engine, V }: BehaviorSpace,
  { scope, ids, name, weight, decay = 0.9, last = 10 }: HistoryOptions,
): PersonalRecommender {
  const scores = scope.matrix(V.rows, 1, "f32");
  const vector = scope.matrix(V.cols, 1, "f32");
  return {
    name,
    of: ({ support }) =>
      scoredRecommender({
        ids,
        name,
        score: (query, out) => {
          vector.data.fill(0, vector.offset, vector.offset + V.cols);
          addUnit(vector, V, query, 1);
          const items = support.slice(-last).reverse();
          const sum = items.reduce((total, _, back) => total + decay ** back, 0);
          items.forEach((item, back) => {
            addUnit(vector, V, item, (weight * decay ** back) / sum);
          });
          engine.gemv(scores, V, vector);
          out.set(scores.data.subarray(scores.offset, scores.offset + V.rows));
        },
      }),
  };
}

/** to += factor·v̂, v̂ the factors of an item at length 1; nothing for an item without any. */
function addUnit(to: Matrix, V: Matrix, item: number, factor: number): void {
  const at = V.offset + item * V.cols;
  let square = 0;
  for (let j = 0; j < V.cols; j++) square += V.data[at + j] * V.data[at + j];
  if (square === 0) return;
  const scale = factor / Math.sqrt(square);
  for (let j = 0; j < V.cols; j++) to.data[to.offset + j] += scale * V.data[at + j];
}
