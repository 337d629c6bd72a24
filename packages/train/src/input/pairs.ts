// Pairs of the Siamese stage, drawn by (seed, step): nothing depends on what was drawn before, so a resumed run draws the same.
import type { Random } from "@nearkin/core";
import type { Histories } from "@nearkin/data";

/**
 * Draws as many pairs as `rows` holds, with replacement: an event that has a successor in the same history, and one of the next κ events.
 * Anchors go into items[0 … count), positives into items[count … 2·count); `rows` gets the row of the history they are from.
 */
export function drawPairs(
  items: Int32Array,
  rows: Int32Array,
  { histories, window }: { histories: Histories; window: number },
  random: Random,
): void {
  const { starts, items: events } = histories;
  const count = rows.length;
  for (let i = 0; i < count; ) {
    const event = random.below(events.length);
    const row = rowOf(starts, event);
    const left = starts[row + 1] - 1 - event;
    if (left === 0) continue; // the last of its history
    items[i] = events[event];
    items[count + i] = events[event + 1 + random.below(Math.min(window, left))];
    rows[i++] = row;
  }
}

/** The history that an event belongs to: the last that begins at or before it. */
function rowOf(starts: Int32Array, event: number): number {
  let low = 0;
  let high = starts.length - 1;
  while (high - low > 1) {
    const middle = (low + high) >>> 1;
    if (starts[middle] <= event) low = middle;
    else high = middle;
  }
  return low;
}

const TRIES = 20;

/** Draws one negative for each row into `out`: a training item, with `histories` one that is not in that row (as far as 20 tries find one). */
export function drawNegatives(
  out: Int32Array,
  rows: Int32Array,
  { candidates, histories }: { candidates: Int32Array; histories?: Histories },
  random: Random,
): void {
  for (let i = 0; i < out.length; i++) {
    for (let attempt = 0; attempt < TRIES; attempt++) {
      out[i] = candidates[random.below(candidates.length)];
      if (histories === undefined || !hasMet(histories, rows[i], out[i])) break;
    }
  }
}

function hasMet(histories: Histories, row: number, item: number): boolean {
  for (let e = histories.starts[row]; e < histories.starts[row + 1]; e++) if (histories.items[e] === item) return true;
  return false;
}

/** log q_j: how often item j is drawn as a candidate, which is as often as it was met; once for an item that never was. */
export function candidateFrequencies(ratings: Int32Array, log: (x: number) => number): Float64Array {
  let total = 0;
  for (let item = 0; item < ratings.length; item++) total += ratings[item];
  return Float64Array.from(ratings, (count) => log(Math.max(count, 1) / Math.max(total, 1)));
}
