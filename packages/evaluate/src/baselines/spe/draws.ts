// What a step looks at: pairs that a user met one after the other, as the Siamese stage draws them, and negatives by a power of their
// frequency.
import { exp, NearkinError, portableLog, type Random } from "@nearkin/core";
import type { Histories } from "@nearkin/data";

/** Draws pairs with replacement: an event that has a successor in its history, and one of the next κ events. */
export function pairSource(
  { starts, items }: Histories,
  window: number,
): (anchors: Int32Array, positives: Int32Array, random: Random) => void {
  const last = new Int32Array(items.length); // of the history that an event belongs to
  for (let row = 0; row + 1 < starts.length; row++) last.fill(starts[row + 1] - 1, starts[row], starts[row + 1]);
  if (last.every((end, event) => end === event)) {
    throw new NearkinError("BAD_DATASET", "spe: no user has two training events; there is nothing to learn from");
  }
  return (anchors, positives, random) => {
    for (let i = 0; i < anchors.length; ) {
      const event = random.below(items.length);
      const left = last[event] - event;
      if (left === 0) continue;
      anchors[i] = items[event];
      positives[i++] = items[event + 1 + random.below(Math.min(window, left))];
    }
  };
}

/** Draws training items with probability ∝ ratings^power: 0 is uniform, 1 as often as they are met. */
export function negativeSource(
  trainItems: Int32Array,
  ratings: Int32Array,
  power: number,
): (out: Int32Array, random: Random) => void {
  let total = 0;
  const cumulative = Float64Array.from(trainItems, (item) => {
    total += exp(power * portableLog(ratings[item]));
    return total;
  });
  return (out, random) => {
    for (let i = 0; i < out.length; i++) {
      const at = random.uniform() * total;
      let low = 0;
      let high = cumulative.length - 1;
      while (low < high) {
        const middle = (low + high) >>> 1;
        if (cumulative[middle] > at) high = middle;
        else low = middle + 1;
      }
      out[i] = trainItems[low];
    }
  };
}
