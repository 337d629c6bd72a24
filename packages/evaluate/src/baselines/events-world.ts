// Small worlds of events, for the tests of the collaborative baselines.
import fc from "fast-check";
import type { Recommender } from "../protocol/recommender.ts";
import type { EventData } from "./events.ts";

/** Histories as lists: the items of each user in time order, with ratings or all 1. */
export function eventData(itemCount: number, items: readonly number[][], ratings?: readonly number[][]): EventData {
  const starts = new Int32Array(items.length + 1);
  items.forEach((history, user) => {
    starts[user + 1] = starts[user] + history.length;
  });
  const all = Int32Array.from(items.flat());
  return {
    itemCount,
    histories: {
      starts,
      items: all,
      ratings: ratings ? Float32Array.from(ratings.flat()) : new Float32Array(all.length).fill(1),
    },
  };
}

export const itemIds = (count: number): string[] => Array.from({ length: count }, (_, item) => `item ${item}`);

/** Even users meet some even items, odd users some odd ones: only parity is to be learned. */
export function checkerboard(users = 40, itemCount = 12): EventData {
  const histories = Array.from({ length: users }, (_, user) =>
    Array.from({ length: itemCount }, (_, item) => item).filter(
      (item) => item % 2 === user % 2 && (item >> 1) % 5 !== (user >> 1) % 5, // each user lacks some of them
    ),
  );
  return eventData(itemCount, histories);
}

/** Histories with repeats, users without events and items that nobody met. */
export const arbitraryHistories = (itemCount: number): fc.Arbitrary<number[][]> =>
  fc.array(fc.array(fc.nat(itemCount - 1), { maxLength: 2 * itemCount }), { minLength: 1, maxLength: 25 });

/** All scores of a query by item; −∞ for what is no candidate, and for the query. */
export function scoresOf(recommender: Recommender, query: number, itemCount: number): number[] {
  const lists = recommender.rank(Int32Array.of(query), itemCount);
  const scores = new Array<number>(itemCount).fill(-Infinity);
  lists.items.forEach((item, place) => {
    if (item >= 0) scores[item] = lists.scores[place];
  });
  return scores;
}

/** X as it is written on paper: (users, items), 1 where a user met an item. */
export function denseEvents(itemCount: number, histories: readonly number[][]): number[][] {
  return histories.map((history) => Array.from({ length: itemCount }, (_, item) => (history.includes(item) ? 1 : 0)));
}

/** XᵀX over some items. */
export function denseGram(X: readonly number[][], items: ArrayLike<number>): number[][] {
  return Array.from(items, (i) => Array.from(items, (j) => X.reduce((sum, row) => sum + row[i] * row[j], 0)));
}
