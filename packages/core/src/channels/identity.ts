// Identity: every training item has a vector of its own, learnt from who liked it. All there is to know here is which items those
// are; the vectors are weights of the model. Any other item is cold.
import { NearkinError } from "../errors.ts";
import type { ItemIndex } from "../model/ids.ts";
import { type Stored, type StoredReader, vectorTensor } from "./stored.ts";

export interface IdentityTransform {
  readonly type: "identity";
  /** Training items, ascending: the item at position i has row i of the identity vectors. */
  readonly items: Int32Array;
}

/** The training items, in any order. */
export function fitIdentity(items: Iterable<ItemIndex>): IdentityTransform {
  const sorted = Int32Array.from(items).sort();
  if (sorted.length === 0) throw new NearkinError("BAD_ARGUMENT", "fitIdentity: there are no training items");
  const at = firstDisorder(sorted);
  if (at >= 0) {
    throw new NearkinError("BAD_ARGUMENT", `fitIdentity: items are whole numbers ≥ 0, each once; found ${sorted[at]}`);
  }
  return { type: "identity", items: sorted };
}

/**
 * The row of an item's identity vector, or undefined for a cold item.
 *
 * @example
 * const trained = fitIdentity([7, 2, 5]);
 * applyIdentity(trained, 5) // => 1
 * applyIdentity(trained, 3) // => undefined
 */
export function applyIdentity({ items }: IdentityTransform, item: ItemIndex): number | undefined {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (items[middle] < item) low = middle + 1;
    else high = middle;
  }
  return items[low] === item ? low : undefined;
}

export function encodeIdentity({ type, items }: IdentityTransform): Stored {
  return { json: { type }, tensors: { items: vectorTensor.i32(items) } };
}

export function decodeIdentity(stored: StoredReader): IdentityTransform {
  const items = stored.i32("items");
  if (items.length === 0 || firstDisorder(items) >= 0) throw stored.problem(`"items" must be ascending indices`);
  return { type: "identity", items };
}

/** Position of the first entry that is negative or not above the one before it; −1 if there is none. */
function firstDisorder(items: Int32Array): number {
  return items.findIndex((item, i) => item < 0 || (i > 0 && item <= items[i - 1]));
}
