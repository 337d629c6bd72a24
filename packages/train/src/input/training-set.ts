// A dataset folder as the arrays that the stages work on. Of truth/ only what concerns validation items is opened: test truths stay shut.
import {
  type ChannelInput,
  type ChannelSpec,
  type ChannelTransform,
  channelInput,
  type Engine,
  fitIdentity,
  fitNumber,
  type ItemIndex,
  type ItemInputs,
  inputWidth,
  NearkinError,
  portableLog,
  type Random,
  type Scope,
  type Tensor,
} from "@nearkin/core";
import { type Dataset, itemRoles, loadChannels, loadItems, loadTraining, type TrainingData } from "@nearkin/data";
import type { TrainConfig } from "../config/schema.ts";
import { candidateFrequencies } from "./pairs.ts";
import { makeTargets, type Targets } from "./targets.ts";
import { loadValidation, type Validation } from "./validation.ts";

/** A channel of the model: its name, how its inputs are made, and how wide its embedding is. */
export interface TrainedChannel {
  readonly spec: ChannelSpec;
  readonly transform: ChannelTransform;
  /** Inputs were multiplied by it. */
  readonly scale: number;
}

export interface TrainingSet {
  readonly dataset: Dataset;
  readonly data: TrainingData;
  readonly itemCount: number;
  /** (n) A hash of them orders equal scores (EV7), so that a look ranks as an evaluation of the model will. */
  readonly ids: readonly string[];
  readonly channels: readonly TrainedChannel[];
  readonly inputs: ItemInputs;
  /** Items of the role `train` with an event: what is drawn from. */
  readonly trainItems: Int32Array;
  /** (n) */
  readonly logq: Float64Array;
  /** Where there is an ssl stage. */
  readonly targets: Targets | null;
  /** Where the dataset holds validation items. */
  readonly validation: Validation | null;
}

/** Channels that a configuration adds to those of the dataset. */
const RATING_CHANNEL = "rating";
const IDENTITY_CHANNEL = "identity";

export async function loadTrainingSet(
  engine: Engine,
  dataset: Dataset,
  { config, random, scope }: { config: TrainConfig; random: Random; scope: Scope },
): Promise<TrainingSet> {
  const data = await loadTraining(dataset);
  const { itemCount, items, histories } = data;
  const trainItems = Int32Array.from(items.ratings.keys()).filter(
    (item) => data.roles[item] === itemRoles.train && items.ratings[item] > 0,
  );
  if (histories.items.length === histories.userIndex.length) {
    throw new NearkinError(
      "BAD_DATASET",
      `${dataset.folder} has no training pairs: no user has two training events; there is nothing to learn similarity from`,
    );
  }
  const loaded = await loadInputs(engine, dataset, { config, data, trainItems });
  return {
    dataset,
    data,
    itemCount,
    ids: (await loadItems(dataset)).ids,
    channels: loaded.map(({ input: _, ...channel }) => channel),
    inputs: {
      itemCount,
      channels: placed(
        scope,
        loaded.map(({ input }) => input),
      ),
    },
    trainItems,
    logq: candidateFrequencies(items.ratings, portableLog),
    targets: config.stages.includes("ssl") ? makeTargets(data, config.ssl, random.split("targets")) : null,
    validation: await loadValidation(dataset, config.validation),
  };
}

/** Bytes of inputs up to which they are copied into the engine's memory, where its workers gather batches from. */
const MOST_PLACED = 2 ** 30;

function placed(scope: Scope, inputs: readonly ChannelInput[]): ChannelInput[] {
  const bytes = inputs.reduce(
    (sum, input) => sum + (input.kind === "dense" ? 4 * input.values.rows * input.values.cols : 0),
    0,
  );
  if (bytes > MOST_PLACED) return [...inputs];
  return inputs.map((input) => {
    if (input.kind !== "dense") return input;
    const { rows, cols, data, offset } = input.values;
    const values = scope.matrix(rows, cols, "f32");
    values.data.set(data.subarray(offset, offset + rows * cols), values.offset);
    return { ...input, values };
  });
}

interface Selection {
  config: TrainConfig;
  data: TrainingData;
  trainItems: Int32Array;
}

async function loadInputs(
  engine: Engine,
  dataset: Dataset,
  selection: Selection,
): Promise<(TrainedChannel & { input: ChannelInput })[]> {
  const { config, data, trainItems } = selection;
  const { model } = config;
  const stored = await loadChannels(dataset);
  checkNames(dataset, [...stored.keys()], config);
  const raw: [name: string, transform: ChannelTransform, tensors: ReadonlyMap<string, Tensor>][] = [];
  for (const [name, { transform, tensors }] of stored) {
    if (transform.type === "identity") {
      if (model.identity) raw.push([name, transform, tensors]);
    } else if (config.channels === null || config.channels.includes(name)) {
      raw.push([name, model.text === "full" ? withoutPca(transform) : transform, tensors]);
    }
  }
  if (model.identity && !raw.some(([, transform]) => transform.type === "identity")) {
    raw.push([IDENTITY_CHANNEL, fitIdentity(trainItems as Iterable<number> as Iterable<ItemIndex>), new Map()]);
  }
  if (model.ratingChannel) raw.push(ratingChannel(data, trainItems));
  if (raw.length === 0) {
    throw new NearkinError(
      "BAD_DATASET",
      `${dataset.folder} has no channels, and similarity is learned from them; add some under "channels:" in nearkin.yaml and prepare it again, or set model.identity`,
    );
  }
  return raw.map(([name, transform, tensors]) => {
    if (transform.type === "identity") {
      const rows = new Int32Array(data.itemCount);
      const cold = new Uint8Array(data.itemCount).fill(1);
      transform.items.forEach((item, row) => {
        rows[item] = row;
        cold[item] = 0;
      });
      const spec: ChannelSpec = {
        name,
        input: "identity",
        inputWidth: transform.items.length,
        embeddingSize: model.identitySize,
      };
      return { spec, transform, scale: 1, input: { kind: "identity", cold, rows } };
    }
    const { input, scale } = channelInput(engine, transform, tensors, {
      numberMode: model.numbers,
      scaling: model.inputs === "norm" ? "norm" : "none",
      fitOn: trainItems,
    });
    const sparse = transform.type === "categories";
    const spec: ChannelSpec = {
      name,
      input: sparse ? "sparse" : "dense",
      inputWidth: inputWidth(transform, model.numbers),
      embeddingSize: model.embedding,
    };
    return { spec, transform, scale, input };
  });
}

function checkNames(dataset: Dataset, known: readonly string[], { channels, model }: TrainConfig): void {
  const unknown = (channels ?? []).filter((name) => !known.includes(name));
  if (unknown.length > 0) {
    throw new NearkinError(
      "BAD_CONFIG",
      `channels: ${dataset.folder} has no channel ${unknown.join(", ")}; it has ${known.join(", ") || "none"}`,
    );
  }
  if (model.ratingChannel && known.includes(RATING_CHANNEL)) {
    throw new NearkinError("BAD_CONFIG", `model.ratingChannel: the dataset has a channel ${RATING_CHANNEL} of its own`);
  }
}

/** The mean training rating as a number; new items have none. */
function ratingChannel(
  { items, itemCount }: TrainingData,
  trainItems: Int32Array,
): [string, ChannelTransform, ReadonlyMap<string, Tensor>] {
  const missing = Uint8Array.from(items.mean, (mean) => (Number.isNaN(mean) ? 1 : 0));
  return [
    RATING_CHANNEL,
    fitNumber(Array.from(trainItems, (item) => items.mean[item])),
    new Map<string, Tensor>([
      ["values", { type: "F64", shape: [itemCount], data: items.mean }],
      ["missing", { type: "U8", shape: [itemCount], data: missing }],
    ]),
  ];
}

/** The encoder's whole output, as the paper has it. */
function withoutPca(transform: ChannelTransform): ChannelTransform {
  if (transform.type !== "text") return transform;
  const { pca: _, ...whole } = transform;
  return whole;
}
