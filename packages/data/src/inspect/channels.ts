// What each channel can say: how many items have it, how much of it training knows, whether it tells items apart at all.
import type { ChannelTransform, Tensor } from "@nearkin/core";
import type { Config } from "../config/schema.ts";
import type { Database } from "../database.ts";
import { loadInputs, loadTransforms } from "../dataset/channels.ts";
import type { Dataset } from "../dataset/open.ts";
import { parquet, readColumns } from "../dataset/read.ts";
import { channelColumns } from "../prepare/read.ts";
import type { ChannelInspection } from "./inspection.ts";
import { rankCorrelation } from "./rank-correlation.ts";

/** Items a correlation needs before it says anything. */
const LEAST_ITEMS = 10;

export async function inspectChannels(database: Database, dataset: Dataset): Promise<ChannelInspection[]> {
  const { counts, channels, config } = dataset.manifest;
  const training = await trainingMeans(database, dataset);
  const inspections: ChannelInspection[] = [];
  for (const [name, transform] of await loadTransforms(dataset)) {
    const { present, trainingPresent, unknown, unreadable } = channels[name];
    const own = (config as unknown as Config).channels[name];
    inspections.push({
      name,
      type: transform.type,
      columns: own ? channelColumns(own) : [],
      present,
      share: present / counts.items,
      trainingShare: trainingPresent / counts.training.items,
      unknown,
      unreadable,
      ...describeTransform(transform),
      ...(await measure(dataset, name, transform, training)),
    });
  }
  return inspections;
}

interface TrainingMeans {
  items: Int32Array;
  means: Float64Array;
}

async function trainingMeans(database: Database, dataset: Dataset): Promise<TrainingMeans> {
  const { items: n } = dataset.manifest.counts.training;
  const [items, means] = [new Int32Array(n), new Float64Array(n)];
  const name = "train/items.parquet";
  const sql = `SELECT CAST(item_index AS INTEGER), mean_rating FROM ${parquet(dataset.path(name))} ORDER BY item_index`;
  await readColumns(dataset, name, { database, sql }, [items, means]);
  return { items, means };
}

type Described = Pick<
  ChannelInspection,
  "terms" | "droppedTerms" | "encoder" | "width" | "components" | "explainedVariance" | "range"
>;

function describeTransform(transform: ChannelTransform): Described {
  const nothing: Described = {
    terms: null,
    droppedTerms: null,
    encoder: null,
    width: null,
    components: null,
    explainedVariance: null,
    range: null,
  };
  switch (transform.type) {
    case "number":
      return { ...nothing, range: [transform.min, transform.max] };
    case "date":
      return { ...nothing, range: [transform.years.min, transform.years.max] };
    case "categories":
      return { ...nothing, terms: transform.terms.length, droppedTerms: transform.dropped };
    case "vector":
      return { ...nothing, width: transform.width, ...reduced(transform) };
    case "text": {
      const { encoder } = transform;
      return {
        ...nothing,
        ...(encoder.kind === "lsa"
          ? { encoder: "lsa", terms: encoder.lsa.tfidf.terms.length, width: encoder.lsa.dimensions }
          : { encoder: encoder.name, width: encoder.dimensions }),
        ...reduced(transform),
      };
    }
    case "geo":
    case "identity":
    case "surrogate":
    case "behavior":
      return nothing;
  }
}

function reduced({ pca }: Extract<ChannelTransform, { type: "vector" | "text" }>) {
  if (!pca) return {};
  const kept = pca.variances.reduce((sum, variance) => sum + variance, 0);
  return { components: pca.dimensions, explainedVariance: kept / pca.totalVariance };
}

/** What only the values tell. One channel is in memory at a time, and none that cannot be constant. */
async function measure(
  dataset: Dataset,
  name: string,
  transform: ChannelTransform,
  { items, means }: TrainingMeans,
): Promise<Pick<ChannelInspection, "constant" | "ratingCorrelation">> {
  switch (transform.type) {
    case "identity":
      return { constant: false, ratingCorrelation: null };
    case "date":
      return { constant: transform.years.constant, ratingCorrelation: null };
    case "number": {
      const values = (await loadInputs(dataset, name, transform)).get("values")?.data as Float64Array;
      const known = Array.from(items.keys()).filter((k) => !Number.isNaN(values[items[k]]));
      const correlation = rankCorrelation(
        Float64Array.from(known, (k) => values[items[k]]),
        Float64Array.from(known, (k) => means[k]),
      );
      const says = known.length >= LEAST_ITEMS && !Number.isNaN(correlation);
      return { constant: transform.constant, ratingCorrelation: says ? correlation : null };
    }
    default: {
      // PCA refuses vectors that are all equal, and these files are the large ones.
      const differs = "pca" in transform && transform.pca !== undefined;
      const constant = !differs && isConstant(await loadInputs(dataset, name, transform), items);
      return { constant, ratingCorrelation: null };
    }
  }
}

/** Whether all training items that have a value have the same one. */
function isConstant(tensors: ReadonlyMap<string, Tensor>, items: Int32Array): boolean {
  const missing = tensors.get("missing")?.data as Uint8Array;
  const data = (tensors.get("vectors") ?? tensors.get("indices"))?.data as Float32Array | Int32Array;
  const starts = tensors.get("starts")?.data as Int32Array | undefined;
  const width = data.length / missing.length;
  const row = (item: number) =>
    starts ? data.subarray(starts[item], starts[item + 1]) : data.subarray(item * width, (item + 1) * width);
  const known = items.filter((item) => missing[item] === 0);
  const first = row(known[0]);
  return known.every((item) => {
    const own = row(item);
    return own.length === first.length && own.every((value, j) => value === first[j]);
  });
}
