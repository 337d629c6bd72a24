import fc from "fast-check";
import { expect, test } from "vitest";
import { Random } from "../linalg/random.ts";
import { Bed } from "../testing/bed.ts";
import { errorOf } from "../testing/bounds.ts";
import { applyTfidf, fitTfidf } from "./tfidf.ts";
import { tokenize } from "./tokens.ts";

const bed = new Bed({ runs: 200 });
const word = fc.oneof(fc.constantFrom("space", "ship", "love", "war", "the", "x"), fc.string({ unit: "binary" }));
const text = fc.array(word, { maxLength: 8 }).map((words) => words.join(" "));
const texts = fc.array(fc.option(text, { nil: undefined }), { maxLength: 12 });

test("by hand: two terms of three texts", () => {
  const tfidf = fitTfidf(["space ship", "space space love", "love", undefined, "?"]);
  expect(tfidf).toMatchObject({ documents: 3, terms: ["love", "space"] }); // "ship" comes in one text only
  expect(Array.from(tfidf.frequencies)).toEqual([2, 2]);
  const idf = Math.log(4 / 3) + 1;
  expect(tfidf.idf[0]).toBeCloseTo(idf, 15);
  const row = applyTfidf(tfidf, "Space ... space LOVE, ship");
  if (typeof row === "string") throw new Error("a row");
  const norm = Math.hypot(1 + Math.log(2), 1);
  expect(Array.from(row.indices)).toEqual([0, 1]);
  expect(row.values[0]).toBeCloseTo(1 / norm, 14);
  expect(row.values[1]).toBeCloseTo((1 + Math.log(2)) / norm, 14);
});

test("missing and unknown are two things", () => {
  const tfidf = fitTfidf(["space ship", "space ship"]);
  expect(applyTfidf(tfidf, undefined)).toBe("missing");
  expect(applyTfidf(tfidf, "")).toBe("missing");
  expect(applyTfidf(tfidf, "the — !")).toBe("missing");
  expect(applyTfidf(tfidf, "a western")).toBe("unknown");
});

test("the order of texts does not matter", () => {
  const some = texts.map((list) => [...list, "space"]);
  bed.check(fc.tuple(some, fc.nat(), fc.boolean()), ([list, seed, bigrams]) => {
    const shuffled = new Random(seed).shuffle([...list]);
    expect(fitTfidf(shuffled, { minDocuments: 1, bigrams })).toEqual(fitTfidf(list, { minDocuments: 1, bigrams }));
  });
});

test("rows have length 1, ascending indices and positive values, whatever the text", () => {
  bed.check(fc.tuple(texts, text), ([list, query]) => {
    const tfidf = fitTfidf([...list, "space ship"], { minDocuments: 1 });
    const row = applyTfidf(tfidf, query);
    if (typeof row === "string") {
      expect(row === "missing").toBe(tokenize(query).length === 0);
      return;
    }
    expect(row.values.reduce((sum, x) => sum + x * x, 0)).toBeCloseTo(1, 12);
    expect(row.values.every((x) => x > 0)).toBe(true);
    expect(row.indices.every((t, i) => i === 0 || t > row.indices[i - 1])).toBe(true);
    expect(Array.from(row.indices, (t) => tfidf.terms[t]).sort()).toEqual(
      [...new Set(tokenize(query))].filter((token) => tfidf.index.has(token)).sort(),
    );
  });
});

test("tokens are lower case, of two characters or more, and tokens of tokens are themselves", () => {
  bed.check(text, (drawn) => {
    for (const token of tokenize(drawn)) {
      expect([...token].length).toBeGreaterThanOrEqual(2);
      expect(token).not.toMatch(/[\p{P}\p{Z}\p{C}]/u);
    }
    expect(tokenize(drawn.toLowerCase().normalize("NFD"))).toHaveLength(tokenize(drawn.toLowerCase()).length);
  });
});

test("errors", () => {
  expect(errorOf(() => fitTfidf(["space", "ship", undefined]))).toMatchInlineSnapshot(`
    {
      "code": "BAD_ARGUMENT",
      "message": "fitTfidf: no word comes in 2 or more of 2 training texts; lower minDocuments or leave the channel out",
    }
  `);
  expect(errorOf(() => fitTfidf(["space"], { minDocuments: 0 }))).toMatchInlineSnapshot(`
    {
      "code": "BAD_ARGUMENT",
      "message": "fitTfidf: minDocuments must be a whole number of at least 1, got 0",
    }
  `);
  expect(errorOf(() => fitTfidf(["space"], { maxTerms: 0 }))).toMatchInlineSnapshot(`
    {
      "code": "BAD_ARGUMENT",
      "message": "fitTfidf: maxTerms must be a whole number of at least 1, got 0",
    }
  `);
});
