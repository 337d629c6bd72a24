// Random lists: what no knowledge at all scores.
import { Random } from "@nearkin/core";
import { emptyLists } from "../protocol/lists.ts";
import type { Recommender } from "../protocol/recommender.ts";

/** Every order of the candidates equally likely, drawn anew for each query from (seed, query). O(k) a query. */
export function chance(ids: readonly string[], seed: number): Recommender {
  const random = new Random(seed).split("chance");
  return {
    name: "random",
    answers: "all",
    knows: () => true,
    rank: (queries, k) => {
      const lists = emptyLists(queries.length, k);
      queries.forEach((query, row) => {
        drawInto(lists.items.subarray(row * k, (row + 1) * k), { query, n: ids.length, random: random.split(query) });
        for (let place = 0; place < Math.min(k, ids.length - 1); place++) lists.scores[row * k + place] = -place;
      });
      return lists;
    },
  };
}

/** The first places of a shuffle of all items but the query, of which only what was moved is remembered. */
function drawInto(places: Int32Array, { query, n, random }: { query: number; n: number; random: Random }): void {
  const moved = new Map<number, number>([[query, n - 1]]); // the last item stands in the query's place
  const at = (place: number) => moved.get(place) ?? place;
  for (let place = 0, left = n - 1; place < places.length && left > 0; place++, left--) {
    const drawn = random.below(left);
    places[place] = at(drawn);
    moved.set(drawn, at(left - 1));
  }
}
