// A training set made by hand: no dataset folder, three kinds of channels, missing values, new items.
import {
  type ChannelInput,
  type Engine,
  fitCategories,
  fitIdentity,
  fitVector,
  hostMatrix,
  type ItemIndex,
  Random,
} from "@nearkin/core";
import type { Dataset, TrainingData } from "@nearkin/data";
import type { TrainConfig } from "../config/schema.ts";
import { candidateFrequencies } from "../input/pairs.ts";
import { makeTargets } from "../input/targets.ts";
import type { TrainedChannel, TrainingSet } from "../input/training-set.ts";

export interface ToyOptions {
  items?: number;
  users?: number;
  seed?: number;
}

/**
 * `items` items in two kinds, which differ in all channels; users prefer one kind. Every seventh item misses its vector, the last tenth are new.
 */
export function toySet(
  engine: Engine,
  config: TrainConfig,
  { items = 40, users = 30, seed = 3 }: ToyOptions = {},
): TrainingSet {
  const random = new Random(seed);
  const cold = Math.floor(items / 10);
  const known = items - cold;
  const kind = (item: number) => item % 2;
  const width = 3;
  const vectors = Float32Array.from(
    { length: items * width },
    (_, at) => random.normal() * 0.4 + kind(Math.floor(at / width)),
  );
  const missing = Uint8Array.from({ length: items }, (_, item) => (item % 7 === 3 ? 1 : 0));
  const rows = Array.from({ length: items }, (_, item) => [kind(item) === 0 ? "calm" : "loud", `tag${item % 3}`]);
  const trainItems = Int32Array.from({ length: known }, (_, item) => item);
  const terms = fitCategories(rows.slice(0, known));
  const starts = Int32Array.from({ length: items + 1 }, (_, item) => 2 * item);
  const columns = Int32Array.from(rows.flatMap((row) => row.map((term) => terms.terms.indexOf(term))));
  const size = config.model.embedding;
  const channels: (TrainedChannel & { input: ChannelInput })[] = [
    {
      spec: { name: "look", input: "dense", inputWidth: width, embeddingSize: size },
      transform: fitVector(
        engine,
        Array.from({ length: known }, (_, item) =>
          missing[item] ? undefined : vectors.subarray(item * width, (item + 1) * width),
        ),
        { width },
      ),
      scale: 1,
      input: { kind: "dense", values: hostMatrix(vectors, items, width), missing },
    },
    {
      spec: { name: "tags", input: "sparse", inputWidth: terms.terms.length, embeddingSize: size },
      transform: terms,
      scale: 1,
      input: { kind: "sparse", width: terms.terms.length, starts, columns, value: 1, missing: new Uint8Array(items) },
    },
  ];
  if (config.model.identity) {
    channels.push({
      spec: { name: "identity", input: "identity", inputWidth: known, embeddingSize: config.model.identitySize },
      transform: fitIdentity(trainItems as Iterable<number> as Iterable<ItemIndex>),
      scale: 1,
      input: {
        kind: "identity",
        cold: Uint8Array.from({ length: items }, (_, item) => (item < known ? 0 : 1)),
        rows: Int32Array.from({ length: items }, (_, item) => Math.min(item, known - 1)),
      },
    });
  }
  const data = toyData({ items, known, users, kind }, random);
  return {
    dataset: { folder: "toy", manifest: { id: "toy", time: { kind: "order" } } } as unknown as Dataset,
    data,
    itemCount: items,
    ids: Array.from({ length: items }, (_, item) => `item ${item}`),
    channels: channels.map(({ input: _, ...channel }) => channel),
    inputs: { itemCount: items, channels: channels.map(({ input }) => input) },
    trainItems,
    logq: candidateFrequencies(data.items.ratings, Math.log),
    targets: config.stages.includes("ssl") ? makeTargets(data, config.ssl, random.split("targets")) : null,
    validation: {
      queries: Int32Array.from({ length: cold }, (_, i) => known + i),
      starts: Int32Array.from({ length: cold + 1 }, (_, i) => 5 * i),
      items: Int32Array.from({ length: 5 * cold }, (_, at) => 2 * (at % 5) + kind(known + Math.floor(at / 5))),
    },
  };
}

function toyData(
  { items, known, users, kind }: { items: number; known: number; users: number; kind: (item: number) => number },
  random: Random,
): TrainingData {
  const events = 6;
  const list: number[] = [];
  for (let user = 0; user < users; user++) {
    const own = Array.from({ length: known }, (_, item) => item).filter((item) => kind(item) === user % 2);
    list.push(...random.shuffle(own).slice(0, events));
  }
  const counts = new Int32Array(items);
  for (const item of list) counts[item]++;
  const k = 3;
  const mean = Float64Array.from({ length: items }, (_, item) =>
    counts[item] === 0 ? Number.NaN : 3 + kind(item) + 0.3 * random.normal(),
  );
  return {
    itemCount: items,
    userCount: users,
    histories: {
      userIndex: Int32Array.from({ length: users }, (_, user) => user),
      starts: Int32Array.from({ length: users + 1 }, (_, user) => user * events),
      items: Int32Array.from(list),
      ratings: Float32Array.from(list, (item) => 3 + kind(item)),
      times: Float64Array.from(list, (_, at) => at),
    },
    pairs: { user: new Int32Array(0), anchor: new Int32Array(0), positive: new Int32Array(0) }, // drawn from histories instead
    items: { ratings: counts, mean, shrunkMean: mean, firstSeen: mean, lastSeen: mean },
    users: { events: new Int32Array(users).fill(events), mean: new Float64Array(users).fill(3.5) },
    factors: {
      k,
      vectors: Float32Array.from({ length: items * k }, (_, at) =>
        counts[Math.floor(at / k)] === 0 ? 0 : random.normal(),
      ),
      singularValues: Float64Array.of(3, 2, 1),
    },
    roles: new Uint8Array(items),
  };
}
