// Small catalogues for the tests of ranking, and ranking as one would write it on paper: every distance from its definition, a full sort.
import type { Engine } from "../../linalg/engine.ts";
import type { Random } from "../../linalg/random.ts";
import { buildRows, type RowLayout, type RowScaling, rowLayout } from "../layout.ts";
import { type LiftedRows, liftRows, type RowShard } from "../rows.ts";
import { tieHash } from "../ties.ts";

export interface RankWorld {
  layout: RowLayout;
  scaling: RowScaling;
  ids: string[];
  /** (n, e) */
  embeddings: Float32Array;
  /** (n, p) */
  masked: Uint8Array;
  /** (n) */
  logPopularity: Float64Array;
  /** (n, w) */
  lifted: Float32Array;
}

export interface RankWorldOptions {
  n: number;
  sizes: readonly number[];
  random: Random;
  /** Small whole numbers: sums are exact in f32, and ties frequent. @default false */
  whole?: boolean;
  /** Share of items that are copies of item 0. @default 0 */
  copies?: number;
  /** Share of channels that are compared by inner products. @default 0.25 */
  products?: number;
}

export function rankWorld(options: RankWorldOptions): RankWorld {
  const { n, sizes, random, whole = false, copies = 0, products = 0.25 } = options;
  const kinds = random.split("products");
  const layout = rowLayout(
    sizes,
    sizes.map(() => kinds.uniform() < products),
  );
  const { embeddingSize: e, channelCount: p } = layout;
  const draw = () => (whole ? random.below(3) - 1 : random.normal());
  const scaling: RowScaling = {
    centres: Float64Array.from({ length: e }, () => (whole ? 1 : random.normal())),
    factors: Float64Array.from({ length: e }, () => (whole ? 1 : 0.5 + random.uniform())),
    lengths: Float64Array.from({ length: p }, () => (whole ? random.below(3) : random.uniform())),
  };
  for (let c = 0; c < p; c++) {
    if (layout.products[c]) scaling.centres.fill(0, layout.starts[c], layout.starts[c] + sizes[c]);
  }
  const embeddings = Float32Array.from({ length: n * e }, draw);
  const masked = Uint8Array.from({ length: n * p }, () => (random.below(5) === 0 ? 1 : 0));
  const logPopularity = Float64Array.from({ length: n }, () =>
    whole ? -random.below(3) : Math.fround(-9 * random.uniform()),
  );
  for (let i = 1; i < n; i++) {
    if (random.uniform() >= copies) continue;
    embeddings.copyWithin(i * e, 0, e);
    masked.copyWithin(i * p, 0, p);
    logPopularity[i] = logPopularity[0];
  }
  const ids = Array.from({ length: n }, (_, i) => `item ${i}`);
  const lifted = buildRows(layout, scaling, { embeddings, masked, logPopularity });
  return { layout, scaling, ids, embeddings, masked, logPopularity, lifted };
}

/** The world's rows in the memories of these engines, one after the other. */
export function placeRows(world: RankWorld, engines: readonly Engine[]): { rows: LiftedRows; close: () => void } {
  const { layout, lifted, masked, scaling, ids } = world;
  const n = ids.length;
  const scopes = engines.map((engine) => engine.scope());
  const shards = engines.map((engine, s): RowShard => {
    const [from, to] = [Math.floor((n * s) / engines.length), Math.floor((n * (s + 1)) / engines.length)];
    const rows = scopes[s].matrix(to - from, layout.width, "f32");
    return { engine, rows: rows.write(lifted.subarray(from * layout.width, to * layout.width)) };
  });
  return {
    rows: liftRows(layout, { shards, masked, lengths: scaling.lengths, ids }),
    close() {
      for (const scope of scopes) scope.close();
    },
  };
}

export interface Wish {
  /** Rows of what the user met, the last one last, and γ. */
  history?: { items: readonly number[]; weight: number };
  query: readonly number[];
  weights: readonly number[];
  temperature: number;
  popularity: number;
}

/** d_c(query, y) by definition: the mean over the query's items of ‖z_a − z_y‖² plus the own coordinates of stand-ins, or of 1 − z_a·z_y. */
export function plainDistances(
  { layout, lifted, masked, scaling }: RankWorld,
  query: readonly number[],
  y: number,
): number[] {
  const { starts, sizes, products, channelCount: p, width } = layout;
  return sizes.map((size, c) => {
    let mean = 0;
    for (const q of query) {
      let d = 0;
      let product = 0;
      for (let j = starts[c]; j < starts[c] + size; j++) product += lifted[q * width + j] * lifted[y * width + j];
      if (products[c]) {
        mean += q === y ? 0 : 1 - product;
        continue;
      }
      for (let j = starts[c]; j < starts[c] + size; j++) d += (lifted[q * width + j] - lifted[y * width + j]) ** 2;
      mean += q === y ? 0 : d + (masked[q * p + c] + masked[y * p + c]) * scaling.lengths[c];
    }
    return mean / query.length;
  });
}

export function plainScore(
  world: RankWorld,
  { query, weights, temperature, popularity, history }: Wish,
  y: number,
): number {
  const total = plainDistances(world, query, y).reduce((sum, d, c) => sum + weights[c] * d, 0);
  return (
    -total / temperature +
    popularity * world.logPopularity[y] +
    plainLifts(world, history, y).reduce((a, b) => a + b, 0)
  );
}

/** γ·w_b·ẑ_b·z_y of each item of the history, by definition. */
export function plainLifts({ layout, lifted }: RankWorld, history: Wish["history"], y: number): number[] {
  const { starts, sizes, products, width } = layout;
  if (!history) return [];
  const product = (a: number, b: number) =>
    sizes.reduce((sum, size, c) => {
      for (let j = starts[c]; products[c] && j < starts[c] + size; j++)
        sum += lifted[a * width + j] * lifted[b * width + j];
      return sum;
    }, 0);
  const shares = history.items.map((_, i) => 0.9 ** (history.items.length - 1 - i));
  const total = shares.reduce((sum, share) => sum + share, 0);
  return history.items.map((item, i) => {
    const length = Math.sqrt(product(item, item));
    return length === 0 ? 0 : (history.weight * shares[i] * product(item, y)) / (total * length);
  });
}

/** All candidates but the query's own items, best first; ties by the hash of the id, then by index. */
export function fullSort(world: RankWorld, wish: Wish, isAllowed: (y: number) => boolean = () => true) {
  return world.ids
    .map((id, item) => ({ item, score: plainScore(world, wish, item), hash: tieHash(id) }))
    .filter(({ item }) => !wish.query.includes(item) && isAllowed(item))
    .sort((a, b) => b.score - a.score || a.hash - b.hash || a.item - b.item);
}
