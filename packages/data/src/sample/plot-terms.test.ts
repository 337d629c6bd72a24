import { describe, expect, test } from "vitest";
import { contentWords, plotTerms } from "./plot-terms.ts";

describe("contentWords", () => {
  test("drops grammar, possessives, repeats and plurals", () => {
    expect(contentWords("A widow's two sons, and the son's armies, must cross the glass city.")).toEqual([
      "widow",
      "son",
      "army",
      "cross",
      "glass",
      "city",
    ]);
  });

  test("keeps letters with accents together", () => {
    expect(contentWords("In Kraków, cafés and a fiancée")).toEqual(["kraków", "café", "fiancée"]);
  });
});

describe("plotTerms", () => {
  test("weighs a word by log(n / plots that have it), and leaves out words of one plot", () => {
    const { values, columns } = plotTerms(["spy train", "train murder", "murder train spy", "robot"]);
    // spy in 2 of 4, train in 3 of 4, murder in 2 of 4; robot in one only
    const [spy, train, murder] = [Math.log(2), Math.log(4 / 3), Math.log(2)];
    expect(columns).toBe(3);
    const expected = [spy, train, 0, 0, train, murder, spy, train, murder, 0, 0, 0];
    expected.forEach((x, i) => {
      expect(values[i]).toBeCloseTo(x, 14);
    });
  });
});
