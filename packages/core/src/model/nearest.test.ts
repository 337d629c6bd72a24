import fc from "fast-check";
import { expect, test } from "vitest";
import { Bed } from "../testing/bed.ts";
import { didYouMean, nearestNames } from "./nearest.ts";

const bed = new Bed({ runs: 300 });

test("slips of the keyboard, parts of a name, upper and lower case", () => {
  const names = ["title", "plot", "genres", "year", "The Quiet Harbour", null, ""];
  expect(nearestNames("genre", names)).toEqual(["genres"]);
  expect(nearestNames("plto", names)).toEqual(["plot"]);
  expect(nearestNames("TITEL", names)).toEqual(["title"]);
  expect(nearestNames("harbour", names)).toEqual(["The Quiet Harbour"]);
  expect(nearestNames("colour", names)).toEqual([]);
  expect(nearestNames("", names)).toEqual([]);
});

test("nearest first, at most as many as asked for", () => {
  const names = ["tt0000019", "tt0000011", "tt0000012", "tt0009912"];
  expect(nearestNames("tt000001", names, 2)).toEqual(["tt0000019", "tt0000011"]); // both contain it, in the order given
  expect(nearestNames("tt0000012", names)).toEqual(["tt0000012", "tt0000019", "tt0000011"]);
});

test("finds whatever is one edit away", () => {
  const word = fc.string({ unit: fc.constantFrom(..."abcdefgh"), minLength: 4, maxLength: 12 });
  bed.check(fc.record({ word, at: fc.nat(20), others: fc.array(word, { maxLength: 5 }) }), ({ word, at, others }) => {
    const place = at % word.length;
    const slips = [
      word.slice(0, place) + word.slice(place + 1),
      `${word.slice(0, place)}x${word.slice(place)}`,
      `${word.slice(0, place)}x${word.slice(place + 1)}`,
    ];
    for (const slip of slips) expect(nearestNames(slip, [...others, word], 6)).toContain(word);
  });
});

test("a million names cost no more than the first of them", () => {
  let taken = 0;
  function* names() {
    for (; taken < 1e6; taken++) yield `a rather long name of item number ${taken}`;
  }
  expect(nearestNames("a rather long name of itme number 17", names())[0]).toBe("a rather long name of item number 17");
  expect(taken).toBeLessThanOrEqual(200_000);
});

test("in words", () => {
  expect([[], ["a"], ["a", "b"], ["a", "b", "c"]].map(didYouMean)).toEqual([
    "",
    '; did you mean "a"?',
    '; did you mean "a" or "b"?',
    '; did you mean "a", "b" or "c"?',
  ]);
});
