// The inputs of a batch, copied from those of the catalogue into a scope, with dropout. B rows, d input width, n items.
import { NearkinError } from "../errors.ts";
import type { Scope } from "../linalg/arena.ts";
import type { Engine, SparseRows } from "../linalg/engine.ts";
import { checkAlive, type Indices, type Matrix, type Precision } from "../linalg/matrix.ts";
import type { Random } from "../linalg/random.ts";
import type { ChannelInput } from "./ensemble.ts";
import { clearRows, NO_ROWS } from "./rows.ts";

export interface Batch {
  readonly engine: Engine;
  readonly scope: Scope;
  readonly precision: Precision;
  /** (B) */
  readonly items: Indices;
  /** Probability that an input becomes 0. */
  readonly dropout: number;
  /** There where `dropout` is above 0. */
  readonly random: Random | undefined;
}

/** A copy of `items` in the scope, at least `least` of them: the last one is repeated. Each must lie in [0, n). */
export function copyItems(scope: Scope, items: Indices | Int32Array, itemCount: number, least: number): Indices {
  if (items.length === 0) throw new NearkinError("BAD_ARGUMENT", "embed: needs at least one item");
  const copy = scope.indices(Math.max(items.length, least));
  const isArray = items instanceof Int32Array;
  if (!isArray) checkAlive("embed: items", items);
  const source = isArray ? items : items.data;
  const from = isArray ? 0 : items.offset;
  const { data, offset } = copy;
  for (let i = 0; i < copy.length; i++) {
    const item = source[from + Math.min(i, items.length - 1)];
    if (!(item >= 0 && item < itemCount)) {
      throw new NearkinError(
        "INDEX_OUT_OF_RANGE",
        `embed: items: position ${i} holds ${item}; valid are 0 to ${itemCount - 1}`,
      );
    }
    data[offset + i] = item;
  }
  return copy;
}

/** Rows of the batch whose item has a 1 in `flags` (n). */
export function rowsWhere({ items }: Batch, flags: Uint8Array): readonly number[] {
  const { data, offset, length } = items;
  let rows: number[] | undefined;
  for (let i = 0; i < length; i++) {
    if (flags[data[offset + i]] === 0) continue;
    rows ??= [];
    rows.push(i);
  }
  return rows ?? NO_ROWS;
}

/** X (B, d). The inputs of `missing` rows become 0: the catalogue may hold anything there, and 0·NaN is NaN. */
export function denseRows(
  { engine, scope, precision, items, dropout, random }: Batch,
  { values }: ChannelInput & { kind: "dense" },
  missing: readonly number[],
): Matrix {
  const X = scope.matrix(items.length, values.cols, precision);
  if (values.precision === precision) {
    engine.gatherRows(X, values, items);
  } else {
    const stored = scope.matrix(items.length, values.cols, values.precision);
    engine.gatherRows(stored, values, items);
    engine.convert(X, stored);
  }
  clearRows(X, missing);
  if (dropout > 0 && random) engine.dropout(X, X, dropout, random);
  return X;
}

/** The batch's rows of S (n, d); those of missing items have no entries. */
export function sparseRows(
  { engine, scope, precision, items, dropout, random }: Batch,
  { starts: all, columns: entries, missing, value, width }: ChannelInput & { kind: "sparse" },
): SparseRows {
  let count = 0;
  for (let i = 0; i < items.length; i++) {
    const item = items.data[items.offset + i];
    if (missing[item] === 0) count += all[item + 1] - all[item];
  }
  const starts = scope.indices(items.length + 1);
  const columns = scope.indices(count);
  const values = scope.matrix(count, 1, precision);
  const [of, begin, to] = [items.data, starts.data, columns.data]; // fetched after the last allocation
  let at = 0;
  for (let i = 0; i < items.length; i++) {
    const item = of[items.offset + i];
    begin[starts.offset + i] = at;
    if (missing[item] !== 0) continue;
    for (let entry = all[item]; entry < all[item + 1]; entry++) to[columns.offset + at++] = entries[entry];
  }
  begin[starts.offset + items.length] = at;
  values.fill(value);
  if (dropout > 0 && random) engine.dropout(values, values, dropout, random);
  return { rows: items.length, cols: width, starts, columns, values };
}
