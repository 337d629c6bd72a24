import { describe, expect, test } from "vitest";
import { inferChannel } from "./infer.ts";
import { profile } from "./profile.ts";

/** Decides on a column of 40 cells. */
function decide(column: string, cell: (i: number) => string | null): unknown {
  const decision = inferChannel(
    profile(
      column,
      Array.from({ length: 40 }, (_, i) => cell(i)),
    ),
  );
  return "skip" in decision ? decision.skip : { ...decision.channel, column: undefined };
}
const pick =
  (...words: string[]) =>
  (i: number) =>
    words[i % words.length];
const GROUPED = String.raw`\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?`;
const WORDS = ["lantern", "harbour", "moss", "orchard", "river", "winter", "garden", "letter", "stone"];

describe("numbers", () => {
  test.each<[string, string, (i: number) => string | null, object | string]>([
    ["plain", "runtime", (i) => `${80 + ((i * 7) % 50)}.0`, { type: "number" }],
    ["skewed ones by their logarithm", "budget", (i) => String(2 ** (i % 20)), { type: "number", log: true }],
    ["negative ones never", "altitude", (i) => String(-(2 ** (i % 20))), { type: "number" }],
    [
      "a few that are none",
      "pages",
      (i) => (i === 9 ? "about 90" : String(90 + ((i * 7) % 50))),
      { type: "number", pattern: String.raw`^\s*([+-]?\d+(?:\.\d+)?)\s*$` },
    ],
    [
      "with words for not known",
      "pages",
      (i) => (i % 5 === 0 ? "unknown" : String(90 + ((i * 7) % 50))),
      { type: "number", missing: ["unknown"] },
    ],
    [
      "a price",
      "price",
      (i) => `$${10 + (i % 9)}.50`,
      { type: "number", pattern: String.raw`^\s*\$\s*(${GROUPED})\s*$`, thousands: "," },
    ],
    [
      "a price in euro",
      "price",
      (i) => `${10 + (i % 9)} €`,
      { type: "number", pattern: String.raw`^\s*(${GROUPED})\s*€\s*$`, thousands: "," },
    ],
    [
      "prices with thousands, some or all",
      "price",
      (i) => (i % 2 === 0 ? "$1,997.53" : `$${900 + i}.50`),
      { type: "number", pattern: String.raw`^\s*\$\s*(${GROUPED})\s*$`, thousands: "," },
    ],
    [
      "dear prices",
      "price",
      (i) => `$1,${100 + i}.00`,
      { type: "number", pattern: String.raw`^\s*\$\s*(${GROUPED})\s*$`, thousands: "," },
    ],
    [
      "a duration",
      "runtime",
      (i) => `${80 + (i % 9)} min`,
      { type: "number", pattern: String.raw`^\s*(\d+(?:\.\d+)?)\s*min\s*$` },
    ],
    ["seconds under a name of time", "created_at", (i) => String(1_500_000_000 + 1e6 * i), { type: "date" }],
    ["a row number", "nr", (i) => String(i + 1), "counts the rows"],
    [
      "decimal commas",
      "price",
      (i) => `${i},99`,
      'numbers with commas, such as 0,99: declare it with decimal: "," or thousands: ","',
    ],
    [
      "thousands",
      "price",
      (i) => `1,${100 + i}.00`,
      'numbers with commas, such as 1,100.00: declare it with decimal: "," or thousands: ","',
    ],
  ])("%s", (_, column, cell, expected) => {
    expect(decide(column, cell)).toEqual(expected);
  });

  test.each([
    "average_rating",
    "vote_average",
    "tmdb_vote_count",
    "popularity",
    "rating_number",
    "numRatings",
    "avgscore",
    "Review Count",
    "stars",
    "salesRank",
    "plays",
  ])("%s is derived from what people did", (column) => {
    expect(decide(column, (i) => String(i % 7))).toMatch(/summed up from ratings/);
  });

  test.each(["content_rating", "age_rating", "start_year", "rate", "operating_hours", "playground"])(
    "%s is not",
    (column) => {
      expect(decide(column, (i) => String(i % 7))).toMatchObject({ type: "number" });
    },
  );
});

describe("names and words", () => {
  test.each<[string, string, (i: number) => string | null, object | string]>([
    [
      "bars",
      "genres",
      (i) => `${pick("Drama", "War")(i)}|${pick("Noir", "Comedy", "Opera")(i)}`,
      { type: "categories", separator: "|" },
    ],
    [
      "commas and a space",
      "tags",
      (i) => `${pick("a b", "c")(i)}, ${pick("d", "e", "f")(i)}`,
      { type: "categories", separator: ", " },
    ],
    [
      "semicolons",
      "cast",
      (i) => `${pick("Ann Moss", "Bo Lind")(i)};Person ${i}`,
      { type: "categories", separator: ";" },
    ],
    [
      "levels in a column called path",
      "path",
      (i) => `Outdoor > ${pick("Tents", "Stoves", "Sleeping Bags")(i)} > ${pick("Small", "Large")(i)}`,
      { type: "categories", separator: " > " },
    ],
    [
      "levels between slashes",
      "category_path",
      (i) => `${pick("Outdoor", "Indoor")(i)}/${pick("Tents", "Stoves", "Lamps")(i)}`,
      { type: "categories", separator: "/" },
    ],
    [
      "levels under another name",
      "department",
      (i) => `Home, Garden > ${pick("Tents", "Stoves")(i)}`,
      {
        type: "categories",
        separator: " > ",
      },
    ],
    ["paths of files", "path", (i) => `films/${pick("a", "b")(i)}/${i}`, "addresses or file names"],
    ["files that are shared", "image", (i) => `icons/${pick("tent", "stove")(i)}.png`, "addresses or file names"],
    [
      "a slash here and there",
      "band",
      (i) => pick("AC/DC", "Low", "Can", "Neu!")(i),
      {
        type: "categories",
        separator: null,
      },
    ],
    ["one of a few", "language", pick("en", "fr", "de"), { type: "categories", separator: null }],
    ["ids that repeat", "brand_id", (i) => String(i % 6), { type: "categories", separator: null }],
    ["names that repeat less", "author", (i) => `Author ${Math.floor(i / 2)}`, { type: "categories", separator: null }],
    ["JSON lists", "genres", (i) => JSON.stringify([pick("Drama", "War")(i)]), { type: "categories" }],
    [
      "JSON lists of sentences",
      "features",
      (i) => JSON.stringify([`the ${pick(...WORDS)(i)} is made of wool and silk`, "wash it with cold water by hand"]),
      { type: "text" },
    ],
    [
      "prose with commas",
      "plot",
      (i) => `The ${pick(...WORDS)(i)}, then the ${pick(...WORDS)(i + 3)}, and so on until ${i}`,
      { type: "text" },
    ],
    ["titles with a comma", "label", (i) => `${pick(...WORDS)(i)} of ${i} years, The`, { type: "text" }],
    ["vectors", "v", (i) => `[${i}, 0.5, 1e-3]`, { type: "vector" }],
    ["objects", "o", (i) => `{"a": ${i}}`, "objects, which no channel reads"],
    [
      "lists of objects",
      "o",
      (i) => `[{"id": ${i}}]`,
      "lists of objects, which no channel reads; make a list of names of them",
    ],
    ["Python's lists of objects", "o", (i) => `[{'id': ${i}}]`, `looks like lists but is no JSON: "[{'id': 0}]"`],
    [
      "codes",
      "code",
      (i) => `X-${i * 37}`,
      "nearly every item has a word of its own here: a code or a name, which makes no two items alike",
    ],
    ["ids", "imdbId", (i) => `tt${i}`, "an id, not a property"],
    ["addresses by content", "where", (i) => `https://example.org/${i}`, "addresses"],
    ["addresses by name", "poster_path", (i) => `${i}.jpg`, "addresses or file names"],
    ["nothing", "empty", () => null, "empty in every row looked at"],
    ["one thing", "same", () => "yes", 'holds one value only, "yes"'],
  ])("%s", (_, column, cell, expected) => {
    expect(decide(column, cell)).toEqual(expected);
  });
});

describe("dates", () => {
  test.each<[string, (i: number) => string, object]>([
    ["ISO", (i) => `19${50 + i}-03-04`, { type: "date" }],
    ["ISO with times", (i) => `19${50 + i}-03-04T10:00:00Z`, { type: "date" }],
    ["ISO and a few that are none", (i) => (i === 3 ? "soon" : `19${50 + i}-03`), { type: "date", missing: ["soon"] }],
    ["day first", (i) => `04/03/19${50 + i}`, { type: "date", pattern: String.raw`(\d{4})\s*$` }],
    ["month by name", (i) => `October ${1 + (i % 28)}, 1999`, { type: "date", pattern: String.raw`(\d{4})\s*$` }],
    ["eight digits", (i) => `19${50 + i}0304`, { type: "date", pattern: String.raw`^(\d{4})` }],
  ])("%s", (_, cell, expected) => {
    expect(decide("opened", cell)).toEqual(expected);
  });
});
