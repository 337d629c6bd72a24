// "Because you watched X": which X. A seed is an item that the user liked, not long ago, and unlike the seeds before it, so that rows do not
// repeat each other. Greedily, the next is the x with the largest
//
//   ½·worth(x) + ½·min_{y chosen} t(x, y)/Σ h       worth = liking · ½^(items since / 20)
//
// t is the user's own distance; Σ h is what two random items are apart, so both terms run from 0 to about 1.
import { channelDistances, type LiftedRows, liftedItem, totalDistance } from "@nearkin/core";

const LOOKED_AT = 200; // a user's last items
const HALF_LIFE = 20; // items

/** An item that a user met. */
export interface Met {
  readonly row: number;
  readonly rating: number | null;
  /** ms since 1970 */
  readonly time: number;
}

export interface Seed extends Met {
  readonly reason: string;
}

/** At most `count` seeds, best first. Items are the user's, each once, the oldest first; those rated below the user's mean are none. */
export function chooseSeeds(
  rows: LiftedRows,
  met: readonly Met[],
  { count, weights, titleOf }: { count: number; weights: Float64Array; titleOf: (row: number) => string },
): Seed[] {
  const ratings = met.flatMap(({ rating }) => (rating === null ? [] : [rating]));
  const mean = ratings.reduce((sum, rating) => sum + rating / ratings.length, 0);
  const best = Math.max(...ratings, mean + Number.EPSILON);
  const liking = (rating: number | null): number =>
    rating === null ? 0.5 : rating < mean ? 0 : 0.5 + (0.5 * (rating - mean)) / Math.max(best - mean, Number.EPSILON);
  const last = met.slice(-LOOKED_AT).reverse();
  const open = last
    .map((item, since) => ({ item, worth: liking(item.rating) * 0.5 ** (since / HALF_LIFE), nearest: 1 }))
    .filter(({ worth }) => worth > 0);
  const positive = weights.map((weight) => Math.max(weight, 0));
  const typical = positive.reduce((sum, weight) => sum + weight, 0) || 1;
  const seeds: Seed[] = [];
  while (seeds.length < count && open.length > 0) {
    let place = 0;
    for (let i = 1; i < open.length; i++) if (value(open[i]) > value(open[place])) place = i;
    const [{ item }] = open.splice(place, 1);
    seeds.push({ ...item, reason: reasonOf(item, titleOf(item.row), mean) });
    const chosen = { items: [liftedItem(rows, item.row)] };
    for (const entry of open) {
      const distance = totalDistance(positive, channelDistances(rows, chosen, entry.item.row)) / typical;
      entry.nearest = Math.min(entry.nearest, distance);
    }
  }
  return seeds;
}

const value = ({ worth, nearest }: { worth: number; nearest: number }): number => worth + nearest;

function reasonOf({ rating }: Met, title: string, mean: number): string {
  if (rating === null) return `you met ${title}`;
  const above = rating - mean;
  return `you gave ${title} ${rating}${above >= 0.05 ? `, ${above.toFixed(1)} more than you usually give` : ""}`;
}
