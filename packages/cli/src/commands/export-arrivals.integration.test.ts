// Events and feedback of a store as files, and round again: `prepare` reads exactly what went in.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openDataset, parseConfig, prepare, readParquet } from "@nearkin/data";
import { type NewEvent, openStore } from "@nearkin/serve/store";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { datasetEvents } from "../testing/dataset-events.ts";
import { run } from "../testing/run.ts";

let root: string;
const at = (name: string) => join(root, name);
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), "nearkin-arrivals-"));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** A store with these events in it, closed. */
async function storeOf(name: string, events: readonly NewEvent[]): Promise<string> {
  const path = at(`${name}.db`);
  for (const file of readdirSync(root)) if (file.startsWith(`${name}.db`)) rmSync(at(file));
  await using store = await openStore(path);
  for (let i = 0; i < events.length; i += 1000) await store.events.add(events.slice(i, i + 1000));
  return path;
}

async function prepared(file: string, rating?: null) {
  const columns = rating === null ? { rating } : {};
  const config = parseConfig({
    interactions: { files: file, columns },
    split: { by: "none" },
    factors: { count: 0 },
    rejectLimit: 0,
  });
  const out = at(`${file}-dataset`);
  await prepare(config, { out, folder: root, threads: 1, force: true });
  return openDataset(out);
}

const byText = (a: readonly unknown[], b: readonly unknown[]) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1);

const id = fc
  .oneof(
    fc.string({ unit: "grapheme", minLength: 1, maxLength: 12 }),
    fc.string({
      unit: fc.constantFrom('"', ",", "\n", "\r", "\\", " ", "'", "#", "7", ".", "0", "-"),
      minLength: 1,
      maxLength: 6,
    }),
    fc.constantFrom("null", "NULL", "nan", "\\N", "true", "a\tb", "ß".repeat(256)),
  )
  .filter((text) => !/\0|^\ufeff|\p{Surrogate}/u.test(text) && Buffer.byteLength(text) <= 512);

const FIRST = Date.UTC(1, 0, 1);
const LAST = Date.UTC(9999, 11, 31);
const event = fc.record({
  user: id,
  item: id,
  rating: fc.oneof(fc.integer({ min: 0, max: 5 }), fc.double({ min: -1e6, max: 1e6, noNaN: true })),
  time: fc.oneof(fc.integer({ min: FIRST, max: LAST }), fc.integer({ min: 0, max: 1e11 })),
  type: fc.constantFrom("rating", "buy", 'odd, "type"'),
});

describe("events", () => {
  test("any events, any ids, in all three formats: the dataset has exactly them", async () => {
    const events = fc.uniqueArray(event, {
      selector: ({ user, item }) => JSON.stringify([user, item]), // of several the last counts
      minLength: 60,
      maxLength: 120,
    });
    await fc.assert(
      fc.asyncProperty(events, async (some) => {
        const path = await storeOf("any", some);
        const expected = some
          .map(({ user, item, rating, time }) => [user, item, rating + 0, Math.floor(time / 1000)])
          .sort(byText);
        for (const file of ["events.parquet", "events.jsonl", "events.csv"]) {
          expect((await run("export", "events", "--store", path, "--out", at(file))).code).toBe(0);
          expect((await datasetEvents(await prepared(file))).sort(byText)).toEqual(expected);
        }
      }),
      { numRuns: 3, endOnFailure: true }, // each takes seconds
    );
  });

  test("come in the order of arrival, all of them or behind a number, over many pages", async () => {
    const events = Array.from({ length: 12_345 }, (_, i) => ({
      user: `u${i % 97}`,
      item: `i${i}`,
      ...(i % 3 === 0 ? {} : { rating: i % 5 }),
      time: 1_700_000_000_123 - i,
      type: i % 3 === 0 ? "view" : "rating",
    }));
    const path = await storeOf("many", events);
    const all = await run("export", "events", "--store", path, "--out", at("all.jsonl"), "--json");
    expect(JSON.parse(all.out)).toEqual({ out: at("all.jsonl"), rows: 12_345, last: 12_345 });
    expect(all.err).toMatch(
      /^12,345 rows of events in [\d.]+ s; what comes later has --since 12345\nnote: 4,115 events have no rating, and nearkin prepare leaves such rows out; export with --rated or --no-ratings\n$/,
    );
    const lines = readFileSync(at("all.jsonl"), "utf8").trimEnd().split("\n");
    expect(lines.map((line) => JSON.parse(line))).toEqual(
      events.map(({ user, item, rating = null, time, type }, i) => {
        return { user, item, rating, time: new Date(time).toISOString(), type, arrival: i + 1 };
      }),
    );

    await run("export", "events", "--store", path, "--since", "12340", "--out", at("some.parquet"));
    expect((await readParquet<{ item: string }>(at("some.parquet"))).map(({ item }) => item)).toEqual([
      "i12340",
      "i12341",
      "i12342",
      "i12343",
      "i12344",
    ]);
    const none = await run("export", "events", "--store", path, "--since", "12345", "--out", at("none.csv"), "--json");
    expect(JSON.parse(none.out)).toEqual({ out: at("none.csv"), rows: 0, last: 12_345 });
    expect(readFileSync(at("none.csv"), "utf8")).toBe("user,item,rating,time,type,arrival\n");

    const rated = await run("export", "events", "--store", path, "--rated", "--out", at("rated.parquet"), "--json");
    expect(JSON.parse(rated.out)).toMatchObject({ rows: 8230, last: 12_345 });
    expect(rated.err).not.toContain("note");
    expect((await prepared("rated.parquet")).manifest.counts).toMatchObject({ interactions: 8230, users: 97 });
    await run("export", "events", "--store", path, "--no-ratings", "--out", at("bare.parquet"));
    const { counts, ratings } = (await prepared("bare.parquet")).manifest;
    expect([counts.interactions, ratings.kind]).toEqual([12_345, "implicit"]);
    const views = await run("export", "events", "--store", path, "--types", "view", "--out", at("views.csv"), "--json");
    expect(JSON.parse(views.out)).toMatchObject({ rows: 4115, last: 12_345 });
    expect(views.err).toContain(
      "note: no event has a rating, and nearkin prepare leaves such rows out; export with --no-ratings\n",
    );
  });

  test("a time that no calendar has is not read as another", async () => {
    const path = await storeOf("odd", [
      { user: "a", item: "x", rating: 1, time: 9e15, type: "rating" },
      { user: "b", item: "x", rating: 1, time: 3e14, type: "rating" },
    ]);
    await run("export", "events", "--store", path, "--out", at("odd.csv"));
    expect(readFileSync(at("odd.csv"), "utf8").split("\n").slice(1, 3)).toEqual([
      "a,x,1,9000000000000000 ms,rating,1",
      "b,x,1,+011476-08-15T05:20:00.000Z,rating,2",
    ]);
    await expect(prepared("odd.csv")).rejects.toThrow(/2 of 2 \(100 %\) cannot be used/);
  });

  test("a server may go on meanwhile", async () => {
    const path = await storeOf("open", [{ user: "a", item: "x", rating: 1, time: 1, type: "rating" }]);
    await using server = await openStore(path);
    const exported = run("export", "events", "--store", `file:${path}`, "--out", at("open.jsonl"));
    await server.events.add([{ user: "b", item: "x", rating: 1, time: 1, type: "rating" }]);
    expect((await exported).code).toBe(0);
    expect(await server.events.count()).toBe(2);
  });
});

test("feedback", async () => {
  const path = await storeOf("feedback", []);
  {
    await using store = await openStore(path);
    await store.feedback.add([
      { recommendation: "r1", user: "ann", item: "x", action: "shown", position: 1, time: 1000, model: "m1" },
      { recommendation: "r1", user: null, item: "y", action: "clicked", time: 2000, model: "m1" },
    ]);
  }
  const expected = [
    {
      recommendation: "r1",
      user: "ann",
      item: "x",
      action: "shown",
      position: 1,
      time: "1970-01-01T00:00:01.000Z",
      model: "m1",
      arrival: 1,
    },
    {
      recommendation: "r1",
      user: null,
      item: "y",
      action: "clicked",
      position: null,
      time: "1970-01-01T00:00:02.000Z",
      model: "m1",
      arrival: 2,
    },
  ];
  expect((await run("export", "feedback", "--store", path, "--out", at("f.parquet"))).out).toBe(`${at("f.parquet")}\n`);
  expect(await readParquet(at("f.parquet"))).toEqual(expected);
  await run("export", "feedback", "--store", path, "--since", "1", "--out", at("f.jsonl"));
  expect(readFileSync(at("f.jsonl"), "utf8")).toBe(`${JSON.stringify(expected[1])}\n`);
});

test("what is wrong is said before anything is written, and no store is made by a misspelt name", async () => {
  const path = await storeOf("errors", []);
  const errors = [];
  for (const args of [
    ["events", "--store", at("nowhere.db"), "--out", at("x.parquet")],
    ["events", "--store", path, "--out", at("x.txt")],
    ["events", "--out", at("x.csv")],
    ["events", "--store", path, "--out", at("x.csv"), "--since", "yesterday"],
    ["events", "--store", path, "--out", at("x.csv"), "--types", "a,,b"],
    ["feedback", "--store", path, "--out", root],
  ]) {
    const { code, err } = await run("export", ...args);
    errors.push(`${code} ${err.split("\n")[0].replaceAll(root, "TMP")}`);
  }
  expect(errors).toMatchInlineSnapshot(`
    [
      "1 BAD_ARGUMENT: --store: there is no file TMP/nowhere.db; name the one that the server was started with",
      "1 BAD_ARGUMENT: --out: expected a file that ends in .parquet, .jsonl or .csv, got TMP/x.txt",
      "2 USAGE: required option '--store <place>' not specified",
      "2 USAGE: option '--since <arrival>' argument 'yesterday' is invalid. Expected a whole number of at least 0.",
      "2 USAGE: option '--types <list>' argument 'a,,b' is invalid. Expected types, such as rating,buy.",
      "1 BAD_ARGUMENT: --out: expected a file that ends in .parquet, .jsonl or .csv, got TMP",
    ]
  `);
  expect(existsSync(at("nowhere.db"))).toBe(false);
});
