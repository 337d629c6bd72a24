// The world that golden tests compute by hand: five users, seven items, 21 rows. Letters of both cases and beyond ASCII, four duplicates, ties
// in time, `z` that only the item file knows and `B` that only the interactions know.
import type { Event, World } from "./world.ts";

/** Rows of the file, in its order. */
export const smallRows: readonly Event[] = [
  ["U", "a", 4, 100],
  ["U", "b", 3, 200],
  ["U", "c", 5, 300],
  ["U", "d", 2, 400],
  ["a", "a", 5, 110],
  ["a", "b", 4, 210],
  ["a", "c", 1, 210], // the same second as the row before: history goes by item
  ["a", "b", 2, 150], // further down but earlier: the row above wins
  ["b", "a", 3, 120],
  ["b", "B", 4, 120],
  ["b", "c", 2, 310],
  ["b", "c", 4, 310], // three in one second: the highest rating wins
  ["b", "c", 3, 310],
  ["c", "a", 2, 130],
  ["c", "b", 5, 230],
  ["c", "c", 3, 330],
  ["c", "é", 4, 500],
  ["c", "é", 1, 490],
  ["ü", "d", 5, 410],
  ["ü", "é", 2, 500],
  ["ü", "a", 1, 520],
];

/** Ids in the order of their bytes: the place is the index. */
export const smallUsers = ["U", "a", "b", "c", "ü"];
export const smallItems = ["B", "a", "b", "c", "d", "z", "é"];

export function writeSmallWorld(world: World): void {
  world.ratings(smallRows);
  world.csv(
    "items.csv",
    ["movieId", "title", "genres"],
    [
      ["z", "Zed", "West|East"],
      ["é", "Été", "North"],
      ["d", "Dee", "South|East"],
      ["c", "Cee", "East"],
      ["b", "Bee", "West"],
      ["a", "Eh", ""],
    ],
  );
}
