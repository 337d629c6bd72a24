// d_c between all items of a user, channel by channel, from the catalogue's lifted rows.
// n items of the user, p channels, N = n(n + 1)/2 pairs
import type { Engine } from "../linalg/engine.ts";
import type { Matrix } from "../linalg/matrix.ts";
import type { LiftedItem, LiftedRows } from "../rank/rows.ts";
import { pairCount } from "./problem.ts";

/** (p, N), the lower triangle row by row. Items may be rows of the catalogue or drafts. O(n²e), in f64. */
export function channelPairs(
  engine: Engine,
  rows: Pick<LiftedRows, "layout" | "lengths">,
  items: readonly LiftedItem[],
): Float64Array {
  const { sizes, channelCount: p } = rows.layout;
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
    placeChannel(Z, lengths, items, rows, c);
    const { data } = T;
    engine.distances(T, Z, Z, { same, rowLengths: lengths, columnLengths: lengths });
    for (let i = 0, k = c * N; i < n; i++) {
      for (let j = 0; j <= i; j++, k++) pairs[k] = Math.max(0, data[T.offset + i * n + j]); // rounding may fall below
    }
  }
  return pairs;
}

/** (a, b, stride) d_c of every a with every b, channel c at place c of each `stride` numbers. O(abe), in f64. */
export function crossPairs(
  engine: Engine,
  rows: Pick<LiftedRows, "layout" | "lengths">,
  [A, B]: readonly [readonly LiftedItem[], readonly LiftedItem[]],
  stride: number = rows.layout.channelCount,
): Float64Array {
  const { sizes, channelCount: p } = rows.layout;
  const pairs = new Float64Array(A.length * B.length * stride);
  const columnOf = new Map(B.map(({ index }, j) => [index, j]));
  using scope = engine.scope();
  const T = scope.matrix(A.length, B.length);
  const same = scope.indices(A.length).write(A.map(({ index }) => (index < 0 ? -1 : (columnOf.get(index) ?? -1))));
  for (let c = 0; c < p; c++) {
    using own = engine.scope();
    const [ZA, ZB] = [own.matrix(A.length, sizes[c]), own.matrix(B.length, sizes[c])];
    const [rowLengths, columnLengths] = [own.matrix(A.length, 1), own.matrix(B.length, 1)];
    placeChannel(ZA, rowLengths, A, rows, c);
    placeChannel(ZB, columnLengths, B, rows, c);
    engine.distances(T, ZA, ZB, { same, rowLengths, columnLengths });
    const { data, offset } = T;
    for (let k = 0, at = c; k < A.length * B.length; k++, at += stride) pairs[at] = Math.max(0, data[offset + k]); // rounding may fall below
  }
  return pairs;
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
