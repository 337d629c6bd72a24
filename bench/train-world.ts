// What the step cases of the train suite work on, made up by seed: a catalogue of four channels and batches of pairs for stage 1, embeddings
// and targets for the likelihoods. n items, e = 4 × 50 embedding columns, k targets.
import { type ChannelInput, type ChannelSpec, hostMatrix, type ItemInputs, Random } from "@nearkin/core";

/** Categories of an item. */
export const HOT = 20;
const ITEMS = 16_000;
const TERMS = 1300;

export const CHANNELS: readonly ChannelSpec[] = [
  { name: "tags", input: "sparse", inputWidth: TERMS, embeddingSize: 50 },
  { name: "title", input: "dense", inputWidth: 384, embeddingSize: 50 },
  { name: "plot", input: "dense", inputWidth: 384, embeddingSize: 50 },
  { name: "year", input: "dense", inputWidth: 16, embeddingSize: 50 },
];

/** Nothing missing, each channel to mean square norm 1. */
export function madeUpInputs(): ItemInputs {
  const random = new Random(11);
  const missing = new Uint8Array(ITEMS);
  const channels = CHANNELS.map(({ input, inputWidth: width }): ChannelInput => {
    if (input === "dense") {
      const values = Float32Array.from({ length: ITEMS * width }, () => random.normal() / Math.sqrt(width));
      return { kind: "dense", values: hostMatrix(values, ITEMS, width), missing };
    }
    return {
      kind: "sparse",
      width,
      starts: Int32Array.from({ length: ITEMS + 1 }, (_, i) => i * HOT),
      columns: Int32Array.from({ length: ITEMS * HOT }, () => Math.floor(random.uniform() ** 2 * TERMS)),
      value: Math.fround(1 / Math.sqrt(HOT)),
      missing,
    };
  });
  return { itemCount: ITEMS, channels };
}

/** `count` batches of 2 × `pairs` items, some of them drawn more often than others, and log q (n) of the items. */
export function madeUpBatches(count: number, pairs: number): { items: Int32Array; logq: Float64Array } {
  const random = new Random(12);
  // Item ⌊u²n⌋: the first 1 % of the items are a tenth of a batch.
  const items = Int32Array.from({ length: count * 2 * pairs }, () => Math.floor(random.uniform() ** 2 * ITEMS));
  const logq = Float64Array.from({ length: ITEMS }, (_, i) =>
    Math.log(Math.sqrt((i + 1) / ITEMS) - Math.sqrt(i / ITEMS)),
  );
  return { items, logq };
}

/** Embedding columns of each channel. */
export const SIZES: readonly number[] = [50, 50, 50, 50];
export const WIDTH = SIZES.reduce((sum, size) => sum + size, 0);

export interface LikelihoodWorld {
  /** (n, e) ‖z_a − z_b‖² ≈ 1 in every channel. */
  Z: Float64Array;
  /** (n, k) */
  R: Float64Array;
  /** (n) Noise of each item, in σ². */
  noise: Float64Array;
}

export function madeUpEmbeddings(n: number, k: number): LikelihoodWorld {
  const random = new Random(5);
  const normal = (length: number, scale: number) => Float64Array.from({ length }, () => scale * random.normal());
  return {
    Z: normal(n * WIDTH, 0.1),
    R: normal(n * k, 1),
    noise: Float64Array.from({ length: n }, (_, i) => 1 + 5 / (3 + (i % 50))),
  };
}
