import fc from "fast-check";
import { expect, test } from "vitest";
import { Random } from "../linalg/random.ts";
import { Bed } from "../testing/bed.ts";
import { errorOf } from "../testing/bounds.ts";
import { applyCategories, fitCategories } from "./categories.ts";

const bed = new Bed({ runs: 200 });
const term = fc.oneof(
  fc.constantFrom("Drama", "War", "Comedy", "constructor", "__proto__"),
  fc.string({ maxLength: 3 }),
);
const terms = fc.array(term, { maxLength: 5 });
const items = fc.array(fc.option(terms, { nil: undefined }));
const some = items.filter((list) => list.some((row) => row !== undefined && row.length > 0));

test("most frequent first, equal counts in code-unit order; a term counts once per item", () => {
  const fitted = fitCategories([["b", "a", "b"], ["é", "Z"], undefined, ["a", "z"], []]);
  expect(fitted.terms).toEqual(["a", "Z", "b", "z", "é"]);
  expect(Array.from(fitted.counts)).toEqual([2, 1, 1, 1, 1]);
  expect(fitted).toMatchObject({ count: 4, missing: 1, dropped: 0 });
});

test("rare terms and those beyond maxTerms are dropped, and then unknown", () => {
  const list = [
    ["a", "b", "c"],
    ["a", "b"],
    ["a", "d"],
  ];
  const fitted = fitCategories(list, { minCount: 2 });
  expect(fitted).toMatchObject({ terms: ["a", "b"], dropped: 2 });
  expect(applyCategories(fitted, ["d", "b"])).toEqual({ indices: new Int32Array([1]), unknown: ["d"] });
  expect(fitCategories(list, { maxTerms: 1 })).toMatchObject({ terms: ["a"], dropped: 3 });
});

test("missing, empty and unknown are three things", () => {
  const fitted = fitCategories([["a"]]);
  expect(applyCategories(fitted, undefined)).toBeUndefined();
  expect(applyCategories(fitted, [])).toEqual({ indices: new Int32Array(0), unknown: [] });
  expect(applyCategories(fitted, ["x", "y", "x"])).toEqual({ indices: new Int32Array(0), unknown: ["x", "y"] });
});

test("the order of items and of terms does not matter", () => {
  bed.check(fc.tuple(some, fc.nat()), ([list, seed]) => {
    const random = new Random(seed);
    const shuffled = random.shuffle(list.map((row) => row && random.shuffle([...row])));
    expect(fitCategories(shuffled)).toEqual(fitCategories(list));
  });
});

test("every term of an item is a column or unknown, never an error; columns ascend", () => {
  bed.check(fc.tuple(some, terms), ([list, query]) => {
    const fitted = fitCategories(list);
    const row = applyCategories(fitted, query);
    const { indices, unknown } = row as NonNullable<typeof row>;
    const found = [...indices].map((j) => fitted.terms[j]);
    expect(new Set([...found, ...unknown])).toEqual(new Set(query));
    expect(found.length + unknown.length).toBe(new Set(query).size);
    expect([...indices].every((j, i) => i === 0 || j > indices[i - 1])).toBe(true);
    expect(unknown.every((text) => !list.some((training) => training?.includes(text)))).toBe(true);
  });
});

test("errors", () => {
  expect(errorOf(() => fitCategories([undefined, []]))).toMatchInlineSnapshot(`
    {
      "code": "BAD_ARGUMENT",
      "message": "fitCategories: no term comes in 1 or more of 1 training items (1 more have none); lower minCount or leave the channel out",
    }
  `);
  expect(errorOf(() => fitCategories([["a"]], { minCount: 0 }))).toMatchInlineSnapshot(`
    {
      "code": "BAD_ARGUMENT",
      "message": "fitCategories: minCount must be a whole number of at least 1, got 0",
    }
  `);
  expect(errorOf(() => fitCategories([["a"]], { maxTerms: 1.5 }))).toMatchInlineSnapshot(`
    {
      "code": "BAD_ARGUMENT",
      "message": "fitCategories: maxTerms must be a whole number of at least 1, got 1.5",
    }
  `);
});
