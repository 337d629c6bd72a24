// Item files and channels: what becomes of cells that cannot be read, of items without a description, and of columns with awkward names.
import { describe, expect, test } from "vitest";
import type { ConfigInput } from "../config/schema.ts";
import { type Cell, type Event, World } from "../testing/world.ts";

const anything = { split: { by: "none" }, rejectLimit: 1 } as const;
const items = { files: "items.csv" };

/** The id of row k, such that ids and rows have one order. */
const id = (k: number) => String.fromCharCode(97 + k);

/** Everybody rated items a, b, …, so that all of them are in training. */
const ratings = (n: number) =>
  Array.from({ length: n }, (_, k): Event[] => [
    ["u", id(k), 3, k],
    ["v", id(k), 4, k + 1],
  ]).flat();

function itemWorld(columns: readonly string[], rows: readonly (readonly Cell[])[]): World {
  const world = new World();
  world.ratings(ratings(rows.length));
  world.csv(
    "items.csv",
    ["id", ...columns],
    rows.map((row, k) => [id(k), ...row]),
  );
  return world;
}

describe("item rows", () => {
  test("of one id: the last is used, and the others are listed with their lines but count as no mistake", async () => {
    using world = new World();
    world.ratings(ratings(2));
    world.csv(
      "items.csv",
      ["id", "title"],
      [
        ["a", "first"],
        ["b", "two\nlines"],
        ["a", "second"],
        ["", "nobody"],
        ["a", "third"],
      ],
    );
    const { counts } = await world.prepare({ ...anything, items });
    expect(await world.lines("items.parquet")).toEqual(["0 a train true third", "1 b train true two\nlines"]);
    expect(await world.rejects()).toMatchInlineSnapshot(`
      [
        "items.csv:2 id: item id occurs again further on, and the last row is used "a" (row)",
        "items.csv:5 id: item id occurs again further on, and the last row is used "a" (row)",
        "items.csv:6 id: empty item id (row)",
      ]
    `);
    expect(counts).toMatchObject({ itemRows: 5, rejectedItemRows: 1, items: 2, describedItems: 2 });
  });

  test("above the limit stop the run, and the error shows those rather than replaced ones", async () => {
    using world = new World();
    world.ratings(ratings(2));
    const replaced = Array.from({ length: 12 }, (_, k) => ["a", `copy ${k}`]);
    world.csv("items.csv", ["id", "title"], [...replaced, ["b", "bee"], ["", "nobody"]]);
    expect(await world.failure(world.prepare({ split: { by: "none" }, items }))).toMatchInlineSnapshot(`
      "TOO_MANY_REJECTS: items: 1 of 14 (7.14 %) cannot be used, more than rejectLimit (1 %) allows. The first:
        items.csv:15 id: empty item id
      Mend them, or raise rejectLimit in nearkin.yaml."
    `);
  });

  test("may have columns called file, filename, damage, role, described, item_id, item_index and row_number", async () => {
    const names = [
      "file",
      "filename",
      "damage",
      "role",
      "described",
      "item_id",
      "item_index",
      "row_number",
      "field_1",
      "source_row",
      "problem",
      "Item_Index2",
    ];
    using world = new World();
    world.ratings(ratings(1));
    world.csv("items.csv", ["id", ...names], [["a", ...names.map((name) => `my ${name}`)]]);
    await world.prepare({
      ...anything,
      items: { ...items, columns: { item: "id" }, fields: names },
      channels: { role: { type: "categories", column: "role" } },
    });
    expect((await world.rows("items.parquet"))[0]).toMatchInlineSnapshot(`
      {
        "Item_Index2": "my Item_Index2",
        "damage": "my damage",
        "described": true,
        "field.described": "my described",
        "field.item_id": "my item_id",
        "field.item_index": "my item_index",
        "field.role": "my role",
        "field_1": "my field_1",
        "file": "my file",
        "filename": "my filename",
        "item_id": "a",
        "item_index": 0,
        "problem": "my problem",
        "role": "train",
        "row_number": "my row_number",
        "source_row": "my source_row",
      }
    `);
  });

  test("that no interaction mentions are unseen; items that no row describes stay, without values", async () => {
    using world = new World();
    world.ratings([
      ["u", "known", 3, 1],
      ["u", "nameless", 3, 2],
    ]);
    world.csv(
      "items.csv",
      ["id", "price"],
      [
        ["known", 10],
        ["new", 20],
      ],
    );
    const { channels, counts } = await world.prepare({
      ...anything,
      items,
      channels: { price: { type: "number", column: "price" } },
    });
    expect(counts.roles).toEqual({ train: 2, validation: 0, test: 0, unseen: 1 });
    const tensors = world.tensors("channels/price.safetensors");
    expect([...(tensors.get("missing")?.data ?? [])]).toEqual([0, 1, 0]); // known, nameless, new
    expect([...(tensors.get("values")?.data ?? [])]).toEqual([10, Number.NaN, 20]);
    expect(channels.price).toMatchObject({ present: 2, trainingPresent: 1 });
  });

  test("need not be there at all", async () => {
    using world = new World();
    world.ratings(ratings(3));
    const { counts, columns, channels } = await world.prepare({ ...anything, channels: { who: { type: "identity" } } });
    expect(counts).toMatchObject({ items: 3, describedItems: 0, itemRows: 0 });
    expect(columns.items).toBeNull();
    expect(channels.who).toMatchObject({ type: "identity", present: 3, trainingPresent: 3 });
    expect(
      await world.failure(
        world.prepare({ ...anything, channels: { x: { type: "number", column: "price" } } }, { out: "second" }),
      ),
    ).toMatchInlineSnapshot(`"BAD_CONFIG: channels.x needs a column of the items, but there is no items section"`);
  });

  test("need the columns that channels name", async () => {
    using world = itemWorld(["price", "genres"], [[1, "a"]]);
    const failure = (channels: ConfigInput["channels"], fields: string[] = []) =>
      world.failure(world.prepare({ ...anything, items: { ...items, fields }, ...(channels ? { channels } : {}) }));
    expect(await failure({ cost: { type: "number", column: "prize" } })).toMatchInlineSnapshot(
      `"BAD_SOURCE: channels.cost: there is no column "prize"; did you mean "price"? (columns are id, price, genres)"`,
    );
    expect(await failure({ place: { type: "geo", latitude: "lat", longitude: "price" } })).toMatchInlineSnapshot(
      `"BAD_SOURCE: channels.place: there is no column "lat" (columns are id, price, genres)"`,
    );
    expect(await failure({}, ["genre"])).toMatchInlineSnapshot(
      `"BAD_SOURCE: items.fields: there is no column "genre"; did you mean "genres"? (columns are id, price, genres)"`,
    );
  });
});

describe("cells that a channel cannot read are missing, and listed with their lines", () => {
  const one = async (
    columns: readonly string[],
    rows: readonly (readonly Cell[])[],
    channel: NonNullable<ConfigInput["channels"]>[string],
  ) => {
    using world = itemWorld(columns, rows);
    const { channels } = await world.prepare({ ...anything, items, channels: { c: channel } });
    const { present, unreadable, unknown, transform } = channels.c;
    const tensors = channel.type === "identity" ? new Map() : world.tensors("channels/c.safetensors");
    return { present, unreadable, unknown, transform, tensors, rejects: await world.rejects() };
  };

  test("number", async () => {
    const cells = ["1", " 2.5 ", "-3e2", "", "n/a", "NaN", "inf", "1e400", "1_000", "0x10", "1,5", "12 min", "unknown"];
    const { tensors, rejects, unreadable } = await one(
      ["x"],
      cells.map((cell) => [cell]),
      { type: "number", column: "x", missing: ["n/a", "unknown"] },
    );
    expect([...tensors.get("values").data].slice(0, 5)).toEqual([1, 2.5, -300, Number.NaN, Number.NaN]);
    expect([...tensors.get("missing").data]).toEqual(cells.map((_, k) => (k < 3 ? 0 : 1)));
    expect(rejects).toMatchInlineSnapshot(`
      [
        "items.csv:7 x: not a number "NaN" (value)",
        "items.csv:8 x: not a number "inf" (value)",
        "items.csv:9 x: not a finite number "1e400" (value)",
        "items.csv:10 x: not a number "1_000" (value)",
        "items.csv:11 x: not a number "0x10" (value)",
        "items.csv:12 x: not a number "1,5" (value)",
        "items.csv:13 x: not a number "12 min" (value)",
      ]
    `);
    expect(unreadable).toBe(7);
  });

  test("number with log, and with a pattern", async () => {
    const logged = await one(["x"], [["0"], ["10"], ["-1"]], { type: "number", column: "x", log: true });
    expect(logged.rejects).toMatchInlineSnapshot(`
      [
        "items.csv:4 x: negative, but the channel takes its logarithm "-1" (value)",
      ]
    `);
    const year = await one(["x"], [["Heat (1995)"], ["Brazil"], ["2001 (1968)"]], {
      type: "number",
      column: "x",
      pattern: "\\((\\d{4})\\)",
    });
    expect([...year.tensors.get("values").data]).toEqual([1995, Number.NaN, 1968]);
    expect(year.rejects).toEqual([]);
  });

  test("date", async () => {
    const cells = ["1970-01-02", "1970", "1970-02", "864000", "864000000000", "soon", "1999-02-30", "31.12.1999", ""];
    const { tensors, rejects } = await one(
      ["x"],
      cells.map((cell) => [cell]),
      { type: "date", column: "x" },
    );
    expect([...tensors.get("missing").data]).toMatchInlineSnapshot(`
      [
        0,
        0,
        0,
        0,
        0,
        1,
        1,
        1,
        1,
      ]
    `);
    expect([...tensors.get("values").data]).toMatchInlineSnapshot(`
      [
        1,
        0,
        31,
        10,
        10000,
        NaN,
        NaN,
        NaN,
        NaN,
      ]
    `);
    expect(rejects).toMatchInlineSnapshot(`
      [
        "items.csv:7 x: expected a date such as 1999, 1999-03-31 or 1999-03-31T20:15:00Z, got "soon" "soon" (value)",
        "items.csv:8 x: day must be from 1 to 28, got 30 in "1999-02-30" "1999-02-30" (value)",
        "items.csv:9 x: expected a date such as 1999, 1999-03-31 or 1999-03-31T20:15:00Z, got "31.12.1999" "31.12.1999" (value)",
      ]
    `);
  });

  test("categories", async () => {
    const cells = ["a|b", " b | a ", "", "|", '["c", ["a"], 7]', "[broken", "[broken]", '[{"x": 1}]', "[]"];
    const { tensors, rejects, transform, present } = await one(
      ["x"],
      cells.map((cell) => [cell]),
      { type: "categories", column: "x" },
    );
    expect(transform.terms).toMatchInlineSnapshot(`
      [
        "a",
        "b",
        "7",
        "[broken",
        "c",
      ]
    `);
    expect([...tensors.get("missing").data]).toMatchInlineSnapshot(`
      [
        0,
        0,
        1,
        1,
        0,
        0,
        1,
        1,
        1,
      ]
    `);
    expect(rejects).toMatchInlineSnapshot(`
      [
        "items.csv:8 x: looks like a list but is not a JSON array of names "[broken]" (value)",
        "items.csv:9 x: looks like a list but is not a JSON array of names "[{\\"x\\": 1}]" (value)",
      ]
    `);
    expect(present).toBe(tensors.get("missing").data.filter((bit: number) => bit === 0).length);
  });

  test("categories by flags", async () => {
    const rows = [
      ["1", "0"],
      ["0", "1.0"],
      ["true", "no"],
      ["", ""],
      ["2", "1"],
      ["0", "0"],
    ];
    const { tensors, rejects } = await one(["red", "blue"], rows, { type: "categories", flags: ["red", "blue"] });
    expect([...tensors.get("missing").data]).toEqual([0, 0, 0, 1, 1, 1]);
    expect(rejects).toMatchInlineSnapshot(`
      [
        "items.csv:6 red, blue: neither 0 nor 1 "2, 1" (value)",
      ]
    `);
  });

  test("geo", async () => {
    const rows = [
      ["48.1", "11.6"],
      ["-90", "180"],
      ["", ""],
      ["48.1", ""],
      ["91", "0"],
      ["0", "-181"],
      ["north", "0"],
    ];
    const { tensors, rejects } = await one(["lat", "lon"], rows, { type: "geo", latitude: "lat", longitude: "lon" });
    expect([...tensors.get("missing").data]).toEqual([0, 0, 1, 1, 1, 1, 1]);
    expect(rejects).toMatchInlineSnapshot(`
      [
        "items.csv:5 lat, lon: a place needs both latitude and longitude "48.1, " (value)",
        "items.csv:6 lat, lon: latitude must be from -90 to 90 "91, 0" (value)",
        "items.csv:7 lat, lon: longitude must be from -180 to 180 "0, -181" (value)",
        "items.csv:8 lat, lon: not a number "north, 0" (value)",
      ]
    `);
  });

  test("vector", async () => {
    const rows = [
      ["[1, 2]"],
      ["[3, 4]"],
      [""],
      ["[1]"],
      ["[1, 2"],
      ["[]"],
      ['["1", "2"]'],
      ["1 2"],
      ["[1, null]"],
      ["[1e400, 2]"],
    ];
    const { tensors, rejects } = await one(["x"], rows, { type: "vector", column: "x" });
    expect([...tensors.get("missing").data]).toEqual([0, 0, 1, 1, 1, 1, 1, 1, 1, 1]);
    expect([...tensors.get("vectors").data].slice(0, 6)).toEqual([1, 2, 3, 4, 0, 0]);
    expect(rejects).toMatchInlineSnapshot(`
      [
        "items.csv:5 x: has 1 numbers, but most vectors have 2 "" (value)",
        "items.csv:6 x: not a JSON array of numbers "[1, 2" (value)",
        "items.csv:7 x: not a JSON array of numbers "[]" (value)",
        "items.csv:8 x: not a JSON array of numbers "[\\"1\\", \\"2\\"]" (value)",
        "items.csv:9 x: not a JSON array of numbers "1 2" (value)",
        "items.csv:10 x: not a JSON array of numbers "[1, null]" (value)",
        "items.csv:11 x: holds a number too large for 32 bits "[1e400, 2]" (value)",
      ]
    `);
  });

  test("text by lsa: nothing is unreadable, and a JSON array is its words", async () => {
    const rows = [["a dog ran home"], ["the cat ran home"], ['["a dog", "the cat"]'], [""], ["  "], ["[]"]];
    const { tensors, rejects, present } = await one(["x"], rows, { type: "text", column: "x", encoder: "lsa" });
    expect([...tensors.get("missing").data]).toEqual([0, 0, 0, 1, 1, 1]);
    expect(rejects).toEqual([]);
    expect(present).toBe(3);
  });

  test("and above the limit they stop the run", async () => {
    using world = itemWorld(["x"], [["1"], ["many"], ["more"]]);
    expect(
      await world.failure(
        world.prepare({ split: { by: "none" }, items, channels: { size: { type: "number", column: "x" } } }),
      ),
    ).toMatchInlineSnapshot(`
      "TOO_MANY_REJECTS: channels.size: 2 of 3 (67 %) cannot be used, more than rejectLimit (1 %) allows. The first:
        items.csv:3 x: not a number: "many"
        items.csv:4 x: not a number: "more"
      Mend them, or raise rejectLimit in nearkin.yaml."
    `);
  });
});

describe("channels that cannot be made", () => {
  const failure = async (channel: NonNullable<ConfigInput["channels"]>[string], cell = "") => {
    using world = itemWorld(
      ["x", "y"],
      [
        [cell, ""],
        [cell, ""],
      ],
    );
    return await world.failure(world.prepare({ ...anything, items, channels: { c: channel } }));
  };

  test("because no training item has a value", async () => {
    expect(await failure({ type: "number", column: "x" })).toMatchInlineSnapshot(
      `"BAD_SOURCE: channels.c: no training item has a value; check its column, or leave the channel out"`,
    );
    const types = ["date", "categories", "vector"] as const;
    for (const type of types)
      expect(await failure({ type, column: "x" })).toBe(await failure({ type: "number", column: "x" }));
    expect(await failure({ type: "text", column: "x", encoder: "lsa" })).toBe(
      await failure({ type: "number", column: "x" }),
    );
    expect(await failure({ type: "geo", latitude: "x", longitude: "y" })).toBe(
      await failure({ type: "number", column: "x" }),
    );
  });

  test("because the file of vectors is missing, or knows none of the items", async () => {
    expect(await failure({ type: "vector", file: "vectors.safetensors" })).toMatchInlineSnapshot(
      `"BAD_SOURCE: vectors.safetensors: there is no such file (looked in <folder>)"`,
    );
    expect(
      await failure({ type: "text", column: "x", encoder: "vectors:none.safetensors#plot" }),
    ).toMatchInlineSnapshot(`"BAD_SOURCE: none.safetensors: there is no such file (looked in <folder>)"`);
    expect(await failure({ type: "vector", file: "." })).toMatchInlineSnapshot(
      `"BAD_SOURCE: . is a folder; name the one file in it that holds the vectors"`,
    );
    expect(await failure({ type: "text", column: "x", encoder: "magic" })).toMatchInlineSnapshot(
      `"BAD_CONFIG: channels.c: encoder "magic": expected minilm, lsa, hf:<model folder> or vectors:<file>"`,
    );
  });
});

describe("splits that leave nothing", () => {
  test("because all items were first seen at one moment", async () => {
    using world = new World();
    world.ratings([
      ["u", "a", 3, 5],
      ["u", "b", 3, 5],
      ["v", "a", 3, 5],
    ]);
    expect(await world.failure(world.prepare({ split: { by: "time" } }))).toMatchInlineSnapshot(
      `"BAD_SOURCE: no interaction is left for training after the split by time: most items were first seen at the same moment, or there are too few; try split: random or none"`,
    );
  });

  test("no item has to be held out: a world too small for 5 % trains on everything, and says so", async () => {
    using world = new World();
    world.ratings(ratings(3));
    const { counts, notes } = await world.prepare({ split: { by: "random" } });
    expect(counts.roles).toEqual({ train: 3, validation: 0, test: 0, unseen: 0 });
    expect(notes).toMatchInlineSnapshot(`
      [
        "the split holds out no test item: 5 % of so few items is less than one (split.fraction)",
      ]
    `);
  });

  test("a split by users that finds no eligible user keeps all of them, and says so", async () => {
    using world = new World();
    world.ratings(ratings(3));
    const { counts, notes } = await world.prepare({ split: { by: "users" } });
    expect(counts.userRoles).toEqual({ train: 2, validation: 0, test: 0 });
    expect(notes).toMatchInlineSnapshot(`
      [
        "the split holds out no test user: nobody has from 20 to 199 interactions (split.userEvents)",
      ]
    `);
  });
});
