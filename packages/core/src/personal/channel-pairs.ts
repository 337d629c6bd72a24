// d_c between all items of a user, channel by channel, from the catalogue's lifted rows.
// n items of the user, p channels, N = n(n + 1)/2 pairs
import type { Engine } from "../linalg/engine.ts";
import type { LiftedItem, LiftedRows } from "../rank/rows.ts";
import { pairCount } from "./problem.ts";

/** (p, N), the lower triangle row by row. Items may be rows of the catalogue or drafts. O(n²e), in f64. */
export function channelPairs(
  engine: Engine,
  rows: Pick<LiftedRows, "layout" | "lengths">,
  items: readonly LiftedItem[],
): Float64Array {
  const { sizes, starts, channelCount: p } = rows.layout;
  const n = items.length;
  const N = pairCount(n);
  const pairs = new Float64Array(p * N);
  using scope = engine.scope();
  const T = scope.matrix(n, n);
  const same = scope.indices(n).write(Array.from({ length: n }, (_, i) => i));
  const lengths = scope.matrix(n, 1);
  for (let c = 0; c < p; c++) {
    using own = engine.scope();
    const Z = own.matrix(n, sizes[c]);
    const { data } = Z;
    items.forEach(({ embedding, masked }, i) => {
      for (let j = 0; j < sizes[c]; j++) data[Z.offset + i * sizes[c] + j] = embedding[starts[c] + j];
      data[lengths.offset + i] = masked[c] * rows.lengths[c]; // each stand-in has a coordinate of its own
    });
    engine.distances(T, Z, Z, { same, rowLengths: lengths, columnLengths: lengths });
    for (let i = 0, k = c * N; i < n; i++) {
      for (let j = 0; j <= i; j++, k++) pairs[k] = Math.max(0, data[T.offset + i * n + j]); // rounding may fall below
    }
  }
  return pairs;
}

/** d_c between two items, into `out` (p); 0 where both are the same row of the catalogue. */
export function channelDistancesOf(
  out: Float64Array,
  { layout: { sizes, starts }, lengths }: Pick<LiftedRows, "layout" | "lengths">,
  a: LiftedItem,
  b: LiftedItem,
): void {
  out.fill(0);
  if (a.index >= 0 && a.index === b.index) return;
  for (let c = 0; c < out.length; c++) {
    let sum = (a.masked[c] + b.masked[c]) * lengths[c];
    for (let j = starts[c]; j < starts[c] + sizes[c]; j++) sum += (a.embedding[j] - b.embedding[j]) ** 2;
    out[c] = sum;
  }
}
