import { describe, expect, test } from "vitest";
import {
  type Chosen,
  countsNothing,
  FEW,
  isMoved,
  printChosen,
  questionOf,
  readChosen,
  unitOf,
  weightAt,
} from "./tuning.ts";

const channels = ["genres", "plot", "a:b"];
const read = (text: string) => readChosen(new URLSearchParams(text), channels);
const nothing: Chosen = { user: null, weights: {}, popularity: null, history: null, diversity: 0, k: FEW };

describe("the address", () => {
  test("says whose metric, which weights, popularity and diversity", () => {
    expect(read("user=u0001&weights=plot:2.1,genres:0.3&popularity=0.25&history=0.5&diversity=0.2&k=24")).toEqual({
      user: "u0001",
      weights: { plot: 2.1, genres: 0.3 },
      popularity: 0.25,
      history: 0.5,
      diversity: 0.2,
      k: 24,
    });
  });

  test("of before, or mistyped, still leads somewhere", () => {
    expect(read("user=&weights=gone:1,plot:x,plot&popularity=99&history=-1&diversity=-1&k=0.5")).toEqual(nothing);
    expect(read("weights=&popularity=&k=1000")).toEqual(nothing);
  });

  test.each<Chosen>([
    nothing,
    { user: "u 1&2", weights: { "a:b": 0, plot: -1.5 }, popularity: -0.5, history: 0, diversity: 1, k: 48 },
    { ...nothing, popularity: 0 }, // said, since a user may have another
  ])("printed and read is the same: %j", (chosen) => {
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries(printChosen(chosen))) if (value !== null) query.set(name, value);
    expect(readChosen(query, channels)).toEqual(chosen);
  });

  test("says nothing where nothing was chosen", () => {
    expect(Object.values(printChosen(nothing)).filter((value) => value !== null)).toEqual([]);
  });
});

describe("questionOf", () => {
  const start = { weights: { genres: 0.1, plot: 0.2 }, popularity: 0.4, met: [] };

  test("asks with every channel, those that were moved in place of the user's", () => {
    const question = questionOf({ ...nothing, weights: { plot: 0 } }, start);
    expect(question).toEqual({ weights: { genres: 0.1, plot: 0 }, popularity: 0.4, diversity: 0, k: FEW });
  });

  test("asks about what was met as the model chose it, or as a slider says; 0 leaves it out", () => {
    const met = { ...start, met: ["a", "b"] };
    expect(questionOf(nothing, met).history).toEqual({ items: ["a", "b"], factor: 1 });
    expect(questionOf({ ...nothing, history: 2.5 }, met).history).toEqual({ items: ["a", "b"], factor: 2.5 });
    expect(questionOf({ ...nothing, history: 0 }, met)).not.toHaveProperty("history");
    expect(questionOf({ ...nothing, history: 2 }, start)).not.toHaveProperty("history");
  });

  test("takes popularity 0 for a choice", () => {
    expect(questionOf({ ...nothing, popularity: 0 }, start).popularity).toBe(0);
  });

  test("all weights 0 count nothing", () => {
    expect(countsNothing(questionOf({ ...nothing, weights: { plot: 0, genres: 0 } }, start))).toBe(true);
    expect(countsNothing(questionOf({ ...nothing, weights: { plot: 0 } }, start))).toBe(false);
  });
});

describe("sliders", () => {
  test("1× is what was learned, or a typical weight where that is 0", () => {
    expect(unitOf("plot", { plot: 0.2, genres: 0 })).toBe(0.2);
    expect(unitOf("genres", { plot: 0.2, genres: 0, year: 0.4 })).toBeCloseTo(0.3, 12);
    expect(unitOf("plot", { plot: 0 })).toBe(1);
  });

  test("weights are short enough for an address", () => {
    expect(weightAt(1.35, 0.21147055059230435)).toBe(0.2855);
    expect(weightAt(0, 0.2)).toBe(0);
  });

  test("a choice of a user alone moves nothing", () => {
    expect(isMoved({ ...nothing, user: "u" })).toBe(false);
    expect(isMoved({ ...nothing, popularity: 0 })).toBe(true);
  });
});
