// A catalogue of any size, made up by seed: items in clusters of clusters, seen through several channels. Each channel looks at an item's place
// along directions of its own and adds what only it knows; a small random tower with tanh makes its columns, so that they bend and
// saturate as those of a trained model do. Distances are as in a model: a typical random pair has d_c = 1.
// n items, p channels, e embedding columns, w = e + p + 1
import {
  buildRows,
  type Engine,
  type LiftedRows,
  liftRows,
  measureCentres,
  Random,
  type RowLayout,
  type RowScaling,
  rowLayout,
  type Scope,
} from "@nearkin/core";

export interface ClusteredWorldOptions {
  /** n */
  items: number;
  /** e_c. @default eight channels of 226 columns, rows of 235 */
  sizes?: readonly number[];
  /** h of the base metric. @default from 1.2 down to 0.1 */
  weights?: readonly number[];
  /** @default 4000 */
  clusters?: number;
  /**
   * How much a channel adds of its own: the more, the less other channels say about it, and the harder users far from the base metric are to
   * serve. At 2 the graph's recall for exponential weights is 0.9 where it is 1.0 for weights near the base's. @default 2
   */
  noise?: number;
  seed?: number;
}

export interface ClusteredWorld {
  rows: LiftedRows;
  /** h of the base metric. */
  weights: readonly number[];
  /** T */
  temperature: number;
}

const SIZES = [50, 50, 36, 30, 20, 16, 16, 8];
const WEIGHTS = [1.2, 0.9, 0.6, 0.45, 0.3, 0.2, 0.15, 0.1];
const PLACE = 16; // dimensions of an item's place
const OWN = 8; // dimensions that only one channel sees
const KINDS = 60; // clusters of clusters
const BLOCK = 8_192; // rows made at once
const SAMPLE = 4 * BLOCK; // rows that scales are measured on
const PAIRS = 10_000;

/** Makes the rows in the memory of the engine, for as long as the scope is open. */
export function clusteredWorld(engine: Engine, scope: Scope, options: ClusteredWorldOptions): ClusteredWorld {
  const { items: n, sizes = SIZES, weights = WEIGHTS, clusters = 4_000, noise = 2, seed = 31 } = options;
  const layout = rowLayout(sizes);
  const { channelCount: p, width } = layout;
  const draw = itemMaker(engine, layout, { clusters, noise, random: new Random(seed) });
  const scaling = measureScaling(layout, draw, n);
  const rows = scope.matrix(n, width, "f32");
  const masked = new Uint8Array(n * p);
  for (let first = 0; first < n; first += BLOCK) {
    const block = draw(first, Math.min(BLOCK, n - first));
    standIn(layout, scaling.centres, block);
    masked.set(block.masked, first * p);
    (rows.data as Float32Array).set(buildRows(layout, scaling, block), rows.offset + first * width);
  }
  const ids = Array.from({ length: n }, (_, i) => `item ${i}`);
  const lifted = liftRows(layout, { shards: [{ engine, rows }], masked, lengths: scaling.lengths, ids });
  return { rows: lifted, weights, temperature: 0.2 };
}

interface ItemBlock {
  /** (count, e) */
  embeddings: Float32Array;
  /** (count, p) */
  masked: Uint8Array;
  /** (count) */
  logPopularity: Float64Array;
}

type DrawItems = (first: number, count: number) => ItemBlock;

/** Makes items [first, first + count): the same ones at every call. */
function itemMaker(
  engine: Engine,
  { embeddingSize: e, channelCount: p, sizes, starts }: RowLayout,
  { clusters, noise, random }: { clusters: number; noise: number; random: Random },
): DrawItems {
  const centres = clusterCentres(clusters, random);
  const towers = sizes.map((size, c) => tower(size, random.split("tower", c)));
  return (from, count) => {
    const stream = random.split("items", from);
    const embeddings = new Float32Array(count * e);
    const masked = new Uint8Array(count * p);
    const logPopularity = new Float64Array(count);
    const places = new Float32Array(count * PLACE);
    for (let i = 0; i < count; i++) {
      const cluster = Math.floor(stream.uniform() ** 1.5 * clusters); // low numbers are large clusters
      for (let j = 0; j < PLACE; j++) places[i * PLACE + j] = centres[cluster * PLACE + j] + 0.35 * stream.normal();
      const lift = -Math.log(1 - stream.uniform()) * (cluster % 3 === 0 ? 1.8 : 1.2);
      logPopularity[i] = Math.min(-3, -14 + lift);
      for (let c = 0; c < p; c++) masked[i * p + c] = stream.uniform() < 0.01 * c ? 1 : 0; // the first channel is always known
    }
    using scope = engine.scope();
    towers.forEach(({ first, second }, c) => {
      const size = sizes[c];
      const X = scope.matrix(count, PLACE + OWN, "f32");
      const seen = X.data as Float32Array;
      for (let i = 0; i < count; i++) {
        const at = X.offset + i * (PLACE + OWN);
        seen.set(places.subarray(i * PLACE, (i + 1) * PLACE), at);
        for (let j = PLACE; j < PLACE + OWN; j++) seen[at + j] = noise * stream.normal();
      }
      const H = scope.matrix(count, 2 * size, "f32");
      const Z = scope.matrix(count, size, "f32");
      engine.gemm(H, X, scope.matrix(PLACE + OWN, 2 * size, "f32").write(first));
      engine.activate(H, H, "tanh");
      engine.gemm(Z, H, scope.matrix(2 * size, size, "f32").write(second));
      engine.activate(Z, Z, "tanh");
      const out = Z.data as Float32Array;
      for (let i = 0; i < count; i++) {
        embeddings.set(out.subarray(Z.offset + i * size, Z.offset + (i + 1) * size), i * e + starts[c]);
      }
    });
    return { embeddings, masked, logPopularity };
  };
}

/** (clusters, PLACE) Clusters stand around kinds. */
function clusterCentres(clusters: number, random: Random): Float32Array {
  const kinds = normals(random.split("kinds"), KINDS * PLACE);
  const centres = normals(random.split("clusters"), clusters * PLACE, 0.6);
  const kindOf = random.split("kind of");
  for (let k = 0; k < clusters; k++) {
    const kind = kindOf.below(KINDS);
    for (let j = 0; j < PLACE; j++) centres[k * PLACE + j] += kinds[kind * PLACE + j];
  }
  return centres;
}

/** Weights of a channel's two layers; some directions of a place it hardly sees. */
function tower(size: number, random: Random): { first: Float32Array; second: Float32Array } {
  const view = normals(random.split("view"), PLACE);
  const first = normals(random.split("first"), (PLACE + OWN) * 2 * size, 1 / Math.sqrt(PLACE + OWN));
  for (let j = 0; j < PLACE; j++) {
    for (let k = 0; k < 2 * size; k++) first[j * 2 * size + k] *= Math.min(2, view[j] * view[j]);
  }
  return { first, second: normals(random.split("second"), 2 * size * size, 1.5 / Math.sqrt(2 * size)) };
}

function normals(random: Random, length: number, scale = 1): Float32Array {
  return Float32Array.from({ length }, () => scale * random.normal());
}

/** s_c, the median of ‖z_a − z_b‖² over random pairs, and ρ_c, the mean of ‖z − z̄‖², both over the first items. */
function measureScaling(layout: RowLayout, draw: DrawItems, n: number): RowScaling {
  const { embeddingSize: e, channelCount: p, starts, sizes } = layout;
  const count = Math.min(n, SAMPLE);
  const embeddings = new Float32Array(count * e);
  const masked = new Uint8Array(count * p);
  for (let first = 0; first < count; first += BLOCK) {
    const block = draw(first, Math.min(BLOCK, n - first, count - first));
    embeddings.set(block.embeddings, first * e);
    masked.set(block.masked, first * p);
  }
  const centres = measureCentres(layout, embeddings, masked);
  const factors = new Float64Array(e);
  const random = new Random(77);
  const lengths = Float64Array.from(sizes, (size, c) => {
    const squares = new Float64Array(PAIRS);
    let spread = 0;
    for (let pair = 0; pair < PAIRS; pair++) {
      const a = random.below(count) * e;
      const b = random.below(count) * e;
      for (let j = starts[c]; j < starts[c] + size; j++) {
        squares[pair] += (embeddings[a + j] - embeddings[b + j]) ** 2;
        spread += (embeddings[a + j] - centres[j]) ** 2;
      }
    }
    const scale = squares.sort()[PAIRS >> 1];
    factors.fill(1 / Math.sqrt(scale), starts[c], starts[c] + size);
    return spread / PAIRS / scale;
  });
  return { centres, factors, lengths };
}

/** A stand-in is the mean of its channel. */
function standIn(layout: RowLayout, centres: Float64Array, { embeddings, masked }: ItemBlock): void {
  const { embeddingSize: e, channelCount: p, starts, sizes } = layout;
  for (let slot = 0; slot < masked.length; slot++) {
    if (masked[slot] === 0) continue;
    const c = slot % p;
    const at = Math.floor(slot / p) * e;
    for (let j = starts[c]; j < starts[c] + sizes[c]; j++) embeddings[at + j] = centres[j];
  }
}
