// What the further channel of stage 2 is made of: a Gaussian process on the inputs of the content channels explains the collaborative factors, and
// what it expects of an item, from all other items, is the channel's input. It has seen no tower, so that no tower can overfit its likelihood.
import {
  channelInput,
  expectSurrogate,
  fitSurrogate,
  initialSurrogate,
  isContent,
  measureSource,
  type NamedSource,
  NearkinError,
  type SurrogateTargets,
  selectSurrogateInducing,
  type Tensor,
} from "@nearkin/core";
import type { AddedChannel } from "../run/extend.ts";
import { type Run, surrogateName } from "../run/run.ts";

/** Items among which inducing ones are looked for. */
const CANDIDATES = 8192;

export interface MadeSurrogate {
  channel: AddedChannel;
  /** Share of the factors' variance that is expected right of items with targets, each left out of its own expectation. */
  explained: number;
}

/** Fits it. `afterStep` is called after every step of the fit, and may stop it. */
export async function makeSurrogate(run: Run, afterStep: () => Promise<void>): Promise<MadeSurrogate> {
  const { engine, config, set } = run;
  const random = run.random.split("surrogate");
  const sources = contentSources(run);
  const targets = surrogateTargets(run);
  const count = Math.max(1, Math.min(config.ssl.inducing, Math.floor(targets.items.length / 2)));
  const pool = (most: number, label: string) =>
    random.split(label).shuffle(Int32Array.from(targets.items.keys())).slice(0, Math.max(most, count)).sort();
  const row = new Map(Array.from(targets.items, (item, i) => [item, i]));
  const select = (rows: Int32Array, flat: Float64Array) =>
    selectSurrogateInducing(engine, sources, { items: rows.map((i) => targets.items[i]), flat, count });

  const flat = initialSurrogate(sources.length);
  const fitted = pool(config.ssl.batch, "items");
  const first = select(fitted, flat).map((item) => row.get(item) as number);
  const chosen = new Set(first);
  const rows = Int32Array.from([...first, ...fitted.filter((i) => !chosen.has(i))]);
  const { surrogateSteps: steps, surrogateRate: learningRate } = config.ssl;
  for (const _ of fitSurrogate(engine, sources, targets, { rows, inducing: first.length, steps, learningRate, flat })) {
    await afterStep();
  }

  const inducing = select(pool(CANDIDATES, "inducing"), flat);
  const { transform, means, missing } = expectSurrogate(engine, sources, targets, {
    flat,
    inducing,
    first: 1, // column 0 is the mean rating
    itemCount: set.itemCount,
  });
  const vectors: Tensor = { type: "F32", shape: [set.itemCount, transform.width], data: Float32Array.from(means) };
  const { input, scale } = channelInput(
    engine,
    transform,
    new Map<string, Tensor>([
      ["vectors", vectors],
      ["missing", { type: "U8", shape: [set.itemCount], data: missing }],
    ]),
    { numberMode: config.model.numbers, scaling: "norm", fitOn: set.trainItems },
  );
  const spec = {
    name: surrogateName(set.channels.map((channel) => channel.spec.name)),
    input: "dense" as const,
    inputWidth: transform.width,
    embeddingSize: config.model.embedding,
  };
  return { channel: { spec, transform, scale, input }, explained: explainedShare(targets, means) };
}

/** The channels that say what an item is, and what is measured of their inputs. */
function contentSources(run: Run): NamedSource[] {
  const { set } = run;
  const sources = set.channels.flatMap(({ spec: { name } }, c): NamedSource[] => {
    const input = set.inputs.channels[c];
    if (!isContent(input)) return [];
    return [
      { name, input, ...measureSource(input, set.trainItems, { name, random: run.random.split("source", name) }) },
    ];
  });
  if (sources.length === 0) {
    throw new NearkinError(
      "BAD_CONFIG",
      "ssl.mode: a channel of what content makes one expect needs content, and the only channel is the identity; use the mode towers",
    );
  }
  return sources;
}

function surrogateTargets({ set, config }: Run): SurrogateTargets {
  const { targets } = set;
  if (!targets || targets.count < 2) {
    throw new NearkinError(
      "BAD_DATASET",
      `${set.dataset.folder} has no factors for the channel of stage 2 to expect; prepare it with factors, or set ssl.mode to towers`,
    );
  }
  const { items, values, count: k, ratings } = targets;
  return { items, values, k, noiseFactors: ratings.map((n) => 1 + config.ssl.noisePerRating / n) };
}

function explainedShare({ items, values, k }: SurrogateTargets, means: Float64Array): number {
  let [left, total] = [0, 0];
  items.forEach((item, row) => {
    for (let j = 1; j < k; j++) {
      const value = values[row * k + j];
      left += (value - means[item * (k - 1) + j - 1]) ** 2;
      total += value * value;
    }
  });
  return total > 0 ? 1 - left / total : 0;
}
