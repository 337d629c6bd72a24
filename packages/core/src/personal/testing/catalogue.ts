// A small catalogue with users whose taste is known: films in two channels, and users who go by one of them.

import type { Scope } from "../../linalg/arena.ts";
import type { Engine } from "../../linalg/engine.ts";
import { Random } from "../../linalg/random.ts";
import { rowLayout } from "../../rank/layout.ts";
import { liftRows } from "../../rank/rows.ts";
import { drawPool } from "../choices.ts";
import type { PersonalPrior, PersonalSettings } from "../settings.ts";
import { coordinatesOf, type SharedMetric, type UserItems } from "../user.ts";

const SIZES = [2, 2];

/** n items whose two channels are drawn apart from each other; all are equally popular. The rows live in `scope`. */
export function smallCatalogue(
  engine: Engine,
  scope: Scope,
  { n = 120, parameters = "softplus" as SharedMetric["parameters"], link = "linear" as SharedMetric["link"] } = {},
): { metric: SharedMetric; embeddings: Float64Array; events: Int32Array } {
  const random = new Random(3);
  const layout = rowLayout(SIZES);
  const { width, embeddingSize: e } = layout;
  const embeddings = Float64Array.from({ length: n * e }, () => 0.5 * random.normal());
  const rows = scope.matrix(n, width, "f32");
  for (let i = 0; i < n; i++) {
    const squares = [0, 0];
    for (let j = 0; j < e; j++) {
      rows.set(i, j, embeddings[i * e + j]);
      squares[j < 2 ? 0 : 1] += rows.get(i, j) ** 2;
    }
    rows.set(i, e, squares[0]);
    rows.set(i, e + 1, squares[1]);
    rows.set(i, width - 1, -Math.log(n));
  }
  const ids = Array.from({ length: n }, (_, i) => `item ${i}`);
  const masked = new Uint8Array(n * 2);
  const metric: SharedMetric = {
    engine,
    rows: liftRows(layout, { shards: [{ engine, rows }], masked, lengths: Float64Array.of(0.5, 0.5), ids }),
    weights: Float64Array.of(0.5, 0.5),
    offset: 0.1,
    link,
    parameters,
    temperature: 0.2,
  };
  return { metric, embeddings, events: new Int32Array(n).fill(5) };
}

/** The `count` items nearest to item `seed` in one channel: what a user who goes by that channel meets. Ratings fall with the distance. */
export function followerOf(embeddings: Float64Array, channel: 0 | 1, seed: number, count: number): UserItems {
  const at = (item: number) => embeddings.subarray(item * 4 + 2 * channel, item * 4 + 2 * channel + 2);
  const [x, y] = at(seed);
  const away = Array.from({ length: embeddings.length / 4 }, (_, item) => {
    const [a, b] = at(item);
    return { item, distance: (a - x) ** 2 + (b - y) ** 2 };
  }).sort((a, b) => a.distance - b.distance);
  const near = away.slice(0, count);
  return {
    items: Int32Array.from(near, ({ item }) => item),
    ratings: Float64Array.from(near, ({ distance }) => 5 - 2 * distance),
  };
}

/** `count` items wherever they are, rated by how near they are to item `seed` in one channel. */
export function raterOf(embeddings: Float64Array, channel: 0 | 1, seed: number, count: number): UserItems {
  const { items, ratings } = followerOf(embeddings, channel, seed, embeddings.length / 4);
  const some = Array.from(items.keys()).filter((i) => items[i] % Math.floor(items.length / count) === 0);
  return {
    items: Int32Array.from(some.slice(0, count), (i) => items[i]),
    ratings: Float64Array.from(some.slice(0, count), (i) => ratings[i]),
  };
}

export const choiceSettings: PersonalSettings = {
  target: "choice",
  fit: "map",
  items: 20,
  window: 20,
  evidence: 1,
  iterations: 20,
  rate: 0.05,
  unseen: 2,
  low: 0.5,
};

/** A wide prior around the shared metric. */
export function widePrior(
  metric: SharedMetric,
  events: Int32Array,
  settings: PersonalSettings = choiceSettings,
): PersonalPrior {
  const mean = coordinatesOf(metric, settings.target);
  const P = mean.length;
  return {
    settings,
    users: 1,
    mean,
    covariance: Float64Array.from({ length: P * P }, (_, k) => (k % (P + 1) === 0 ? 1 : 0)),
    pool: drawPool(events, { others: 60, popular: 0.5, random: new Random(9) }),
    process: settings.target === "choice" ? null : { rate: 1, variance: 1, noise: 0.2 },
    rating: { rate: 1, variance: 1, noise: 0.2 },
  };
}
