// Baselines on the content as it is: one channel, their sum, all channels in typical units, and weights by logistic regression.
import { Random } from "@nearkin/core";
import type { TrainingData } from "@nearkin/data";
import type { Recommender } from "../protocol/recommender.ts";
import { type Content, channelDistances } from "./content.ts";
import { fitLogistic } from "./logistic.ts";
import { metricRecommender } from "./metric.ts";

const TEMPERATURE = 1; // without popularity it changes no order
const MOST_PAIRS = 50_000;

/** Cosine in each channel, and their sum. */
export function cosines({ channels, rows }: Content): Recommender[] {
  const single = channels.map((name, c) =>
    metricRecommender(rows, {
      name: `cosine ${name}`,
      weights: channels.map((_, other) => (other === c ? 1 : 0)),
      temperature: TEMPERATURE,
    }),
  );
  const summed = metricRecommender(rows, {
    name: "cosine, summed",
    weights: channels.map(() => 1),
    temperature: TEMPERATURE,
  });
  return [...single, summed];
}

/** Σ d_c/s_c, s_c the mean over random pairs: no channel outweighs another, and nothing is learned from events. */
export function uniform(content: Content, data: TrainingData, seed: number): Recommender {
  const { D, pairs } = drawPairs(content, data, new Random(seed).split("uniform"), "random");
  const p = content.channels.length;
  const typical = new Float64Array(p);
  for (let i = 0; i < D.length; i++) typical[i % p] += D[i] / pairs;
  const weights = typical.map((s) => (s > 0 ? 1 / s : 0));
  return metricRecommender(content.rows, { name: "uniform weights", weights, temperature: TEMPERATURE });
}

/** h from logistic regression on (d_c): training pairs against as many random ones. */
export function logistic(content: Content, data: TrainingData, seed: number): Recommender {
  const random = new Random(seed).split("logistic");
  const met = drawPairs(content, data, random.split("met"), "met");
  const other = drawPairs(content, data, random.split("random"), "random");
  const X = new Float64Array(met.D.length + other.D.length);
  X.set(met.D);
  X.set(other.D, met.D.length);
  const labels = new Uint8Array(met.pairs + other.pairs).fill(1, 0, met.pairs);
  const weights = fitLogistic(X, labels).coefficients.map((coefficient) => -coefficient);
  return metricRecommender(content.rows, { name: "logistic regression", weights, temperature: TEMPERATURE });
}

/** Distances (pairs, p) of pairs of training items: such as a user met one after the other, or any two. */
function drawPairs(
  content: Content,
  { pairs: met, items }: TrainingData,
  random: Random,
  kind: "met" | "random",
): { D: Float64Array; pairs: number } {
  const p = content.channels.length;
  const known = Int32Array.from(items.ratings.keys()).filter((item) => items.ratings[item] > 0);
  const pairs = Math.min(MOST_PAIRS, met.anchor.length);
  const D = new Float64Array(pairs * p);
  for (let i = 0; i < pairs; i++) {
    let a: number;
    let b: number;
    if (kind === "met") {
      const at = random.below(met.anchor.length);
      [a, b] = [met.anchor[at], met.positive[at]];
    } else [a, b] = [known[random.below(known.length)], known[random.below(known.length)]];
    channelDistances(content, a, b, D.subarray(i * p, (i + 1) * p));
  }
  return { D, pairs };
}
