// Items that a metric cannot tell apart. Where only one channel counts, or items have nothing but their categories, many rows are equal in
// every column that counts: to any query they have the same score, to the last bit. Such items are a class: scanned once, then listed in the
// order of ties.
// n items, g classes, w columns of a row, v of them that count
import type { QueryOptions } from "./query.ts";
import type { LiftedRows } from "./rows.ts";

const WORTH = 0.5; // of the numbers in the rows: where more are left, rows are scanned as they are
const TRIAL = 4096; // rows of which some are equal wherever half of all are

export interface RowClasses {
  /** g */
  readonly count: number;
  /** (n) */
  readonly classOf: Int32Array;
  /** (g + 1) Where each class begins among the members. */
  readonly starts: Int32Array;
  /** (n) Items, class by class, each class in the order of ties. */
  readonly members: Int32Array;
  /** (g) Tie hash of each class's first member. */
  readonly hashes: Uint32Array;
  /** (v) The columns that count, ascending. */
  readonly columns: Int32Array;
  /** (g, v) */
  readonly values: Float32Array;
}

/**
 * Classes by the channels that have a weight, and by log q where β ≠ 0. Undefined where scanning them would read more than half of what the
 * rows are.
 */
export function rowClasses(
  rows: LiftedRows,
  { weights, popularity = 0 }: Pick<QueryOptions, "weights" | "popularity">,
): RowClasses | undefined {
  const channels = rows.layout.sizes.map((_, c) => c).filter((c) => weights[c] !== 0);
  const columns = columnsThatCount(rows, channels, popularity);
  const distinct = columns.length > 0 ? distinctRows(rows, columns, channels) : undefined;
  if (!distinct) return undefined;
  const { classOf, values } = distinct;
  const count = values.length / columns.length;
  const { starts, members } = membersOf(rows, classOf, count);
  const hashes = Uint32Array.from({ length: count }, (_, g) => rows.hashes[members[starts[g]]]);
  return { count, classOf, starts, members, hashes, columns, values };
}

/** Embeddings and norms of these channels, and log q where it is weighed. */
function columnsThatCount({ layout }: LiftedRows, channels: readonly number[], popularity: number): Int32Array {
  const { starts, sizes, embeddingSize: e, width } = layout;
  const embeddings = channels.flatMap((c) => Array.from({ length: sizes[c] }, (_, j) => starts[c] + j));
  const norms = channels.map((c) => e + c);
  return Int32Array.from([...embeddings, ...norms, ...(popularity === 0 ? [] : [width - 1])]);
}

/** The class of each item, numbered as they are met, and its values. Equal means: bit by bit. */
function distinctRows(
  rows: LiftedRows,
  columns: Int32Array,
  channels: readonly number[],
): { classOf: Int32Array; values: Float32Array } | undefined {
  const { count: n, masked } = rows;
  const { channelCount: p, width: w } = rows.layout;
  const v = columns.length;
  const most = Math.min(n, Math.floor((WORTH * n * w) / v));
  const values = new Int32Array((most + 1) * v); // as bits; a row is written where the next class would be
  const firsts = new Int32Array(most + 1); // the first item of each class
  const classOf = new Int32Array(n);
  const slots = 2 ** Math.ceil(Math.log2(2 * n + 1));
  const table = new Int32Array(slots).fill(-1); // open addressing
  let count = 0;
  let item = 0;
  for (const { rows: shard } of rows.shards) {
    const bits = new Int32Array(shard.data.buffer, shard.data.byteOffset, shard.data.length);
    for (let i = 0; i < shard.rows; i++, item++) {
      const at = shard.offset + i * shard.rowStride;
      let hash = 0;
      for (let j = 0; j < v; j++) {
        const value = bits[at + columns[j]];
        values[count * v + j] = value;
        hash = Math.imul(hash ^ value, 0x85ebca6b);
        hash ^= hash >>> 15; // the low bits of most fractions that categories make are 0
      }
      let slot = hash & (slots - 1);
      while (table[slot] >= 0 && !isEqual(table[slot], item)) slot = (slot + 1) & (slots - 1);
      if (table[slot] < 0) {
        if (count === most) return undefined;
        firsts[count] = item;
        table[slot] = count++;
      }
      classOf[item] = table[slot];
      if (item === TRIAL && count > TRIAL && most < n) return undefined;
    }
  }
  return { classOf, values: new Float32Array(values.buffer, 0, count * v) };

  function isEqual(g: number, candidate: number): boolean {
    for (let j = 0; j < v; j++) if (values[g * v + j] !== values[count * v + j]) return false;
    // A stand-in whose own coordinate is too short to show in the rounded norm is a stand-in all the same.
    for (const c of channels) if (masked[firsts[g] * p + c] !== masked[candidate * p + c]) return false;
    return true;
  }
}

/** Items by class, each class by tie hash, then by item. */
function membersOf(
  { count: n, hashes }: LiftedRows,
  classOf: Int32Array,
  count: number,
): { starts: Int32Array; members: Int32Array } {
  const starts = new Int32Array(count + 1);
  for (let i = 0; i < n; i++) starts[classOf[i] + 1]++;
  for (let g = 0; g < count; g++) starts[g + 1] += starts[g];
  const members = new Int32Array(n);
  const next = starts.slice(0, count);
  for (let i = 0; i < n; i++) members[next[classOf[i]]++] = i;
  const byTie = (a: number, b: number) => hashes[a] - hashes[b] || a - b;
  for (let g = 0; g < count; g++) {
    if (starts[g + 1] - starts[g] > 1) members.subarray(starts[g], starts[g + 1]).sort(byTie);
  }
  return { starts, members };
}
