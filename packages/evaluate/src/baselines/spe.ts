// Semi-parametric embedding (SPE), the hybrid that the paper compares with: Hu, Du, Hu & Li, "Hybrid item-item recommendation via
// semi-parametric embedding" (IJCAI 2019). Content and a free vector per item, mixed by a gate on the item's statistics; ratings are the side
// information, all channels the content, as in the experiments on Q1.
//
// Similarity is −‖z_i − z_j‖², learned by a logistic loss on sampled negatives (spe/loss.ts).
// n items, e columns of an embedding
import {
  buildRows,
  type Engine,
  type LiftedRows,
  liftRows,
  measureCentres,
  rowLayout,
  type Scope,
} from "@nearkin/core";
import { type Dataset, itemRoles, openTruth, type TrainingData } from "@nearkin/data";
import { measure, paperMetrics } from "../protocol/measure.ts";
import type { Recommender } from "../protocol/recommender.ts";
import { loadTruths, MAIN_TRUTH, type TruthTable } from "../protocol/truths.ts";
import { metricRecommender } from "./metric.ts";
import { loadSpeContent } from "./spe/content.ts";
import type { SpeSettings } from "./spe/settings.ts";
import { type SpeEmbedded, type SpeResult, type SpeRun, trainSpe } from "./spe/train.ts";

export type { SpeSettings } from "./spe/settings.ts";
export type { SpeProgress, SpeRun } from "./spe/train.ts";

export interface SpeOptions extends SpeSettings, SpeRun {
  /** Holds the rows: as long as it is open, they can be ranked. */
  scope: Scope;
  /** (n) */
  ids: readonly string[];
  data: TrainingData;
}

export interface SpeRecommender extends Recommender {
  /** δ (n): how much of its free vector an item uses; exactly 0 for items without training events. */
  readonly gates: Float64Array;
  /** The step that ranked the validation items best. */
  readonly step: number;
  /** Mean of HR, MRR and NDCG (paper family) on them; null where the dataset has none. */
  readonly score: number | null;
  /** As it was asked for, or chosen by validation items. */
  readonly standOff: boolean;
}

/**
 * Trains SPE on a dataset's training events, and chooses the step by validation items. Similarity is −‖z_i − z_j‖².
 *
 * The same seed gives the same lists, for any number of workers.
 */
export async function spe(engine: Engine, dataset: Dataset, options: SpeOptions): Promise<SpeRecommender> {
  const { scope, ids, data, ...rest } = options;
  const trainItems = Int32Array.from(data.items.ratings.keys()).filter(
    (item) => data.roles[item] === itemRoles.train && data.items.ratings[item] > 0,
  );
  const content = await loadSpeContent(engine, dataset, { trainItems, itemCount: ids.length });
  const truth = await validationTruth(dataset);
  const validate = truth && validationScore(engine, truth, ids);
  const trained = (standOff: boolean) =>
    trainSpe(engine, { content, data, trainItems, validate }, { ...rest, standOff });
  const choices = rest.standOff !== undefined ? [rest.standOff] : validate ? [true, false] : [true];
  let best = await trained(choices[0]);
  for (const standOff of choices.slice(1)) {
    const other = await trained(standOff);
    if ((other.score ?? 0) > (best.score ?? 0)) best = other;
  }
  return speRecommender(engine, best, { scope, ids });
}

/** Embeddings as a metric with a single channel. */
export function speRecommender(
  engine: Engine,
  result: SpeResult,
  { scope, ids }: { scope: Scope; ids: readonly string[] },
): SpeRecommender {
  const { gates, step, score, standOff } = result;
  return { ...recommenderOf(lift(engine, scope, result, ids)), gates, step, score, standOff };
}

const recommenderOf = (rows: LiftedRows) => metricRecommender(rows, { name: "SPE", weights: [1], temperature: 1 });

function lift(
  engine: Engine,
  scope: Scope,
  { embeddings, gates, length }: SpeEmbedded,
  ids: readonly string[],
): LiftedRows {
  const n = ids.length;
  const layout = rowLayout([embeddings.length / n]);
  const masked = Uint8Array.from(gates, (gate) => (gate === 0 ? 1 : 0));
  const scaling = {
    centres: measureCentres(layout, embeddings, new Uint8Array(n)),
    factors: new Float64Array(layout.embeddingSize).fill(1),
    lengths: Float64Array.of(length),
  };
  const values = buildRows(layout, scaling, { embeddings, masked, logPopularity: new Float64Array(n) });
  const rows = scope.matrix(n, layout.width, "f32");
  rows.data.set(values, rows.offset);
  return liftRows(layout, { shards: [{ engine, rows }], masked, lengths: scaling.lengths, ids });
}

/** Queries that a look at the validation items ranks at most. */
const MOST_QUERIES = 1000;

/** null where the dataset holds out no validation items, or none of them has a truth. Test truths stay shut. */
async function validationTruth(dataset: Dataset): Promise<TruthTable | null> {
  const { counts, time } = dataset.manifest;
  if (counts.roles.validation === 0) return null;
  const truths = await loadTruths(await openTruth(dataset), "validation", { hasTimes: time.kind === "seconds" });
  const truth = truths.find(({ name }) => name === MAIN_TRUTH) ?? truths[0];
  const q = truth.queries.length;
  if (q === 0) return null;
  if (q <= MOST_QUERIES) return truth;
  const chosen = Array.from({ length: MOST_QUERIES }, (_, i) => Math.floor((i * q) / MOST_QUERIES));
  return {
    ...truth,
    queries: Int32Array.from(chosen, (r) => truth.queries[r]),
    sets: chosen.map((r) => truth.sets[r]),
  };
}

/** Mean of HR, MRR and NDCG, as training chooses its steps. */
export function validationScore(
  engine: Engine,
  truth: TruthTable,
  ids: readonly string[],
): (embedded: SpeEmbedded) => number {
  return (embedded) => {
    using scope = engine.scope();
    const lists = recommenderOf(lift(engine, scope, embedded, ids)).rank(truth.queries, 10);
    const measured = measure(lists, truth);
    let sum = 0;
    for (const name of paperMetrics) {
      for (const value of measured[name]) sum += value;
    }
    return sum / (3 * truth.queries.length);
  };
}
