// Pairs of the Siamese stage, drawn by (seed, step): nothing depends on what was drawn before, so a resumed run draws the same.
import type { Random } from "@nearkin/core";
import type { Histories, Pairs } from "@nearkin/data";

/** Draws `count` pairs, with replacement: anchors into items[0 … count), positives into items[count … 2·count). `users` gets whose they are. */
export function drawPairs(items: Int32Array, users: Int32Array, pairs: Pairs, random: Random): void {
  const count = users.length;
  const total = pairs.anchor.length;
  for (let i = 0; i < count; i++) {
    const pair = random.below(total);
    items[i] = pairs.anchor[pair];
    items[count + i] = pairs.positive[pair];
    users[i] = pairs.user[pair];
  }
}

const TRIES = 20;

/** Draws one negative for each user into `out`: a training item, with `histories` one that the user has not met (as far as 20 tries find one). */
export function drawNegatives(
  out: Int32Array,
  users: Int32Array,
  { candidates, histories, rows }: { candidates: Int32Array; histories?: Histories; rows: Int32Array },
  random: Random,
): void {
  for (let i = 0; i < out.length; i++) {
    for (let attempt = 0; attempt < TRIES; attempt++) {
      out[i] = candidates[random.below(candidates.length)];
      if (histories === undefined || !hasMet(histories, rows[users[i]], out[i])) break;
    }
  }
}

function hasMet(histories: Histories, row: number, item: number): boolean {
  if (row < 0) return false;
  for (let e = histories.starts[row]; e < histories.starts[row + 1]; e++) if (histories.items[e] === item) return true;
  return false;
}

/** Row of the histories by user; −1 for a user without training events. */
export function historyRows(histories: Histories, userCount: number): Int32Array {
  const rows = new Int32Array(userCount).fill(-1);
  histories.userIndex.forEach((user, row) => {
    rows[user] = row;
  });
  return rows;
}

/**
 * log q_j: how often item j is drawn as an in-batch candidate, that is, as the second item of a training pair, one more counted for each item
 * so that new items have a value too.
 */
export function candidateFrequencies(pairs: Pairs, itemCount: number, log: (x: number) => number): Float64Array {
  const counts = new Float64Array(itemCount).fill(1);
  for (let i = 0; i < pairs.positive.length; i++) counts[pairs.positive[i]]++;
  const total = pairs.positive.length + itemCount;
  return counts.map((count) => log(count / total));
}
