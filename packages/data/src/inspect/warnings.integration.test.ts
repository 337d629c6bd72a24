import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openDataset } from "../dataset/open.ts";
import { makeDataset, temporaryFolder, type World } from "../dataset/testing/world.ts";
import { inspectDataset } from "./inspect.ts";
import type { Warning, WarningCode } from "./warning.ts";

const folder = temporaryFolder();
afterAll(() => folder[Symbol.dispose]());
const NOW = Date.parse("2020-01-01") / 1000;
const START = Date.parse("2010-01-01") / 1000;

async function warningsOf(world: World): Promise<Warning[]> {
  const path = await makeDataset(folder.path, "world", {
    ...world,
    config: { factors: { count: 0 }, ...world.config },
  });
  return (await inspectDataset(await openDataset(path), { now: NOW })).warnings;
}

const texts = (warnings: readonly Warning[], code: WarningCode) =>
  warnings.filter((warning) => warning.code === code).map(({ text }) => text);

interface Event {
  user: string;
  item: string;
  rating: number;
  time: number;
}

/** A world with nothing wrong: 120 items come one after the other, each with 16 ratings of 60 users; qualities differ. */
const PER_ITEM = 16;
const events: Event[] = Array.from({ length: 120 * PER_ITEM }, (_, e) => {
  const [item, k] = [Math.floor(e / PER_ITEM), e % PER_ITEM];
  const rating = 1 + ((item * 7 + (k % 3)) % 5);
  return { user: `u${(item * 7 + k * 3) % 60}`, item: `i${item}`, rating, time: START + item * 86_400 + k * 600 };
});

const csv = (rows: readonly Event[]) => [
  "user,item,rating,timestamp",
  ...rows.map(({ user, item, rating, time }) => [user, item, rating, time].join(",")),
];

/** Items with a few columns: by number, all filled unless the test says otherwise. */
const itemRows = (cells: (item: number) => (string | number)[], columns: string[]) => [
  ["item", ...columns].join(","),
  ...Array.from({ length: 120 }, (_, item) => [`i${item}`, ...cells(item)].join(",")),
];

const config = { split: { by: "time", fraction: 0.2 } } as const;
const plain = {
  interactions: csv(events),
  items: itemRows((item) => [item % 7, item % 2 ? "a" : "b"], ["size", "kind"]),
  config: {
    ...config,
    channels: { size: { type: "number", column: "size" }, kind: { type: "categories", column: "kind" } },
  },
} satisfies World;

test("a world with nothing wrong has no warnings", async () => {
  expect(await warningsOf(plain)).toEqual([]);
});

describe("channels", () => {
  let warnings: Warning[];
  beforeAll(async () => {
    const means = new Map<string, number[]>();
    for (const { item, rating } of events) means.set(item, [...(means.get(item) ?? []), rating]);
    const mean = (item: number) => {
      const own = means.get(`i${item}`) as number[];
      return own.reduce((sum, rating) => sum + rating, 0) / own.length;
    };
    warnings = await warningsOf({
      ...plain,
      items: itemRows(
        (item) => [
          Math.round(1000 - 20 * mean(item) ** 2),
          item % 4,
          item % 4,
          item % 9,
          item % 9,
          7,
          "same",
          "one text",
          '"[1,2]"',
          item < 59 ? item : "",
          item < 60 ? item : "",
        ],
        [
          "hidden",
          "imdbRating",
          "vote_average",
          "rating_count",
          "content_rating",
          "flat",
          "kind",
          "words",
          "vec",
          "rare",
          "half",
        ],
      ),
      config: {
        ...config,
        channels: {
          quality: { type: "number", column: "hidden" },
          imdb: { type: "number", column: "imdbRating" },
          votes: { type: "number", column: "vote_average" },
          popularity: { type: "number", column: "rating_count" },
          age: { type: "number", column: "content_rating" },
          flat: { type: "number", column: "flat" },
          kind: { type: "categories", column: "kind" },
          words: { type: "text", column: "words", encoder: "lsa" },
          vec: { type: "vector", column: "vec" },
          rare: { type: "number", column: "rare" },
          half: { type: "number", column: "half" },
          self: { type: "identity" },
        },
      },
    });
  });

  test("LEAK_RATING_CHANNEL: follows the mean rating, or is named so; a count or a content rating is neither", () => {
    expect(texts(warnings, "LEAK_RATING_CHANNEL")).toMatchInlineSnapshot(`
      [
        "channel quality follows the mean rating of the items (rank correlation -1): a metric that sees the ratings it is to predict learns nothing else; leave it out",
        "channel imdb is named like a rating (column imdbRating): a metric that sees the ratings it is to predict learns nothing else; leave it out",
        "channel votes is named like a rating (column vote_average): a metric that sees the ratings it is to predict learns nothing else; leave it out",
      ]
    `);
  });

  test("CONSTANT_CHANNEL: of any type, but never identity", () => {
    expect(texts(warnings, "CONSTANT_CHANNEL")).toMatchInlineSnapshot(`
      [
        "channel flat has one and the same value for all training items that have any; leave it out",
        "channel kind has one and the same value for all training items that have any; leave it out",
        "channel words has one and the same value for all training items that have any; leave it out",
        "channel vec has one and the same value for all training items that have any; leave it out",
      ]
    `);
  });

  test("LOW_COVERAGE: below half, and half is not below", () => {
    expect(texts(warnings, "LOW_COVERAGE")).toMatchInlineSnapshot(`
      [
        "channel rare has a value for 59 of 120 items only (49 %)",
      ]
    `);
  });

  test("nothing else", () => {
    const codes = new Set(warnings.map(({ code }) => code));
    expect([...codes]).toEqual(["LEAK_RATING_CHANNEL", "CONSTANT_CHANNEL", "LOW_COVERAGE"]);
  });
});

describe("DEGENERATE_TIME_SPLIT", () => {
  const found = async (interactions: string[], split: object = config.split) =>
    texts(await warningsOf({ interactions, items: plain.items, config: { split } }), "DEGENERATE_TIME_SPLIT");

  test("few test items, with few ratings each", async () => {
    const late = events.filter((_, k) => k < 60 * PER_ITEM || k % PER_ITEM < 3);
    expect(await found(csv(late), { by: "time", fraction: 0.05 })).toMatchInlineSnapshot(`
      [
        "the split by time is of little use here: there are 6 test items, and figures over so few say little; half of the test items have at most 3 interactions, so their truths are thin; try split.by: random",
      ]
    `);
  });

  test("items that were first seen together, as in an import of old events", async () => {
    const together = events.map((event, k) =>
      k % PER_ITEM === 0 && k < 60 * PER_ITEM ? { ...event, time: START } : event,
    );
    expect(await found(csv(together))).toMatchInlineSnapshot(`
      [
        "the split by time is of little use here: 79 % of the training items were first seen at the same moment; try split.by: random",
      ]
    `);
  });

  test("a cut that falls into a crowd", async () => {
    const crowd = events.map((event, k) => (k >= 60 * PER_ITEM ? { ...event, time: START + 60 * 86_400 } : event));
    expect(await found(csv(crowd))).toMatchInlineSnapshot(`
      [
        "the split by time is of little use here: 50 % of the items are for test instead of 20 %: many came at the moment of the cut; try split.by: random",
      ]
    `);
  });

  test("another split has no such trouble", async () => {
    const late = events.filter((_, k) => k < 60 * PER_ITEM || k % PER_ITEM < 3);
    expect(await found(csv(late), { by: "random", fraction: 0.05 })).toEqual([]);
  });
});

test("NO_TIMES and IMPLICIT_RATINGS: columns that are not there", async () => {
  const rows = ["user,item", ...events.map(({ user, item }) => `${user},${item}`)];
  const warnings = await warningsOf({ ...plain, interactions: rows });
  expect(warnings).toMatchInlineSnapshot(`
    [
      {
        "code": "NO_TIMES",
        "text": "there are no times, so the order of the rows stands for them: pairs are neighbours in the file, and truths have no horizon; name the column under interactions.columns.time if there is one",
      },
      {
        "code": "IMPLICIT_RATINGS",
        "text": "there are no ratings, and every interaction counts as 1: a mean rating says nothing here, and cannot be a target",
      },
    ]
  `);
});

test("IMPLICIT_RATINGS: ratings that are all the same", async () => {
  const same = events.map((event) => ({ ...event, rating: 5 }));
  expect(await warningsOf({ ...plain, interactions: csv(same) })).toMatchInlineSnapshot(`
    [
      {
        "code": "IMPLICIT_RATINGS",
        "text": "every rating is 5: a mean rating says nothing here, and cannot be a target",
      },
    ]
  `);
});

describe("MANY_UNDESCRIBED", () => {
  const without = (items: number) => plain.items.slice(0, plain.items.length - items);

  test("more than 5 % of the items are in no item file", async () => {
    expect(await warningsOf({ ...plain, items: without(7) })).toMatchInlineSnapshot(`
      [
        {
          "code": "MANY_UNDESCRIBED",
          "text": "7 of 120 items with interactions (5.8 %) have no row in the item files; compare how both files write the ids",
        },
      ]
    `);
    expect(await warningsOf({ ...plain, items: without(6) })).toEqual([]);
  });

  test("there is no item file", async () => {
    const { interactions } = plain;
    expect(await warningsOf({ interactions, config })).toMatchInlineSnapshot(`
      [
        {
          "code": "MANY_UNDESCRIBED",
          "text": "no file describes the items: only their ids can tell them apart",
        },
      ]
    `);
  });
});

test("FEW_INTERACTIONS", async () => {
  const few = events.filter((_, k) => k % PER_ITEM < 10);
  expect(await warningsOf({ ...plain, interactions: csv(few) })).toMatchInlineSnapshot(`
    [
      {
        "code": "FEW_INTERACTIONS",
        "text": "training has 760 interactions of 76 items and 2,900 pairs: little to learn from",
      },
    ]
  `);
});

describe("times that cannot be", () => {
  test("TIME_BEFORE_1980: some times are 0", async () => {
    const unset = events.map((event, k) => (k % 100 === 1 && k < 1000 ? { ...event, time: 0 } : event));
    expect(texts(await warningsOf({ ...plain, interactions: csv(unset) }), "TIME_BEFORE_1980")).toMatchInlineSnapshot(`
      [
        "10 training interactions are from before 1980; look for empty times written as 0, and check interactions.timeUnit",
      ]
    `);
  });

  test("TIME_BEFORE_1980: dates written as 20100131", async () => {
    const date = (time: number) => Number(new Date(time * 1000).toISOString().slice(0, 10).replaceAll("-", ""));
    const dates = events.map((event) => ({ ...event, time: date(event.time) }));
    expect(texts(await warningsOf({ ...plain, interactions: csv(dates) }), "TIME_BEFORE_1980")).toMatchInlineSnapshot(`
      [
        "1,216 training interactions are from before 1980: dates written like 20200102 were read as seconds since 1970; write them as 2020-01-02",
      ]
    `);
  });

  test("TIME_IN_FUTURE", async () => {
    const moved = events.map((event) => ({ ...event, time: event.time + NOW - START }));
    expect(await warningsOf({ ...plain, interactions: csv(moved) })).toMatchInlineSnapshot(`
      [
        {
          "code": "TIME_IN_FUTURE",
          "text": "1,215 training interactions are in the future, the last at 2020-03-16T02:30:00Z; check interactions.timeUnit",
        },
      ]
    `);
  });
});

test("HEAVY_USER: more than a tenth, and a tenth is not", async () => {
  /** Of `per` ratings of an item, the first is the robot's. */
  const found = async (per: number) => {
    const rows = events.filter((_, k) => k % PER_ITEM < per);
    const robot = rows.map((event, k) => (k % per === 0 ? { ...event, user: "robot" } : event));
    return texts(await warningsOf({ ...plain, interactions: csv(robot) }), "HEAVY_USER");
  };
  expect(await found(9)).toMatchInlineSnapshot(`
    [
      "one user has 76 of 684 training interactions (11 %); it may be a robot, or stand for everybody without an account",
    ]
  `);
  expect(await found(10)).toEqual([]);
});

test("DUPLICATES: more than 5 % of the rows", async () => {
  const again = (count: number) => csv([...events, ...events.slice(0, count)]);
  expect(await warningsOf({ ...plain, interactions: again(110) })).toMatchInlineSnapshot(`
    [
      {
        "code": "DUPLICATES",
        "text": "110 of 2,030 rows (5.4 %) repeat a user and an item; the last of each was kept: is every row an interaction of its own?",
      },
    ]
  `);
  expect(await warningsOf({ ...plain, interactions: again(90) })).toEqual([]);
});

describe("ID_SPACES", () => {
  test("ids that begin or end with a space", async () => {
    const spaced = events.map((event) => ({
      ...event,
      user: event.user === "u7" ? "u7 " : event.user,
      item: event.item === "i3" ? " i3" : event.item,
    }));
    expect(await warningsOf({ ...plain, interactions: csv(spaced) })).toMatchInlineSnapshot(`
      [
        {
          "code": "ID_SPACES",
          "text": "1 item id begins or ends with a space, such as " i3"; ids are compared as they stand",
        },
        {
          "code": "ID_SPACES",
          "text": "1 user id begins or ends with a space, such as "u7 "; ids are compared as they stand",
        },
        {
          "code": "ID_SPACES",
          "text": "1 item without a description has the id of a described one but for case, spaces, zeros in front or ".0" behind, such as " i3" and "i3"; write ids the same way in both files",
        },
      ]
    `);
  });

  test("ids that are written otherwise in the item file", async () => {
    const shouted = events.map((event) => ({ ...event, item: event.item.replace(/^i(?=.$)/, "I") }));
    expect(await warningsOf({ ...plain, interactions: csv(shouted) })).toMatchInlineSnapshot(`
      [
        {
          "code": "MANY_UNDESCRIBED",
          "text": "10 of 120 items with interactions (8.3 %) have no row in the item files; compare how both files write the ids",
        },
        {
          "code": "ID_SPACES",
          "text": "10 items without a description have the id of a described one but for case, spaces, zeros in front or ".0" behind, such as "I0" and "i0"; write ids the same way in both files",
        },
      ]
    `);
    const padded = plain.items.map((row, k) => (k === 0 ? row : row.replace(/^i/, "000")));
    const numbers = events.map((event) => ({ ...event, item: event.item.slice(1) }));
    const warnings = await warningsOf({ items: padded, interactions: csv(numbers), config });
    expect(texts(warnings, "ID_SPACES")).toMatchInlineSnapshot(`
      [
        "120 items without a description have the id of a described one but for case, spaces, zeros in front or ".0" behind, such as "0" and "0000"; write ids the same way in both files",
      ]
    `);
  });
});
