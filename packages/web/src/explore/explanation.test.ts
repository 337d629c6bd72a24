import { describe, expect, test } from "vitest";
import type { ExplainedItem } from "../engine/similarity.ts";
import { holdsBack, moveOf, notKnown, orderOf, segmentsOf, spoken } from "./explanation.ts";

const part = (channel: string, contribution: number, rankWithout: number, unknown: "item" | null = null) => ({
  channel,
  distance: contribution,
  weight: 1,
  contribution,
  share: null,
  unknown,
  rankWithout,
});

const item: ExplainedItem = {
  id: "the-thing-1982",
  title: "The Thing",
  rank: 3,
  score: -1,
  distance: 0.6,
  contributions: [part("genres", 0.1, 3), part("plot", 0.3, 2), part("year", 0, 3), part("taste", 0.2, 2, "item")],
};

test("is spoken largest part first, without those that are 0", () => {
  expect(spoken(item)).toBe("Distance 0.600: plot 0.300, taste 0.200, genres 0.100");
  expect(spoken({ distance: 0, contributions: [] })).toBe("Distance 0.000");
});

describe("what holds an item back", () => {
  test("is the channel without which it would stand highest, the larger of two", () => {
    expect(holdsBack(item, 0)).toEqual({ channel: "plot", rank: 2 });
  });

  test("is nothing where it would stand no higher", () => {
    expect(holdsBack({ ...item, rank: 2 }, 0)).toBeUndefined();
  });

  test("is held against the rank by score in a list that was made to differ", () => {
    expect(holdsBack({ ...item, rank: 2, scoreRank: 5 }, 0.3)).toEqual({ channel: "plot", rank: 2 });
    expect(holdsBack(item, 0.3)).toBeUndefined();
  });
});

test("stand-ins are hatched, and named", () => {
  expect(segmentsOf(item.contributions).map(({ hatched }) => hatched)).toEqual([false, false, false, true]);
  expect(notKnown(item.contributions)).toEqual(["taste"]);
});

test.each([
  [3, 3, { kind: "same" }],
  [3, 5, { kind: "up", by: 2 }],
  [5, 3, { kind: "down", by: 2 }],
  [3, undefined, { kind: "new" }],
])("from %i to %o", (rank, before, move) => {
  expect(moveOf(rank, before)).toEqual(move);
});

test.each([
  [0, 0, "By distance"],
  [0.3, 0, "By distance and popularity"],
  [-0.3, 0.2, "By distance, against popularity, made to differ"],
])("popularity %d and diversity %d: %s", (popularity, diversity, words) => {
  expect(orderOf({ popularity, diversity })).toBe(words);
});
