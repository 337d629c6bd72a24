import { describe, expect, test } from "vitest";
import { askAgain, isRating, markSaved, merge, NOTHING, type Notes, rate, skip, unrate, unsavedOf } from "./notes.ts";

const of = (item: string, rating: number) => ({ item, title: item.toUpperCase(), rating });
const many = (...given: readonly [string, number][]): Notes =>
  given.reduce((notes, [item, rating], i) => rate(notes, of(item, rating), 100 * (i + 1)), NOTHING);
const shown = ({ ratings }: Notes) => ratings.map(({ item, rating }) => `${item} ${rating}`);

test("ratings are halves from 0.5 to 5", () => {
  for (const fine of [0.5, 1, 4.5, 5]) expect(isRating(fine)).toBe(true);
  for (const wrong of [0, 5.5, 3.2, -1, Number.NaN, "4", null]) expect(isRating(wrong)).toBe(false);
});

describe("rate", () => {
  test("puts an item at the end", () => {
    expect(many(["a", 5], ["b", 2]).ratings).toEqual([
      { item: "a", title: "A", rating: 5, time: 100, changed: 100 },
      { item: "b", title: "B", rating: 2, time: 200, changed: 200 },
    ]);
  });

  test("changes a rating in its place", () => {
    const notes = rate(many(["a", 5], ["b", 2]), of("a", 1), 900);
    expect(shown(notes)).toEqual(["a 1", "b 2"]);
    expect(notes.ratings[0]).toMatchObject({ time: 100, changed: 900 });
  });

  test("the same again is no change", () => {
    const notes = many(["a", 5]);
    expect(rate(notes, of("a", 5), 900)).toBe(notes);
  });

  test("what was passed over is so no longer", () => {
    expect(rate(skip(NOTHING, "a"), of("a", 3), 1).skipped).toEqual([]);
  });
});

describe("unrate", () => {
  test("takes a rating away; what is not there changes nothing", () => {
    const notes = many(["a", 5], ["b", 2]);
    expect(shown(unrate(notes, "a"))).toEqual(["b 2"]);
    expect(unrate(notes, "x")).toBe(notes);
  });
});

test("an item is passed over once, and not where it was rated", () => {
  const notes = skip(skip(many(["a", 5]), "b"), "b");
  expect(notes.skipped).toEqual(["b"]);
  expect(skip(notes, "a")).toBe(notes);
  expect(askAgain(notes).skipped).toEqual([]);
});

describe("merge", () => {
  test("the later rating of an item counts, and the order is that of time", () => {
    const here = rate(many(["a", 5], ["b", 2]), of("b", 3), 900);
    const file = {
      ratings: [
        { item: "z", title: null, rating: 1, time: 50, changed: 50 },
        { item: "b", title: "B", rating: 0.5, time: 200, changed: 800 },
        { item: "a", title: "A", rating: 4, time: 100, changed: 999 },
      ],
      skipped: ["a", "q"],
    };
    const merged = merge(here, file);
    expect(shown(merged)).toEqual(["z 1", "a 4", "b 3"]);
    expect(merged.skipped).toEqual(["q"]);
  });

  test("with itself is itself", () => {
    const notes = skip(many(["a", 5], ["b", 2]), "c");
    expect(merge(notes, notes)).toEqual(notes);
  });
});

test("what the server does not know: new, changed and taken back", () => {
  const notes = many(["a", 5], ["b", 2], ["c", 3]);
  expect(unsavedOf(notes)).toEqual({ ratings: notes.ratings, takenBack: [] });
  const saved = markSaved(notes, "ann", 500);
  expect(unsavedOf(saved)).toEqual({ ratings: [], takenBack: [] });
  const later = unrate(rate(rate(saved, of("d", 1), 600), of("b", 1), 700), "a");
  const { ratings, takenBack } = unsavedOf(later);
  expect(ratings.map(({ item }) => item)).toEqual(["b", "d"]);
  expect(takenBack).toEqual(["a"]);
  expect(unsavedOf(markSaved(later, "ann", 800))).toEqual({ ratings: [], takenBack: [] });
  const older = { item: "z", title: null, rating: 1, time: 50, changed: 50 }; // of a file
  expect(unsavedOf(merge(saved, { ratings: [older], skipped: [] })).ratings).toEqual([older]);
});
