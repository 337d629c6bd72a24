// What is measured on the embeddings of the training items, not learned: the scale s_c of each channel, so that 1 is the distance of
// a typical random pair, and the stand-in's axis ρ_c. Λ counts: distances here are those of Eq. 1, Σ_j λ_j²(z_aj − z_bj)².
import { NearkinError } from "../errors.ts";
import type { Engine } from "../linalg/engine.ts";
import type { Random } from "../linalg/random.ts";
import { parameter } from "../nn/parameters.ts";
import { type Ensemble, embed } from "./embed.ts";
import type { EnsembleConfig, Statistics } from "./ensemble.ts";
import { scaleSquares } from "./weights.ts";

const PAIRS = 10_000;
const MOST_ITEMS = 20_000; // a pair takes two
const BLOCK = 1024; // rows embedded at a time

/** The embeddings of one channel: rows of `width`, those of items with a value only. */
interface KnownRows {
  readonly rows: Float64Array;
  readonly width: number;
  readonly count: number;
}

/**
 * s_c = median of ‖z_a − z_b‖² over 10,000 random pairs of `items` that have a value (the mean where the median is 0);
 * ρ_c = mean‖z − z̄‖², z̄ the learned `.missing`, or for identity the mean vector, which becomes the stand-in. Of more than
 * 20,000 items a random 20,000 are embedded. Each channel draws its pairs by its name: `random` does not advance.
 */
export function measureStatistics(
  engine: Engine,
  ensemble: Omit<Ensemble, "statistics">,
  random: Random,
  items: Int32Array,
): Statistics {
  const { config, parameters } = ensemble;
  const sample = sampleOf(items, random.split("items"));
  const known = embedKnown(engine, ensemble, sample);
  const scales = new Float64Array(config.channels.length);
  const lengths = new Float64Array(config.channels.length);
  const standIns = config.channels.map((channel, c) => {
    const squares = scaleSquares(parameters, channel);
    scales[c] = pairScale(channel.name, known[c], squares, random.split("pairs", channel.name));
    const isIdentity = channel.input === "identity";
    const centre = isIdentity ? meanRow(known[c]) : parameter(parameters, `${channel.name}.missing`).read();
    lengths[c] = meanSquare(known[c], centre, squares);
    return isIdentity ? centre : new Float64Array(0);
  });
  return { scales, lengths, standIns };
}

/**
 * Sets every `.missing` to the mean embedding of the items that have a value. Towers put all items far from the origin and, before
 * training, close together: a stand-in drawn at random would be thousands of typical distances away from all of them.
 */
export function centreMissing(
  engine: Engine,
  ensemble: Omit<Ensemble, "statistics">,
  random: Random,
  items: Int32Array,
): void {
  const { config, parameters } = ensemble;
  const known = embedKnown(engine, ensemble, sampleOf(items, random.split("items")));
  config.channels.forEach(({ name, input }, c) => {
    if (input === "identity" || known[c].count === 0) return;
    parameter(parameters, `${name}.missing`).write(meanRow(known[c]));
  });
}

/** All items, or 20,000 of them, each once. */
function sampleOf(items: Int32Array, random: Random): Int32Array {
  if (items.length <= MOST_ITEMS) return items;
  const deck = Int32Array.from(items);
  for (let i = 0; i < MOST_ITEMS; i++) {
    const j = i + random.below(deck.length - i);
    [deck[i], deck[j]] = [deck[j], deck[i]];
  }
  return deck.subarray(0, MOST_ITEMS);
}

/** Embeds the items block by block and keeps, channel by channel, the rows that are no stand-ins. */
function embedKnown(engine: Engine, ensemble: Omit<Ensemble, "statistics">, items: Int32Array): KnownRows[] {
  const { config } = ensemble;
  const p = config.channels.length;
  const rows = config.channels.map(({ embeddingSize }) => new Float64Array(items.length * embeddingSize));
  const counts = new Int32Array(p);
  const statistics = unmeasured(config);
  for (let first = 0; first < items.length; first += BLOCK) {
    const scope = engine.scope();
    try {
      const { Z, masked } = embed(engine, scope, { ...ensemble, statistics }, items.subarray(first, first + BLOCK));
      const { data } = Z;
      for (let i = 0; i < Z.rows; i++) {
        let at = Z.offset + i * Z.rowStride;
        for (let c = 0; c < p; c++) {
          const width = config.channels[c].embeddingSize;
          if (masked[i * p + c] === 0) {
            const to = counts[c]++ * width;
            for (let j = 0; j < width; j++) rows[c][to + j] = data[at + j];
          }
          at += width;
        }
      }
    } finally {
      scope.close();
    }
  }
  return config.channels.map(({ embeddingSize }, c) => ({ rows: rows[c], width: embeddingSize, count: counts[c] }));
}

/** Statistics to embed with before there are any; what stands in for an identity is not looked at. */
function unmeasured({ channels }: EnsembleConfig): Statistics {
  return {
    scales: new Float64Array(channels.length).fill(1),
    lengths: new Float64Array(channels.length),
    standIns: channels.map(({ input, embeddingSize }) => new Float64Array(input === "identity" ? embeddingSize : 0)),
  };
}

function pairScale(name: string, { rows, width, count }: KnownRows, squares: Float64Array, random: Random): number {
  if (count < 2) {
    throw new NearkinError(
      "BAD_ARGUMENT",
      `channel ${name}: ${count} of the items have a value, and a distance takes two; leave the channel out`,
    );
  }
  const distances = new Float64Array(PAIRS);
  for (let pair = 0; pair < PAIRS; pair++) {
    const a = random.below(count);
    const b = (a + 1 + random.below(count - 1)) % count;
    let distance = 0;
    for (let j = 0; j < width; j++) {
      const difference = rows[a * width + j] - rows[b * width + j];
      distance += squares[j] * difference * difference;
    }
    distances[pair] = distance;
  }
  distances.sort();
  const mean = distances.reduce((sum, x) => sum + x, 0) / PAIRS;
  if (!Number.isFinite(mean)) {
    throw new NearkinError(
      "NOT_FINITE",
      `channel ${name}: embeddings are not finite; look for NaN in its inputs, or lower the learning rate`,
    );
  }
  const scale = (distances[PAIRS / 2 - 1] + distances[PAIRS / 2]) / 2 || mean;
  if (scale === 0) {
    throw new NearkinError(
      "BAD_ARGUMENT",
      `channel ${name}: all items have the same embedding, so it cannot tell them apart; leave the channel out`,
    );
  }
  return scale;
}

function meanRow({ rows, width, count }: KnownRows): Float64Array {
  const mean = new Float64Array(width);
  for (let i = 0; i < count; i++) for (let j = 0; j < width; j++) mean[j] += rows[i * width + j];
  return mean.map((sum) => sum / count);
}

/** Mean over rows of Σ_j λ_j²(z_j − centre_j)². */
function meanSquare({ rows, width, count }: KnownRows, centre: Float64Array, squares: Float64Array): number {
  let total = 0;
  for (let i = 0; i < count; i++) {
    for (let j = 0; j < width; j++) total += squares[j] * (rows[i * width + j] - centre[j]) ** 2;
  }
  return total / count;
}
