// A dataset as evaluation sees it: what training was given, and the truths that it was not.
import { portableLog } from "@nearkin/core";
import {
  type Dataset,
  itemRoles,
  loadItems,
  loadTraining,
  openTruth,
  type QueryRole,
  type TrainingData,
  type TruthItems,
} from "@nearkin/data";
import { loadTruths, type TruthTable } from "./protocol/truths.ts";
import type { EvaluatedDataset } from "./result.ts";

/** n items. */
export interface Split {
  readonly dataset: Dataset;
  /** (n) */
  readonly ids: readonly string[];
  readonly training: TrainingData;
  /** (n) Training events by item. */
  readonly events: Int32Array;
  /** Items of the role `train` with an event. */
  readonly trainItems: Int32Array;
  /** (n) log q, as training has it; an item that was never met counts as met once. */
  readonly logPopularity: Float64Array;
  readonly truths: readonly TruthTable[];
  /** What became of the query items: how often they were rated, and how. */
  readonly outcomes: TruthItems;
}

/** Opens the truths of the query items of one role. Test items are for figures that are reported, validation items for choices. */
export async function openSplit(dataset: Dataset, role: QueryRole = "test"): Promise<Split> {
  const training = await loadTraining(dataset);
  const truth = await openTruth(dataset);
  const events = training.items.ratings;
  const total = Math.max(
    1,
    events.reduce((sum, count) => sum + count, 0),
  );
  return {
    dataset,
    ids: (await loadItems(dataset)).ids,
    training,
    events,
    trainItems: Int32Array.from(events.keys()).filter(
      (item) => training.roles[item] === itemRoles.train && events[item] > 0,
    ),
    logPopularity: Float64Array.from(events, (count) => portableLog(Math.max(count, 1) / total)),
    truths: await loadTruths(truth, role, { hasTimes: dataset.manifest.time.kind === "seconds" }),
    outcomes: await truth.items(role),
  };
}

/** What a result says of its dataset. */
export function describeSplit({ dataset: { manifest }, outcomes }: Split): EvaluatedDataset {
  const { name, id, counts, config } = manifest;
  return {
    name,
    hash: id,
    split: splitName(config),
    items: counts.items,
    users: counts.users,
    events: counts.interactions,
    queries: outcomes.queries.length,
    simulated: manifest.simulated,
  };
}

function splitName(config: Readonly<Record<string, unknown>>): string {
  const { by } = (config.split ?? {}) as { by?: unknown };
  return typeof by === "string" ? by : "none";
}
