// Who met it, in closed form: behavior factors of items that people know, and what content foresees of them for items that nobody met. No metric is trained;
// it answers known and new items alike.
import {
  type BehaviorSettings,
  behaviorFactors,
  type ContentInput,
  channelInput,
  type Engine,
  type Foresight,
  Random,
  type Scope,
} from "@nearkin/core";
import { type Dataset, loadChannels, type TrainingData } from "@nearkin/data";
import type { Recommender } from "../protocol/recommender.ts";
import { scoredRecommender } from "./scored.ts";

export interface BehaviorBaselineOptions extends BehaviorSettings {
  /** Holds the factors: as long as it is open, they can be ranked. */
  scope: Scope;
  ids: readonly string[];
  /** What content foresees, of the same items. */
  foresight: Foresight;
  /** (n) How many people met each item. */
  met: ArrayLike<number>;
  /** As tables print it. @default "behavior factors" */
  name?: string;
  /** k @default 128 */
  rank?: number;
  seed: number;
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

/** Candidates by the inner product of their factors with the query's. */
export function behaviorBaseline(
  engine: Engine,
  { histories, itemCount: n }: Pick<TrainingData, "histories" | "itemCount">,
  options: BehaviorBaselineOptions,
): Recommender {
  const { scope, ids, foresight, met, name = "behavior factors", rank = 128, seed, ...settings } = options;
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
  const scores = scope.matrix(n, 1, "f32");
  const v = scope.matrix(k, 1, "f32");
  return scoredRecommender({
    name,
    ids,
    score: (query, out) => {
      v.data.copyWithin(v.offset, V.offset + query * k, V.offset + (query + 1) * k); // one memory holds both
      engine.gemv(scores, V, v);
      out.set(scores.data.subarray(scores.offset, scores.offset + n));
    },
  });
}
