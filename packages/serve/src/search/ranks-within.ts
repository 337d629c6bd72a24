// Ranks without a channel, from a list alone. Setting a channel's distance to 0 can only raise an item where the channel's weight is not negative: those
// who still come before it are among those who come before it now, and these are in the list. So no scan is needed.
import { comesBefore, type Neighbour, type Scored } from "@nearkin/core";

/**
 * (p) Rank of the item at `place` of a list, if the distance in one channel were 0. The list holds the best candidates, best first, all that come before
 * the place. Undefined where a contribution is negative: then the item could fall behind candidates that the list does not have.
 */
export function ranksWithin(
  list: readonly Scored[],
  place: number,
  { contributions, item }: Pick<Neighbour, "contributions" | "item">,
  { hashes, temperature }: { hashes: Uint32Array; temperature: number },
): Int32Array | undefined {
  if (contributions.some((contribution) => contribution < 0)) return undefined;
  const without = new Int32Array(contributions.length);
  for (let c = 0; c < contributions.length; c++) {
    const raised = { item, score: list[place].score + contributions[c] / temperature };
    // best first: those who come before the raised item are the first ones
    let [low, high] = [0, place];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (comesBefore(hashes, list[middle], raised)) low = middle + 1;
      else high = middle;
    }
    without[c] = 1 + low;
  }
  return without;
}
