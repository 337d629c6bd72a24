import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Dataset, openDataset } from "../dataset/open.ts";
import { makeDataset, temporaryFolder } from "../dataset/testing/world.ts";
import { formatInspection } from "./format.ts";
import { inspectDataset } from "./inspect.ts";
import type { Inspection } from "./inspection.ts";

// 40 films, one a day from 2001-01-01 on, each met by 4 of 12 users in the following hours. One row has no rating, two have no film.
const DAY = 86_400;
const start = Date.parse("2001-01-01") / 1000;
const films = Array.from({ length: 40 }, (_, film) => film);
const world = {
  interactions: [
    "user,item,rating,timestamp",
    ...films.flatMap((film) =>
      [0, 1, 2, 3].map(
        (k) => `u${(film * 5 + k * 3) % 12},f${film},${((film + k) % 5) + 1},${start + film * DAY + k * 3600}`,
      ),
    ),
    `u1,f1,,${start}`,
    `u1,,3,${start}`,
    `u2,,3,${start}`,
  ],
  items: [
    "item,title,kind,year,words,vec",
    ...films.map(
      (film) =>
        `f${film},Film ${film},${film % 2 ? "Drama" : `War|${film > 30 ? "Opera" : "Comedy"}`},${film === 3 ? "soon" : 1990 + (film % 7)},` +
        `${film % 3 ? "red sea" : "blue boat"} ${film % 5 ? "at noon" : "at night"},"[${film},${film % 4}]"`,
    ),
  ],
  config: {
    name: "forty films",
    channels: {
      kind: { type: "categories", column: "kind" },
      year: { type: "number", column: "year" },
      words: { type: "text", column: "words", encoder: "lsa" },
      vec: { type: "vector", column: "vec" },
      self: { type: "identity" },
    },
    split: { by: "time", fraction: 0.2 },
    truth: { minCommonUsers: 2 },
    rejectLimit: 0.1,
  },
} as const;

const folder = temporaryFolder();
let dataset: Dataset;
let inspection: Inspection;
beforeAll(async () => {
  const path = await makeDataset(folder.path, "films", {
    ...world,
    simulated: true,
    config: JSON.parse(JSON.stringify(world.config)),
  });
  dataset = await openDataset(path);
  inspection = await inspectDataset(dataset);
});
afterAll(() => folder[Symbol.dispose]());

test("figures that can be counted by hand", () => {
  // 32 films before the cut at day 32; of these the last 7 (position ⌊0.8·32⌋ = 25 and on) are for validation.
  expect(inspection.counts.roles).toEqual({ train: 25, validation: 7, test: 8, unseen: 0 });
  expect(inspection.density).toBe(160 / (12 * 40));
  expect(inspection.time).toEqual({
    kind: "seconds",
    from: "2001-01-01T00:00:00Z",
    to: "2001-01-25T03:00:00Z",
    cut: "2001-02-02T00:00:00Z",
  });
  expect(inspection.split).toBe("time");
  expect(inspection.perItem).toEqual({ least: 4, q10: 4, q25: 4, median: 4, q75: 4, q90: 4, q99: 4, most: 4, mean: 4 });
  expect(inspection.perUser.mean).toBeCloseTo(100 / 12, 12);
  // All films are equally popular: 1 of 25 is the top 1 %, and 13 of 25 are the top half.
  expect(inspection.popularity.gini).toBeCloseTo(0, 12);
  expect(inspection.popularity.top.map(({ interactions }) => interactions)).toEqual([0.04, 0.08, 0.12, 0.2, 0.52]);
  expect(inspection.ratings.histogram).toEqual(
    [1, 2, 3, 4, 5].map((rating) => ({ from: rating, to: rating, count: 20 })),
  );
  expect(inspection.rejects).toEqual({
    total: 4,
    reasons: [
      { source: "interactions", column: "item", reason: "empty item id", effect: "row", count: 2 },
      { source: "interactions", column: "rating", reason: "empty rating", effect: "row", count: 1 },
      { source: "items", column: "year", reason: "not a number", effect: "value", count: 1 },
    ],
    first: [
      { file: "interactions.csv", line: 162, column: "rating", reason: "empty rating", value: null },
      { file: "interactions.csv", line: 163, column: "item", reason: "empty item id", value: null },
      { file: "interactions.csv", line: 164, column: "item", reason: "empty item id", value: null },
      { file: "items.csv", line: 5, column: "year", reason: "not a number", value: "soon" },
    ],
  });
});

test("channels", () => {
  const { kind, year, words, vec, self } = Object.fromEntries(
    inspection.channels.map((channel) => [channel.name, channel]),
  );
  expect(kind).toEqual({
    name: "kind",
    type: "categories",
    columns: ["kind"],
    present: 40,
    share: 1,
    trainingShare: 1,
    unknown: 4, // Opera: films 32, 34, 36, 38
    unreadable: 0,
    constant: false,
    terms: 3,
    droppedTerms: 0,
    encoder: null,
    width: null,
    components: null,
    explainedVariance: null,
    range: null,
    ratingCorrelation: null,
  });
  expect(year).toMatchObject({ present: 39, share: 0.975, trainingShare: 0.96, unreadable: 1, range: [1990, 1996] });
  expect(year.ratingCorrelation).toBeGreaterThan(-0.9);
  expect(words).toMatchObject({ encoder: "lsa", terms: 6, constant: false });
  expect(vec).toMatchObject({ width: 2, columns: ["vec"], constant: false });
  expect(self).toMatchObject({ columns: [], present: 25, trainingShare: 1 });
});

test("sizes of the truths, against all pairs of rows", () => {
  const rows = world.interactions.slice(1, 161).map((row) => row.split(","));
  /** Films that share a user with `film` within some days, and how many users. */
  const company = (film: number, days: number) => {
    const users = new Map<string, number>();
    for (const [user, item, , time] of rows) {
      if (item !== `f${film}`) continue;
      for (const [other, another, , then] of rows) {
        if (other !== user || another === item || Math.abs(Number(time) - Number(then)) > days * DAY) continue;
        users.set(another, (users.get(another) ?? 0) + 1);
      }
    }
    return users;
  };
  const held = inspection.truth?.test;
  expect(held?.queries).toBe(8);
  expect(held?.ratings).toEqual({ least: 4, median: 4, most: 4 });
  const summary = (sizes: number[]) => {
    const sorted = [...sizes].sort((a, b) => a - b);
    const mean = sizes.reduce((sum, size) => sum + size, 0) / sizes.length;
    return { mean, median: (sorted[3] + sorted[4]) / 2, empty: sizes.filter((size) => size === 0).length };
  };
  const queries = films.slice(32);
  for (const figures of held?.coInteraction ?? []) {
    const { days } = figures;
    expect(figures).toEqual({ days, ...summary(queries.map((film) => company(film, days ?? Infinity).size)) });
  }
  expect(held?.coInteraction.map(({ days }) => days)).toEqual([1, 7, 30, null]);
  const close = queries.map((film) => [...company(film, Infinity).values()].filter((users) => users >= 2).length);
  expect(held?.affinity).toEqual(summary(close));
  expect(inspection.truth?.validation.queries).toBe(7);
});

test("the report", () => {
  expect(formatInspection({ ...inspection, id: "0123456789abcdef" })).toMatchInlineSnapshot(`
    "forty films  (id 0123456789ab)

    !!! SIMULATED users and ratings: nobody rated anything here. Figures describe the simulation only. !!!

    interactions  160 of 12 users and 40 items; density 33 %
    rows          163 read, 3 rejected, 0 duplicates
    items         40 described; 40 rows read, 0 rejected
    training      100 interactions, 12 users, 25 items, 320 pairs, 11 factors
    time          2001-01-01T00:00:00Z to 2001-01-25T03:00:00Z in training
    split         by time, T = 2001-02-02T00:00:00Z
      items       25 train, 7 validation, 8 test, 0 unseen

    Training interactions  least  10 %  25 %  median  75 %  90 %  99 %  most  mean
    per user                   8     8     8       8     9     9     9     9  8.33
    per item                   4     4     4       4     4     4     4     4     4

    Popularity: who gets the training interactions (Gini 0.000)
      top  1 %  ##......................................    4.0 %
      top  5 %  ###.....................................    8.0 %
      top 10 %  #####...................................   12.0 %
      top 20 %  ########................................   20.0 %
      top 50 %  #####################...................   52.0 %

    Ratings: mean 3
      1  ########################################   20.0 % (20)
      2  ########################################   20.0 % (20)
      3  ########################################   20.0 % (20)
      4  ########################################   20.0 % (20)
      5  ########################################   20.0 % (20)

    Channel  type          items  of training
    kind     categories  100.0 %      100.0 %  3 terms, 4 unknown to training
    year     number       97.5 %       96.0 %  1990 to 1996, rank correlation with the mean rating -0.10, 1 unreadable
    words    text        100.0 %      100.0 %  lsa, 6 terms, width 3
    vec      vector       97.5 %       96.0 %  width 2
    self     identity     62.5 %      100.0 %

    Truths                           mean size  median  empty
    validation: 7 query items, 4 / 4 / 4 interactions each (least / median / most)
      co-interaction within 1 day            0       0      7
      co-interaction within 7 days        2.71       3      0
      co-interaction within 30 days       9.71      10      0
      co-interaction, any time            9.71      10      0
      affinity                            9.71      10      0
    test: 8 query items, 4 / 4 / 4 interactions each (least / median / most)
      co-interaction within 1 day            0       0      8
      co-interaction within 7 days        2.88       3      0
      co-interaction within 30 days      10.88      11      0
      co-interaction, any time           12.38      12      0
      affinity                           12.38      12      0

    Examples
      f0  (the most popular; train, 4 interactions in training)
        title: Film 0
        kind: War|Comedy
        year: 1990
        words: blue boat at night
        vec: [0,0]
      f2  (of middling popularity; train, 4 interactions in training)
        title: Film 2
        kind: War|Comedy
        year: 1992
        words: red sea at noon
        vec: [2,2]
      f32  (for test; test, 0 interactions in training)
        title: Film 32
        kind: War|Opera
        year: 1994
        words: red sea at noon
        vec: [32,0]

    Rejects: 4, listed in rejects.parquet
      2 × interactions item: empty item id (row left out)
      1 × interactions rating: empty rating (row left out)
      1 × items year: not a number (value missing)
      The first:
        interactions.csv:162 rating: empty rating
        interactions.csv:163 item: empty item id
        interactions.csv:164 item: empty item id
        items.csv:5 year: not a number: "soon"

    Warnings
      DEGENERATE_TIME_SPLIT: the split by time is of little use here: there are 8 test items, and figures over so few say little; half of the test items have at most 4 interactions, so their truths are thin; try split.by: random
      FEW_INTERACTIONS: training has 100 interactions of 25 items and 320 pairs: little to learn from
    "
  `);
});

test("the JSON has these fields, and each survives the way through text", () => {
  expect(JSON.parse(JSON.stringify(inspection))).toEqual(inspection);
  expect(Object.keys(inspection)).toMatchInlineSnapshot(`
    [
      "name",
      "id",
      "simulated",
      "counts",
      "density",
      "time",
      "split",
      "perUser",
      "perItem",
      "popularity",
      "ratings",
      "channels",
      "examples",
      "rejects",
      "truth",
      "notes",
      "warnings",
    ]
  `);
  expect(Object.keys(inspection.examples[0])).toEqual(["why", "id", "role", "interactions", "fields"]);
});

test("a dataset that was copied without truth/ can be looked at", async () => {
  const path = await makeDataset(folder.path, "copy", {
    interactions: ["user,item", "ann,a", "ann,b", "bob,b", "bob,c"],
    config: { split: { by: "none" }, factors: { count: 0 } },
  });
  rmSync(join(path, "truth"), { recursive: true });
  const found = await inspectDataset(await openDataset(path));
  expect(found.truth).toBeNull();
  expect(found.time).toEqual({ kind: "file order", from: null, to: null, cut: null });
  expect(formatInspection({ ...found, id: "0123456789abcdef" })).toMatchInlineSnapshot(`
    "copy  (id 0123456789ab)

    interactions  4 of 2 users and 3 items; density 67 %
    rows          4 read, 0 rejected, 0 duplicates
    items         0 described; 0 rows read, 0 rejected
    training      4 interactions, 2 users, 3 items, 2 pairs, 0 factors
    time          file order: there are no times
    split         none
      items       3 train, 0 validation, 0 test, 0 unseen

    Training interactions  least  10 %  25 %  median  75 %  90 %  99 %  most  mean
    per user                   2     2     2       2     2     2     2     2     2
    per item                   1     1     1       1     2     2     2     2  1.33

    Popularity: who gets the training interactions (Gini 0.167)
      top  1 %  ####################....................   50.0 %
      top  5 %  ####################....................   50.0 %
      top 10 %  ####################....................   50.0 %
      top 20 %  ####################....................   50.0 %
      top 50 %  ##############################..........   75.0 %

    Ratings: none; every interaction counts as 1

    Channels: none

    Truths: truth/ is not in this folder

    Examples
      b  (the most popular; train, 2 interactions in training)
      a  (of middling popularity; train, 1 interaction in training)

    Rejects: none

    Notes
      there is no rating column: every interaction counts as 1 (implicit)
      there is no time column: the order of the rows is taken as the order in time

    Warnings
      NO_TIMES: there are no times, so the order of the rows stands for them: pairs are neighbours in the file, and truths have no horizon; name the column under interactions.columns.time if there is one
      IMPLICIT_RATINGS: there are no ratings, and every interaction counts as 1: a mean rating says nothing here, and cannot be a target
      MANY_UNDESCRIBED: no file describes the items: only their ids can tell them apart
      FEW_INTERACTIONS: training has 4 interactions of 3 items and 2 pairs: little to learn from
    "
  `);
});

test("many different ratings are counted in ten bins", async () => {
  const path = await makeDataset(folder.path, "bins", {
    interactions: ["user,item,rating", ...Array.from({ length: 101 }, (_, k) => `u${k % 7},i${k},${k / 10 - 5}`)],
    config: { split: { by: "none" }, factors: { count: 0 } },
  });
  const { ratings } = await inspectDataset(await openDataset(path));
  expect(ratings.histogram).toHaveLength(10);
  expect(ratings.histogram.reduce((sum, { count }) => sum + count, 0)).toBe(101);
  expect(ratings.histogram[9]).toEqual({ from: 4, to: 5, count: 11 });
});
