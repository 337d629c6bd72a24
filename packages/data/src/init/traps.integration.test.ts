// Traps for init: ids that overlap by chance, ids written in two ways, numbers that are no ratings, files that do not belong together.
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { InitWorld, titleOf } from "../testing/init-world.ts";

const world = new InitWorld();
afterAll(() => world[Symbol.dispose]());

const KINDS = ["Drama", "Comedy", "War", "Noir", "Farce"];
const range = (n: number) => Array.from({ length: n }, (_, i) => i);
const day = (k: number) => `2021-0${1 + (k % 9)}-1${k % 10}`;

let trial = 0;
beforeEach(() => void trial++);
/** Writes a file of this test's own. */
const write = (
  name: string,
  header: readonly string[] | undefined,
  rows: (string | number | null)[][],
  delimiter = ",",
) => world.write(`${trial}/${name}`, rows, { delimiter, ...(header ? { header } : {}) });

const goods = (n: number, id: (i: number) => string | number, header = ["ref", "label", "kind"]) =>
  write(
    "goods.csv",
    header,
    range(n).map((i) => [id(i), titleOf(i), KINDS[i % 5]]),
  );

describe("joins", () => {
  test("small whole numbers: users 1 to 60, items among 1 to 900, neither named", async () => {
    const ids = range(300).map((i) => 1 + 3 * i);
    const events = write(
      "e.csv",
      ["a", "b", "mark", "day"],
      world.events(60, 300).map(([u, i], k) => [ids[i], u + 1, world.int(1, 5), day(k)]),
    );
    const { config, guesses } = await world.suggest(
      events,
      goods(300, (i) => ids[i]),
    );
    expect(config.interactions.columns).toEqual({ user: "b", item: "a", rating: "mark", time: "day" });
    expect(config.items?.columns).toMatchObject({ item: "ref" });
    expect(guesses?.interactions.item).toMatchObject({
      confidence: "sure",
      reason: expect.stringMatching(/^all of its \d+ values are in goods.csv ref/),
    });
  });

  test("everything overlaps: ids counted from 1 are joined by what they cover, and that chance would do it is said", async () => {
    const events = write(
      "e.csv",
      ["a", "b", "mark", "day"],
      world.events(30, 120).map(([u, i], k) => [u + 1, i + 1, world.int(1, 5), day(k)]),
    );
    const { config, guesses, notes } = await world.suggest(
      events,
      goods(120, (i) => i + 1),
    );
    expect(config.interactions.columns).toMatchObject({ user: "a", item: "b" });
    expect(guesses?.interactions.item.confidence).not.toBe("sure");
    expect(guesses?.interactions.item.reason).toContain("by chance");
    expect(guesses?.items?.item.confidence).toBe("likely");
    expect(notes.join("\n")).not.toContain("left out");
  });

  test("as many users as items, both counted from 1: the tie is said, with what decides", async () => {
    const events = write(
      "e.csv",
      ["a", "b", "mark", "day"],
      world.events(80, 80, 20).map(([u, i], k) => [u + 1, i + 1, world.int(1, 5), day(k)]),
    );
    const { guesses, notes, yaml } = await world.suggest(
      events,
      goods(80, (i) => i + 1),
    );
    expect(guesses?.interactions).toMatchObject({ user: { confidence: "a guess" }, item: { confidence: "a guess" } });
    expect(notes.join("\n")).toMatch(/user could as well be b and the item a.*interactions\.columns\.user/);
    expect(yaml).toContain("# a guess:");
  });

  test("names against overlap: overlap wins", async () => {
    const events = write(
      "e.csv",
      ["user_id", "product_id", "article", "rating"],
      world.events(40, 50).map(([u, i]) => [u + 1, 7_000_000 + world.int(0, 400), `x${37 * i}`, world.int(1, 5)]),
    );
    const { config } = await world.suggest(
      events,
      goods(50, (i) => `x${37 * i}`),
    );
    expect(config.interactions.columns).toMatchObject({ user: "user_id", item: "article" });
    expect(config.items?.columns).toMatchObject({ item: "ref" });
  });

  test.each<[string, (i: number) => string, (i: number) => string]>([
    ["zeros in front", (i) => String(7 * i + 3), (i) => String(7 * i + 3).padStart(6, "0")],
    ["case and blanks", (i) => `ab-${7 * i}x`, (i) => `AB-${7 * i}X `],
    ["numbers written with .0", (i) => String(7 * i + 3), (i) => `${7 * i + 3}.0`],
  ])("ids written in two ways, %s: joined, and said", async (_, here, there) => {
    const events = write(
      "e.csv",
      ["who", "what", "mark"],
      world.events(40, 50).map(([u, i]) => [`u${u}`, here(i), world.int(1, 5)]),
    );
    const { config, guesses, notes } = await world.suggest(events, goods(50, there));
    expect(config.interactions.columns).toMatchObject({ user: "who", item: "what" });
    expect(config.items?.columns).toMatchObject({ item: "ref" });
    expect(guesses?.items?.item.confidence).toBe("a guess");
    expect(notes.join("\n")).toMatch(/write ids in different ways: 0 of 50 are equal as they stand, 50 if case/);
  });

  test("nothing overlaps: no join is made, and the note says so", async () => {
    const events = write(
      "e.csv",
      ["user_id", "item_id", "rating"],
      world.events(40, 50).map(([u, i]) => [`u${u}`, `web-${i}`, world.int(1, 5)]),
    );
    const { config, notes } = await world.suggest(
      events,
      goods(50, (i) => `shop/${i}`, ["item_id", "title", "kind"]),
    );
    expect(config.items).toBeUndefined();
    expect(config.channels).toEqual({ identity: { type: "identity" } });
    expect(notes.join("\n")).toMatch(
      /left out \d+\/goods.csv: none of the 50 values of \d+\/e.csv item_id is in its item_id/,
    );
  });

  test("a year and a rating overlap with ids counted from 1, and are not the item", async () => {
    const events = write(
      "e.csv",
      ["person", "thing", "score", "year"],
      world.events(50, 2500, 40).map(([u, i]) => [`u${u}`, i + 1, world.int(1, 5), world.int(1999, 2020)]),
    );
    const { config } = await world.suggest(
      events,
      goods(2500, (i) => i + 1),
    );
    expect(config.interactions.columns).toEqual({ user: "person", item: "thing", rating: "score", time: null });
  });

  test("two item files: the one that holds the ids is taken, whatever the other is called", async () => {
    const events = write(
      "e.csv",
      ["user_id", "product", "rating"],
      world.events(40, 50).map(([u, i]) => [`u${u}`, `n${11 * i}`, world.int(1, 5)]),
    );
    const old = write(
      "products.csv",
      ["product", "title", "kind", "size"],
      range(50).map((i) => [`old${i}`, titleOf(i), KINDS[i % 5], i % 7]),
    );
    const half = write(
      "part.csv",
      ["product", "title", "kind", "size"],
      range(20).map((i) => [`n${11 * i}`, titleOf(i), KINDS[i % 5], 3.5 + (i % 7)]),
      ";",
    );
    const { config, notes } = await world.suggest(
      events,
      old,
      half,
      goods(50, (i) => `n${11 * i}`),
    );
    expect(config.items).toMatchObject({ files: expect.stringContaining("goods.csv"), columns: { item: "ref" } });
    expect(notes.join("\n")).toMatch(/left out \d+\/products.csv: none of the 50/);
    expect(notes.join("\n")).toMatch(/left out \d+\/part.csv: holds fewer of the ids/);
  });

  test("a file longer than what is looked at: ids are found behind its first rows", async () => {
    const ids = range(25_000).map((i) => `k${(7919 * i) % 25_013}`);
    const events = write(
      "e.csv",
      ["who", "what", "mark"],
      world.events(40, 500).map(([u, i]) => [`u${u}`, ids[24_999 - i], world.int(1, 5)]),
    );
    const { guesses } = await world.suggest(
      events,
      goods(25_000, (i) => ids[i]),
    );
    expect(guesses?.items?.item).toMatchObject({ column: "ref", confidence: "sure" });
  });

  test("users of one file and items of another, numbers alike: the users file is told by its columns", async () => {
    const events = write(
      "e.csv",
      ["a", "b", "rating"],
      world.events(90, 60).map(([u, i]) => [u + 1, i + 1, world.int(1, 5)]),
    );
    const people = write(
      "people.csv",
      ["nr", "age", "gender"],
      range(90).map((u) => [u + 1, world.int(10, 80), world.pick(["f", "m"])]),
    );
    const { config, notes } = await world.suggest(
      people,
      events,
      goods(60, (i) => i + 1),
    );
    expect(config.interactions.columns).toMatchObject({ user: "a", item: "b" });
    expect(config.items).toMatchObject({ files: expect.stringContaining("goods.csv") });
    expect(notes.join("\n")).toMatch(/left out \d+\/people.csv: describes users/);
  });
});

describe("ratings", () => {
  /** The rating found among the columns of an event file, and how sure it is. */
  async function rating(columns: Record<string, (u: number, i: number, k: number) => string | number>) {
    const rows = world
      .events(50, 60)
      .map(([u, i], k) => [`u${u}`, `i${i}`, ...Object.values(columns).map((cell) => cell(u, i, k))]);
    const { guesses, notes } = await world.suggest(
      write("e.csv", ["user_id", "item_id", ...Object.keys(columns)], rows),
    );
    const own = guesses?.interactions.rating;
    return { found: own && `${own.column}, ${own.confidence}`, notes: notes.join("\n") };
  }

  test.each<[string, Record<string, (u: number, i: number, k: number) => string | number>, string | undefined]>([
    ["Feedback from 1 to 10", { Feedback: () => world.int(1, 10) }, "Feedback, sure"],
    ["1 to 10 under a name that says nothing", { col7: () => world.int(1, 10) }, "col7, likely"],
    ["half stars", { verdict: () => world.int(1, 10) / 2 }, "verdict, likely"],
    ["-1, 0 and 1", { verdict: () => world.int(-1, 1) }, "verdict, likely"],
    ["-1 to 1 by name", { score: () => world.int(-100, 100) / 100 }, "score, sure"],
    ["0 to 100 by name", { rating: () => world.int(0, 100) }, "rating, sure"],
    ["0 to 100", { verdict: () => world.int(0, 100) }, "verdict, likely"],
    ["likes", { liked: () => world.int(0, 1) }, "liked, sure"],
    ["0 and 1 of something", { verified: () => world.int(0, 1) }, undefined],
    ["a quantity", { quantity: () => world.pick([1, 1, 1, 2, 3]) }, undefined],
    ["counts under another name", { pcs: () => world.pick([1, 1, 1, 1, 2, 3, 5]) }, undefined],
    ["a price", { price: () => `${world.int(1, 90)}.99` }, undefined],
    ["an age, the same for a user", { level: (u) => 1 + (u % 5) }, undefined],
    ["the stars of a hotel, the same for an item", { category: (_, i) => 1 + (i % 5) }, undefined],
    ["an hour", { hour: () => world.int(0, 20) }, undefined],
    ["a rating beside a quantity", { quantity: () => world.int(1, 5), stars: () => world.int(1, 5) }, "stars, sure"],
    ["a count of votes", { rating_count: () => world.int(0, 10) }, undefined],
  ])("%s", async (_, columns, expected) => {
    expect((await rating(columns)).found).toBe(expected);
  });

  test("two that are as good: a guess, and the other is named", async () => {
    const { found, notes } = await rating({ taste: () => world.int(1, 5), looks: () => world.int(1, 5) });
    expect(found).toBe("taste, a guess");
    expect(notes).toContain("looks (whole numbers from 1 to 5, 5 different) could be the rating as well as taste");
  });

  test("none: what could be one is named, with the setting", async () => {
    const { notes } = await rating({ pcs: () => world.pick([1, 1, 1, 1, 2, 3, 5]) });
    expect(notes).toContain(
      "mostly 1, as counts are: if it says how much an item was liked, set interactions.columns.rating: pcs",
    );
  });

  test("a rating in words is not read, and said", async () => {
    const { found, notes } = await rating({ rating: () => world.pick(["good", "bad"]) });
    expect(found).toBeUndefined();
    expect(notes).toContain("rating of");
    expect(notes).toContain("holds no numbers");
  });
});

test("dates that are not read are said", async () => {
  const rows = world.events(30, 30).map(([u, i], k) => [`u${u}`, `i${i}`, `${1 + (k % 12)}/${1 + (k % 28)}/2011 8:26`]);
  const { config, notes } = await world.suggest(write("e.csv", ["user_id", "item_id", "InvoiceDate"], rows));
  expect(config.interactions.columns).toMatchObject({ time: null });
  expect(notes.join("\n")).toContain("InvoiceDate of");
});

test("an order has one customer: it is not the item, although no name tells", async () => {
  const rows = world
    .events(40, 50)
    .map(([u, i], k) => [`I${Math.floor(k / 4)}`, `S${i}`, world.pick([1, 1, 1, 1, 6]), day(k), `u${u}`, "UK"]);
  const { config } = await world.suggest(
    write("e.csv", ["InvoiceNo", "StockCode", "Quantity", "InvoiceDate", "CustomerID", "Country"], rows),
  );
  expect(config.interactions.columns).toEqual({
    user: "CustomerID",
    item: "StockCode",
    rating: null,
    time: "InvoiceDate",
  });
});
