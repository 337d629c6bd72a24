// d_c between all items of a user, channel by channel, from the catalogue's lifted rows. Product channels are 0: a user's own metric is fitted to what items
// are, and keeps the weight that all share for who met them. The likelihood of choices would spend that weight on the tail of the catalogue, where it
// ranks nothing, and exp(−1 + z·z′) is no covariance.
// n items of the user, p channels, e columns of an embedding, N = n(n + 1)/2 pairs
import { NearkinError } from "../errors.ts";
import type { Scope } from "../linalg/arena.ts";
import type { Engine } from "../linalg/engine.ts";
import type { Matrix } from "../linalg/matrix.ts";
import { type LiftedItem, type LiftedRows, locate } from "../rank/rows.ts";
import { numbersOf } from "./pairs.ts";
import { pairCount } from "./problem.ts";

/** (p, N), the lower triangle row by row. Items may be rows of the catalogue or drafts. O(n²e), in f64. */
export function channelPairs(
  engine: Engine,
  rows: Pick<LiftedRows, "layout" | "lengths">,
  items: readonly LiftedItem[],
): Float64Array {
  const { sizes, products, channelCount: p } = rows.layout;
  const n = items.length;
  const N = pairCount(n);
  const pairs = new Float64Array(p * N);
  using scope = engine.scope();
  const T = scope.matrix(n, n);
  const same = scope.indices(n).write(Array.from({ length: n }, (_, i) => i));
  const lengths = scope.matrix(n, 1);
  for (let c = 0; c < p; c++) {
    if (products[c]) continue;
    using own = engine.scope();
    const Z = own.matrix(n, sizes[c]);
    placeChannel(Z, lengths, items, rows, c);
    const { data } = T;
    engine.distances(T, Z, Z, { same, rowLengths: lengths, columnLengths: lengths });
    for (let i = 0, k = c * N; i < n; i++) {
      for (let j = 0; j <= i; j++, k++) pairs[k] = Math.max(0, data[T.offset + i * n + j]); // rounding may fall below
    }
  }
  return pairs;
}

/** (p, count, n) d_c of the first `count` rows of the catalogue with all n, each named once. O(count·n·e), in f64. */
export function crossPairs(
  engine: Engine,
  rows: LiftedRows,
  { items, count }: { items: ArrayLike<number>; count: number },
): Float64Array {
  const { sizes, starts, products, channelCount: p } = rows.layout;
  const n = items.length;
  const pairs = new Float64Array(p * count * n);
  using scope = engine.scope();
  const T = scope.matrix(count, n);
  const same = scope.indices(count).write(Array.from({ length: count }, (_, i) => i));
  const { Z, lengths } = placeRows(scope, rows, items);
  for (let c = 0; c < p; c++) {
    const channel = (to: number) => Z.view(0, to, starts[c], starts[c] + sizes[c]);
    if (products[c]) continue;
    const columnLengths = lengths.view(c, c + 1);
    const rowLengths = lengths.view(c, c + 1, 0, count);
    engine.distances(T, channel(count), channel(n), { same, rowLengths, columnLengths });
    pairs.set(numbersOf(T), c * count * n);
  }
  return pairs;
}

/** Rows of the catalogue in f64: embeddings (n, e), and of each channel the length that an item's stand-in has (p, n), a coordinate of its own. */
function placeRows(scope: Scope, rows: LiftedRows, items: ArrayLike<number>): { Z: Matrix; lengths: Matrix } {
  const { embeddingSize: e, channelCount: p } = rows.layout;
  const n = items.length;
  const [Z, lengths] = [scope.matrix(n, e), scope.matrix(p, n)];
  const [embeddings, standIns] = [numbersOf(Z), numbersOf(lengths)];
  for (let i = 0; i < n; i++) {
    if (items[i] < 0) throw new NearkinError("INDEX_OUT_OF_RANGE", `item ${items[i]} is outside [0, ${rows.count})`);
    const { shard, local } = locate(rows, items[i]);
    const at = shard.offset + local * shard.rowStride;
    embeddings.set(shard.data.subarray(at, at + e), i * e);
    for (let c = 0; c < p; c++) standIns[c * n + i] = rows.masked[items[i] * p + c] * rows.lengths[c];
  }
  return { Z, lengths };
}

/** One channel of the items (n, e_c), and of each the length that its stand-in has (n, 1), a coordinate of its own. */
function placeChannel(
  Z: Matrix,
  lengths: Matrix,
  items: readonly LiftedItem[],
  { layout: { sizes, starts }, lengths: standIns }: Pick<LiftedRows, "layout" | "lengths">,
  c: number,
): void {
  const { data } = Z;
  items.forEach(({ embedding, masked }, i) => {
    for (let j = 0; j < sizes[c]; j++) data[Z.offset + i * sizes[c] + j] = embedding[starts[c] + j];
    lengths.data[lengths.offset + i] = masked[c] * standIns[c];
  });
}

/** d_c between two items, into `out` (p); 0 if both are the same row of the catalogue. */
export function channelDistancesOf(
  out: Float64Array,
  { layout: { sizes, starts, products }, lengths }: Pick<LiftedRows, "layout" | "lengths">,
  a: LiftedItem,
  b: LiftedItem,
): void {
  out.fill(0);
  if (a.index >= 0 && a.index === b.index) return;
  for (let c = 0; c < out.length; c++) {
    if (products[c]) continue;
    let sum = (a.masked[c] + b.masked[c]) * lengths[c];
    for (let j = starts[c]; j < starts[c] + sizes[c]; j++) sum += (a.embedding[j] - b.embedding[j]) ** 2;
    out[c] = sum;
  }
}
