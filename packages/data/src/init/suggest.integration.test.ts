import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { parseConfig, parseYaml } from "../config/parse.ts";
import { Database, quote } from "../database.ts";
import { prepare } from "../prepare/prepare.ts";
import { suggestConfig } from "./suggest.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "nearkin-init-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

function write(name: string, content: string | Buffer): string {
  mkdirSync(dirname(join(folder, name)), { recursive: true });
  writeFileSync(join(folder, name), content);
  return name;
}

const lines = (rows: readonly string[]) => rows.map((row) => `${row}\n`).join("");
const table = (delimiter: string, rows: readonly (readonly (string | number)[])[]) =>
  lines(rows.map((row) => row.join(delimiter)));

/** Suggests for files of the folder, and checks that the text says what the object says. */
async function suggest(...names: string[]) {
  const suggestion = await suggestConfig(
    names.map((name) => join(folder, name)),
    { folder },
  );
  const parsed = parseYaml(suggestion.yaml, "nearkin.yaml");
  expect(parsed).toEqual(suggestion.config);
  parseConfig(parsed);
  expect(
    Math.max(
      ...suggestion.yaml
        .split("\n")
        .filter((line) => /^\s*#/.test(line))
        .map((line) => line.length),
    ),
  ).toBeLessThan(130);
  return suggestion;
}

async function refused(...names: string[]): Promise<string> {
  const error = await suggest(...names).then(
    () => undefined,
    (reason: Error & { code: string }) => reason,
  );
  return error === undefined ? "no error" : `${error.code}: ${error.message.replaceAll(folder, "FOLDER")}`;
}

/** The remarks on columns, each after the key that it stands above; the explanations of sections are the same in every file. */
const remarks = (yaml: string): string[] =>
  Array.from(yaml.matchAll(/^ +# (.*)\n +(\w+):/gm), ([, remark, key]) => `${key}: ${remark}`);

const GENRES = ["Drama", "Comedy", "War", "Noir"];
const WORDS = ["lantern", "harbour", "moss", "orchard", "river", "winter", "garden", "letter"];
const word = (i: number) => WORDS[i % WORDS.length];

/** Ratings of 12 users for 20 items; the columns are named by the header. */
function ratings(delimiter: string, header: readonly string[] | undefined, id = (i: number) => String(i)): string {
  const rows = Array.from({ length: 12 }, (_, u) =>
    Array.from({ length: 15 }, (_, k) => [
      `u${u}`,
      id((u + k) % 20),
      1 + ((u * k) % 5),
      1_500_000_000 + 977 * ((u * 7 + k * 3) % 40),
    ]),
  ).flat();
  return table(delimiter, [...(header ? [header] : []), ...rows]);
}

test("a semicolon table with odd names: every kind of column", async () => {
  write(
    "sales/bewertungen.csv",
    ratings(";", ["Kunde_Nr", "Artikel_Nr", "Sterne", "Datum"], (i) => `A-${i}`),
  );
  const header = [
    "Artikel_Nr",
    "Name",
    "Größe",
    "Preis",
    "Genres",
    "Plot",
    "Erschienen",
    "lat",
    "lon",
    "Farbe",
    "Bild_URL",
  ];
  const more = ["average_rating", "Code", "Immer", "Leer", "EAN", "Dauer", "Netto"];
  const items = Array.from({ length: 20 }, (_, i) => [
    `A-${i}`,
    `The ${word(i)} of the ${word(i + 3)} ${i}`,
    (i % 5) + 0.5,
    i === 7 ? "N/A" : `$${i + 1}.99`,
    i === 3 ? "" : `${GENRES[i % 4]}|${GENRES[(i + 1) % 4]}`,
    `"A ${word(i)}, a ${word(i + 1)}; and then the long ${word(i + 2)} of it, ""quoted"""`,
    i === 4 ? "0000-00-00" : `20${10 + (i % 9)}-0${1 + (i % 9)}-11`,
    48 + i / 10,
    11 - i,
    ["rot", "blau"][i % 2],
    `https://example.org/${i}.png`,
    (4 + (i % 10) / 10).toFixed(1),
    `X${i}Q${i * 7}`,
    "ja",
    "",
    4_000_000_000_000 + 77 * i,
    i % 4 === 3 ? "2 Seasons" : `${80 + i} min`,
    `${i},50`,
  ]);
  write("sales/artikel.csv", table(";", [[...header, ...more], ...items]));
  const { config, yaml, notes } = await suggest("sales/bewertungen.csv", "sales/artikel.csv");
  expect(config).toMatchInlineSnapshot(`
    {
      "channels": {
        "Dauer": {
          "column": "Dauer",
          "pattern": "^\\s*(\\d+(?:\\.\\d+)?)\\s*min\\s*$",
          "type": "number",
        },
        "Erschienen": {
          "column": "Erschienen",
          "missing": [
            "0000-00-00",
          ],
          "type": "date",
        },
        "Farbe": {
          "column": "Farbe",
          "separator": null,
          "type": "categories",
        },
        "Genres": {
          "column": "Genres",
          "separator": "|",
          "type": "categories",
        },
        "Grosse": {
          "column": "Größe",
          "type": "number",
        },
        "Plot": {
          "column": "Plot",
          "type": "text",
        },
        "Preis": {
          "column": "Preis",
          "missing": [
            "N/A",
          ],
          "pattern": "^\\s*\\$\\s*(\\d{1,3}(?:,\\d{3})+(?:\\.\\d+)?|\\d+(?:\\.\\d+)?)\\s*$",
          "thousands": ",",
          "type": "number",
        },
        "place": {
          "latitude": "lat",
          "longitude": "lon",
          "type": "geo",
        },
        "title": {
          "column": "Name",
          "type": "text",
        },
      },
      "interactions": {
        "columns": {
          "item": "Artikel_Nr",
          "rating": "Sterne",
          "time": "Datum",
          "user": "Kunde_Nr",
        },
        "delimiter": ";",
        "files": "sales/bewertungen.csv",
      },
      "items": {
        "columns": {
          "item": "Artikel_Nr",
          "title": "Name",
        },
        "delimiter": ";",
        "files": "sales/artikel.csv",
      },
      "seed": 1,
      "split": {
        "by": "time",
        "fraction": 0.05,
      },
    }
  `);
  expect(remarks(yaml)).toEqual([
    "user: sure: named like a user; 12 different in 180 rows",
    "item: sure: named like an item; all of its 20 values are in artikel.csv Artikel_Nr",
    "rating: sure: named like a rating; whole numbers from 1 to 5, 5 different",
    "time: sure: named like a time; seconds since 1970, or parts of them",
    "item: sure: holds all of the 20 values of bewertungen.csv Artikel_Nr",
    "title: sure: named like a title",
    'Preis: the number in "$1.99"',
    "Genres: 5 % of the items have none",
    'Dauer: the number in "80 min"; the other 25 % count as missing',
  ]);
  expect(yaml).toContain("# ratingRange: [1, 5] ");
  const [, reasons = ""] = /# Columns that are no channel:((?:\n *#.*)+)/.exec(yaml) ?? [];
  expect(
    reasons
      .replaceAll(/\s+#? */g, " ")
      .split(" - ")
      .slice(1),
  ).toEqual([
    "Bild_URL: addresses",
    "average_rating: looks summed up from ratings or counted from interactions; what the kernel is to predict must not be a channel of it",
    "Code: nearly every item has a word of its own here: a code or a name, which makes no two items alike",
    'Immer: holds one value only, "ja"',
    "Leer: empty in every row looked at",
    "EAN: an id, not a property",
    'Netto: numbers with commas, such as 0,50: declare it with decimal: "," or thousands: ","',
  ]);
  for (const section of ["interactions", "items", "channels", "split", "seed"]) {
    expect(yaml).toMatch(new RegExp(`^# .+\\n${section}:`, "m")); // each is explained
  }
  expect(notes).toEqual([]);
});

test("what is suggested can be prepared as it stands", async () => {
  write("events.tsv", ratings("\t", ["member", "song_id", "score", "when"]));
  const songs = Array.from({ length: 20 }, (_, i) =>
    JSON.stringify({
      song_id: i,
      name: `${word(i)} ${word(i + 1)} song`,
      tags: i === 2 ? null : [GENRES[i % 4], GENRES[(i + 2) % 4]],
      embedding: [i / 10, 1, -i],
      notes: [`The ${word(i)} sings about a ${word(i + 1)} and more`, "and it goes on and on for long"],
      artist_id: i % 5,
      plays: 100 * i,
      extra: { a: 1 },
      credits: [{ name: "x" }],
      length: 200 + 7 * (i % 6),
    }),
  );
  write("songs.jsonl.gz", gzipSync(lines(songs)));
  const { config } = await suggest("songs.jsonl.gz", "events.tsv");
  expect(config.channels).toMatchInlineSnapshot(`
    {
      "artist_id": {
        "column": "artist_id",
        "separator": null,
        "type": "categories",
      },
      "embedding": {
        "column": "embedding",
        "type": "vector",
      },
      "length": {
        "column": "length",
        "type": "number",
      },
      "notes": {
        "column": "notes",
        "type": "text",
      },
      "tags": {
        "column": "tags",
        "type": "categories",
      },
      "title": {
        "column": "name",
        "type": "text",
      },
    }
  `);
  const small = parseConfig({
    ...config,
    channels: Object.fromEntries(
      Object.entries(config.channels ?? {}).map(([name, channel]) => [
        name,
        channel.type === "text" ? { ...channel, encoder: "lsa", pca: 2 } : channel,
      ]),
    ),
    split: { by: "none" },
  });
  const manifest = await prepare(small, {
    folder,
    out: join(folder, "dataset"),
    cache: join(folder, "cache"),
    threads: 1,
  });
  expect(manifest.counts).toMatchObject({ users: 12, items: 20, describedItems: 20, rejectedInteractionRows: 0 });
  expect(Object.fromEntries(Object.entries(manifest.channels).map(([name, { present }]) => [name, present]))).toEqual({
    title: 20,
    tags: 19,
    embedding: 20,
    notes: 20,
    artist_id: 20,
    length: 20,
  });
});

test("parquet, with a year in the title, flags and Python's lists", async () => {
  write("ratings.csv", ratings(",", ["user_id", "film_id", "rating", "timestamp"]));
  await using database = await Database.open(":memory:", { scratch: "", threads: 1 });
  await database.run(
    `COPY (SELECT i AS film_id, 'The ' || ${quote("moss")} || ' ' || i || ' (' || (1950 + i) || ')' AS title,
       i % 2 AS animated, CAST(i % 3 = 0 AS INTEGER) AS silent, CAST(i > 4 AS INTEGER) AS colour,
       [i * 0.5, 1.0, 2.0, 3.0] AS vector, DATE '2001-02-03' + CAST(i AS INTEGER) AS opened,
       '[''sea'', ''' || CASE WHEN i % 2 = 0 THEN 'ship' ELSE 'storm' END || ''']' AS themes
     FROM range(20) AS r(i)) TO ${quote(join(folder, "films.parquet"))} (FORMAT parquet)`,
  );
  const { config } = await suggest("ratings.csv", "films.parquet");
  expect(config.items).toEqual({ files: "films.parquet", columns: { item: "film_id", title: "title" } });
  expect(config.channels).toMatchInlineSnapshot(`
    {
      "flags": {
        "flags": [
          "animated",
          "silent",
          "colour",
        ],
        "type": "categories",
      },
      "opened": {
        "column": "opened",
        "type": "date",
      },
      "themes": {
        "column": "themes",
        "pattern": "^\\[\\s{0,9}['"]?(.*?)['"]?\\s{0,9}\\]$",
        "separator": "', '",
        "type": "categories",
      },
      "title": {
        "column": "title",
        "type": "text",
      },
      "vector": {
        "column": "vector",
        "type": "vector",
      },
      "year": {
        "column": "title",
        "pattern": "\\((\\d{4})(?:\\s*[–-]\\s*(?:\\d{4})?)?\\)\\s*$",
        "type": "number",
      },
    }
  `);
});

describe("files that say little", () => {
  test("no header: roles by content, and which id is the item's by the item file", async () => {
    const rows = Array.from({ length: 60 }, (_, k) => [
      `m${k % 20}`,
      `p${(k * 7) % 11}`,
      1 + (((37 * k) % 23) % 5),
      1_400_000_000 + k,
    ]);
    write("log.dat", table("::", rows)); // the item comes first here
    write(
      "films.txt",
      table(
        "|",
        Array.from({ length: 20 }, (_, i) => [`m${i}`, `${word(i)} and ${word(i + 1)} ${i}`, GENRES[i % 4]]),
      ),
    );
    const { config, notes } = await suggest("log.dat", "films.txt");
    expect(config).toMatchObject({
      interactions: {
        files: "log.dat",
        delimiter: "::",
        names: ["item", "user", "rating", "time"],
        columns: { user: "user", item: "item", rating: "rating", time: "time" },
      },
      items: {
        files: "films.txt",
        delimiter: "|",
        names: ["item", "title", "column_3"],
        columns: { item: "item", title: "title" },
      },
      channels: { title: { type: "text" }, column_3: { type: "categories", separator: null } },
    });
    expect(notes).toMatchInlineSnapshot(`
      [
        "log.dat has no header line: what its columns are was read off its content",
      ]
    `);
  });

  test("one file, no rating, no time, latin-1, an unknown ending", async () => {
    write(
      "besuche.log",
      Buffer.from(
        table(",", [
          ["visitor_id", "hotel_id", "Straße"],
          ...Array.from({ length: 30 }, (_, k) => [`v${k % 7}`, `h${k % 4}`, "Höfe"]),
        ]),
        "latin1",
      ),
    );
    const { config, notes } = await suggest("besuche.log");
    expect(config).toMatchInlineSnapshot(`
      {
        "channels": {
          "identity": {
            "type": "identity",
          },
        },
        "interactions": {
          "columns": {
            "item": "hotel_id",
            "rating": null,
            "time": null,
            "user": "visitor_id",
          },
          "encoding": "latin-1",
          "files": "besuche.log",
          "format": "csv",
        },
        "seed": 1,
        "split": {
          "by": "random",
          "fraction": 0.05,
        },
      }
    `);
    expect(notes).toMatchInlineSnapshot(`
      [
        "besuche.log has no column of ratings: every row counts as 1",
        "besuche.log has no column of times: the order of the rows counts",
        "no file describes the items, so that the only channel is which item it is (identity), and the presets default and fast refuse to train; give a file with a row for each item",
        "if some of Straße in besuche.log describe the item, write them to a file with one row per item",
      ]
    `);
  });

  test("names that no list knows: the row's own id is not the item's", async () => {
    const rows = Array.from({ length: 60 }, (_, k) => [
      k,
      `p${(k * 7) % 11}`,
      `m${k % 20}`,
      1 + (((37 * k) % 23) % 5),
      `2020-01-${10 + (k % 9)}`,
    ]);
    write("x.csv", table(",", [["id", "who", "what", "liking", "day"], ...rows]));
    const { config, guesses } = await suggest("x.csv");
    expect(config.interactions.columns).toEqual({ user: "who", item: "what", rating: "liking", time: "day" });
    expect(guesses?.interactions).toMatchObject({
      user: { confidence: "a guess" },
      item: { confidence: "a guess" },
      rating: { confidence: "likely", reason: "whole numbers from 1 to 5, 5 different" },
      time: { confidence: "likely" },
    });
  });

  test("UTF-16 with a byte order mark", async () => {
    write("r.csv", Buffer.from(`\uFEFF${ratings(",", ["user_id", "item_id", "rating", "timestamp"])}`, "utf16le"));
    const { config } = await suggest("r.csv");
    expect(config.interactions).toMatchObject({ encoding: "utf-16", columns: { user: "user_id", time: "timestamp" } });
  });

  test("quotes that are letters", async () => {
    write("r.csv", ratings(",", ["user_id", "item_id", "rating", "timestamp"]));
    const items = Array.from(
      { length: 20 },
      (_, i) => `${i}\t"${word(i)}" ${word(i + 2)} 7" cut ${i}\t${GENRES[i % 4]}`,
    );
    write("i.tsv", lines(["item_id\ttitle\tgenre", ...items]));
    const { config } = await suggest("r.csv", "i.tsv");
    expect(config.items).toMatchObject({ quote: "", columns: { item: "item_id", title: "title" } });
  });
});

test("several files of one shape are one source; other shapes are left out and said so", async () => {
  const header = ["user_id", "item_id", "rating", "timestamp"];
  write("data/2019.csv", ratings(",", header));
  write("data/2020.csv.gz", gzipSync(ratings(",", header)));
  write(
    "data/tags.csv",
    table(",", [
      ["user_id", "item_id", "tag", "timestamp"],
      ["u1", "1", "slow", 1],
      ["u2", "1", "dark", 2],
    ]),
  );
  write(
    "data/items.csv",
    table(",", [["item_id", "genre"], ...Array.from({ length: 20 }, (_, i) => [i, GENRES[i % 4]])]),
  );
  write("data/links.csv", table(",", [["item_id", "imdb_id"], ...Array.from({ length: 20 }, (_, i) => [i, `tt${i}`])]));
  write("data/users.csv", table(",", [["user_id", "age"], ...Array.from({ length: 20 }, (_, i) => [i, 20 + (i % 7)])]));
  write("data/README.txt", "About these files\n\nNothing.\n");
  const { config, notes } = await suggest("data");
  expect(config.interactions.files).toEqual(["data/2019.csv", "data/2020.csv.gz"]);
  expect(config.items).toMatchObject({ files: "data/items.csv" });
  expect(notes).toMatchInlineSnapshot(`
    [
      "left out README.txt: has one column only, or rows of unequal length; cells are separated by one of , ; | :: and tab",
      "left out data/tags.csv: interactions of another shape; one shape is read",
      "left out data/users.csv: describes users; only items have channels",
      "left out data/links.csv: describes items too, and less than data/items.csv; one table is read: join them",
    ]
  `);
});

test("a folder of a known layout gets that layout", async () => {
  write("ml/ratings.csv", ratings(",", ["userId", "movieId", "rating", "timestamp"]));
  write(
    "ml/movies.csv",
    table(",", [
      ["movieId", "title", "genres"],
      ["1", "Lantern (1999)", "Drama|War"],
    ]),
  );
  const { config, yaml, notes } = await suggest("ml");
  expect(config).toMatchObject({
    name: "MovieLens",
    interactions: { files: "ml/ratings.csv" },
    items: { files: "ml/movies.csv" },
    channels: { year: { type: "number" } },
    split: { by: "time" },
    seed: 1,
  });
  expect(yaml).toContain("# Note: the files have the layout movielens.");
  expect(notes).toEqual(["the files have the layout movielens"]);
});

test("names that YAML or a comment could trip over", async () => {
  const names = ["id: yes", "#1, 'x' [a]", "true", "line\nend", " spaced "];
  write("r.csv", ratings(",", ["user_id", "item_id", "rating", "timestamp"]));
  const items = Array.from({ length: 20 }, (_, i) => ({
    item_id: String(i),
    ...Object.fromEntries(names.map((name, k) => [name, GENRES[(i + k) % 4]])),
    "empty\n# one": "",
  }));
  write("i.jsonl", lines(items.map((item) => JSON.stringify(item))));
  const { config } = await suggest("r.csv", "i.jsonl");
  const columns = Object.values(config.channels ?? {}).map((channel) => "column" in channel && channel.column);
  expect(columns.sort()).toEqual(names.sort());
});

test("errors", async () => {
  write(
    "items.csv",
    table(",", [
      ["item_id", "title"],
      [1, "Moss"],
      [2, "Lantern"],
    ]),
  );
  write("empty.csv", "");
  write("header.csv", "user_id,item_id\n");
  write("one.csv", "a\nb\nc\n");
  write("book.xlsx", Buffer.from("PK\u0003\u0004……", "latin1"));
  write("array.json", '[{"user_id": 1}]\n');
  write("pretty.json", '{\n  "user_id": 1\n}\n');
  write("ends.csv", "user_id,item_id\n1,2\r\n2,2\r\n3,1\r\n");
  write("noise.csv", Buffer.from([1, 0, 2, 0, 3, 255]));
  write("packed.csv", gzipSync("a,b\n"));
  write("cut.csv.gz", Buffer.from("not gzip"));
  mkdirSync(join(folder, "nothing"));
  const found: Record<string, string> = {};
  const names = [
    "missing.csv",
    "items.csv",
    "empty.csv",
    "header.csv",
    "one.csv",
    "book.xlsx",
    "array.json",
    "pretty.json",
    "ends.csv",
  ];
  for (const name of [...names, "noise.csv", "packed.csv", "cut.csv.gz", "nothing"]) found[name] = await refused(name);
  expect(found).toMatchInlineSnapshot(`
    {
      "array.json": "BAD_SOURCE: array.json is one JSON array; write one object per line, as \`jq -c '.[]'\` does for an array",
      "book.xlsx": "BAD_SOURCE: book.xlsx is a zip archive or a workbook; unpack it, or export its sheets as csv",
      "cut.csv.gz": "BAD_SOURCE: cut.csv.gz ends in .gz but cannot be unpacked; copy it again",
      "empty.csv": "BAD_SOURCE: empty.csv is empty (0 bytes)",
      "ends.csv": "BAD_SOURCE: init: ends.csv cannot be read: its lines end in different ways (\\n, \\r\\n, \\r); make them alike",
      "header.csv": "BAD_SOURCE: header.csv has a header but no rows",
      "items.csv": "BAD_SOURCE: no file looks like interactions, which need a column of users and one of items (user_id and item_id, say): items.csv has item_id, title; rename the columns, or write nearkin.yaml by hand with interactions.columns",
      "missing.csv": "BAD_SOURCE: FOLDER/missing.csv: there is no such file or folder",
      "noise.csv": "BAD_SOURCE: noise.csv is not a text file; give csv, tsv, JSON lines or Parquet",
      "nothing": "BAD_SOURCE: FOLDER/nothing holds no csv, tsv, jsonl or parquet files",
      "one.csv": "BAD_SOURCE: one.csv has one column only, or rows of unequal length; cells are separated by one of , ; | :: and tab",
      "packed.csv": "BAD_SOURCE: packed.csv is packed with gzip but not called .gz; rename it",
      "pretty.json": "BAD_SOURCE: pretty.json spreads an object over several lines; write one object per line, as \`jq -c '.[]'\` does for an array",
    }
  `);
});
