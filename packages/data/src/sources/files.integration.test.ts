// Files as people have them: which are found, how text, JSON Lines and Parquet are read, and what is said of those that cannot be.
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import type { ConfigInput } from "../config/schema.ts";
import { World } from "../testing/world.ts";

const anything = { split: { by: "none" }, rejectLimit: 1 } as const;
const header = "user,item,rating,time\n";

/** The events and rejects of one file, or the error. */
async function read(
  content: string | Uint8Array,
  name = "ratings.csv",
  source: Partial<ConfigInput["interactions"]> = {},
) {
  using world = new World();
  world.write(name, content);
  await world.prepare({ ...anything, interactions: { files: name, ...source } });
  return { events: await world.events(), rejects: await world.rejects() };
}

async function failureOf(
  content: string | Uint8Array,
  name = "ratings.csv",
  source: Partial<ConfigInput["interactions"]> = {},
) {
  using world = new World();
  world.write(name, content);
  return await world.failure(world.prepare({ ...anything, interactions: { files: name, ...source } }));
}

describe("finding files", () => {
  test("a glob takes its files in the order of their names, and the order is the time where there is none", async () => {
    using world = new World();
    world.write("logs/part-2.csv", "user,item\nu,c\n");
    world.write("logs/part-10.csv", "user,item\nu,b\n");
    world.write("logs/part-1.csv", "user,item\nu,a\n");
    const { inputs } = await world.prepare({ ...anything, interactions: { files: "logs/*.csv" } });
    expect(await world.events()).toEqual(["u a 1 0", "u b 1 1", "u c 1 2"]);
    expect(inputs.map(({ name }) => name)).toEqual(["logs/part-1.csv", "logs/part-10.csv", "logs/part-2.csv"]);
    const sha256 = createHash("sha256").update("user,item\nu,a\n").digest("hex");
    expect(inputs[0]).toEqual({ name: "logs/part-1.csv", bytes: 14, sha256 });
  });

  test("a glob in a folder whose name has brackets or stars", async () => {
    using world = new World();
    const folder = world.path("films [2020] *new* {a,b}");
    mkdirSync(folder);
    world.write("films [2020] *new* {a,b}/part-1.csv", "user,item\nu,a\n");
    await world.prepare({ ...anything, interactions: { files: "*.csv" } }, { folder });
    expect(await world.events()).toEqual(["u a 1 0"]);
  });

  test("a list keeps its own order", async () => {
    using world = new World();
    world.write("b.csv", "user,item\nu,b\n");
    world.write("a.csv", "user,item\nu,a\n");
    await world.prepare({ ...anything, interactions: { files: ["b.csv", "a.csv"] } });
    expect(await world.events()).toEqual(["u b 1 0", "u a 1 1"]);
  });

  test("a name with brackets, stars, quotes or spaces is that file", async () => {
    for (const name of ["ratings [1].csv", "it's *all*.csv", "a?b.csv", 'say "x".csv', "ünï.csv"]) {
      const { events, rejects } = await read(`${header}u,x,3,1\nu,y,bad,2\n`, name);
      expect(events).toEqual(["u x 3 1"]);
      expect(rejects).toEqual([`${name}:3 rating: rating is not a number "bad" (row)`]);
    }
  });

  test("what is not there, is empty, is a folder, is named twice or has an unknown ending is an error", async () => {
    using world = new World();
    world.write("empty.csv", "");
    world.write("ratings.xlsx", "PK");
    world.write("ratings.csv", header);
    world.write("ratings.jsonl", "{}\n");
    mkdirSync(world.path("folder"));
    const failure = (files: string | string[]) =>
      world.failure(world.prepare({ ...anything, interactions: { files } }));
    expect(await failure("none.csv")).toMatchInlineSnapshot(
      `"BAD_SOURCE: interactions: no file matches none.csv (looked in <folder>)"`,
    );
    expect(await failure("none-*.csv")).toMatchInlineSnapshot(
      `"BAD_SOURCE: interactions: no file matches none-*.csv (looked in <folder>)"`,
    );
    expect(await failure("empty.csv")).toMatchInlineSnapshot(
      `"BAD_SOURCE: interactions: empty.csv is empty (0 bytes)"`,
    );
    expect(await failure("folder")).toMatchInlineSnapshot(
      `"BAD_SOURCE: interactions: <folder>/folder is a folder; name the files in it"`,
    );
    expect(await failure(["ratings.csv", "rat*.csv"])).toMatchInlineSnapshot(
      `"BAD_SOURCE: interactions: ratings.csv is named twice"`,
    );
    expect(await failure("ratings.xlsx")).toMatchInlineSnapshot(
      `"BAD_SOURCE: interactions: cannot tell the format of ratings.xlsx from its ending; set format: csv, tsv, jsonl or parquet"`,
    );
    expect(await failure(["ratings.csv", "ratings.jsonl"])).toMatchInlineSnapshot(
      `"BAD_SOURCE: interactions: all files must have one format, got csv and jsonl"`,
    );
  });

  test("files of one source must have the same columns", async () => {
    using world = new World();
    world.write("part-1.csv", "user,item\nu,a\n");
    world.write("part-2.csv", "user,movie\nu,a\n");
    expect(
      await world.failure(world.prepare({ ...anything, interactions: { files: "part-*.csv" } })),
    ).toMatchInlineSnapshot(
      `"BAD_SOURCE: interactions: part-2.csv has the columns user, movie, but part-1.csv has user, item"`,
    );
  });
});

describe("columns", () => {
  const columnFailure = (head: string, columns: ConfigInput["interactions"]["columns"] = {}) =>
    failureOf(`${head}\n1,2,3,4\n`, "ratings.csv", { columns });

  test("that do not exist are named with the nearest one", async () => {
    expect(await columnFailure("userId,movieId,rating,timestamp", { user: "userid" })).toMatchInlineSnapshot(
      `"BAD_SOURCE: interactions.columns.user: there is no column "userid"; did you mean "userId"? (columns are userId, movieId, rating, timestamp)"`,
    );
    expect(await columnFailure("userId,movieId,rating,timestamp", { rating: "stars" })).toMatchInlineSnapshot(
      `"BAD_SOURCE: interactions.columns.rating: there is no column "stars" (columns are userId, movieId, rating, timestamp)"`,
    );
  });

  test("that nothing gives away must be named", async () => {
    expect(await columnFailure("who,movieId,rating,timestamp")).toMatchInlineSnapshot(
      `"BAD_SOURCE: interactions: no column looks like the user id; columns are who, movieId, rating, timestamp; name it under interactions.columns.user"`,
    );
    expect(await columnFailure("userId,what,rating,timestamp")).toMatchInlineSnapshot(
      `"BAD_SOURCE: interactions: no column looks like the item id; columns are userId, what, rating, timestamp; name it under interactions.columns.item"`,
    );
  });

  test("without a name are called by their place; two with one name are an error", async () => {
    const { events } = await read(",user,item,rating,time\n0,u,x,3,1\n1,u,y,4,2\n");
    expect(events).toEqual(["u x 3 1", "u y 4 2"]);
    expect(
      (await read("user,,rating,time\nu,x,3,1\n", "ratings.csv", { columns: { item: "column_2" } })).events,
    ).toEqual(["u x 3 1"]);
    expect(await columnFailure("user,item,time,Time")).toMatchInlineSnapshot(
      `"BAD_SOURCE: interactions: ratings.csv has two columns named Time"`,
    );
  });

  test("are found under many names, and may be quoted, padded by a byte order mark, or named where there is no header", async () => {
    for (const head of [
      "user_id,parent_asin,overall,unixReviewTime",
      '"user id","item-id",SCORE,ts',
      "\uFEFFuserID,movieID,rating,timestamp",
      "user_id:token,item_id:token,rating:float,timestamp:float",
    ]) {
      expect((await read(`${head}\nu,x,3,1\n`)).events).toEqual(["u x 3 1"]);
    }
    const names = { names: ["user", "item", "rating", "time"] };
    expect((await read("u,x,3,1\nv,x,4,2\n", "ratings.csv", names)).events).toEqual(["u x 3 1", "v x 4 2"]);
    expect((await read("u::x::3::1\nv::y:z::4::2\n", "ratings.dat", { ...names, delimiter: "::" })).events).toEqual([
      "u x 3 1",
      "v y:z 4 2",
    ]);
    expect((await read("u\tx\t3\t1\n", "u.data", names)).events).toEqual(["u x 3 1"]);
    expect((await read('u,"x,3,1\n', "ratings.csv", { ...names, quote: "" })).events).toEqual(['u "x 3 1']);
  });
});

describe("text", () => {
  test("may end its lines by CRLF or CR, hold blank lines, and lack the last line end", async () => {
    const expected = ["u x 3 1", "u y 4 2", "v z 5 3"];
    expect((await read(`${header}u,x,3,1\nu,y,4,2\nv,z,5,3`)).events).toEqual(expected);
    expect((await read("user,item,rating,time\r\nu,x,3,1\r\nu,y,4,2\r\nv,z,5,3\r\n")).events).toEqual(expected);
    expect((await read(`${header}\n\nu,x,3,1\n\nu,y,4,2\n\n\nv,z,5,3\n\n`)).events).toEqual(expected);
    expect(await read("user,item,rating,time\ru,x,3,1\ru,y,4,2\rv,bad,bad,3\rv,z,5,3\r")).toEqual({
      events: expected,
      rejects: ['ratings.csv:4 rating: rating is not a number "bad" (row)'],
    });
    const windows = `${header}\nu,x,3,1\n\nv,bad,bad,3\nu,y,4,2\nv,z,5,3\n`.replaceAll("\n", "\r\n");
    expect(await read(windows)).toEqual({
      events: expected,
      rejects: ['ratings.csv:5 rating: rating is not a number "bad" (row)'],
    });
  });

  test("whose lines end in different ways is an error that says so", async () => {
    expect(await failureOf("user,item,rating,time\r\nu,x,3,1\nu,y,4,2\r\n")).toMatchInlineSnapshot(
      `"BAD_SOURCE: interactions: ratings.csv cannot be read: its lines end in different ways (\\n, \\r\\n, \\r); make them alike"`,
    );
    expect(await failureOf(`${header}u,x,3,1\nu,y,4,2\r\n`)).toMatchInlineSnapshot(
      `"BAD_SOURCE: interactions: ratings.csv cannot be read: its lines end in different ways (\\n, \\r\\n, \\r); make them alike"`,
    );
  });

  test("that is only a header holds no rows; that has none at all is said so", async () => {
    expect(await failureOf(header)).toMatchInlineSnapshot(`"BAD_SOURCE: interactions: the files hold no rows"`);
    expect(await failureOf("user,item,rating,time")).toMatchInlineSnapshot(
      `"BAD_SOURCE: interactions: the files hold no rows"`,
    );
    expect(await failureOf("\n\n")).toMatchInlineSnapshot(`"BAD_SOURCE: ratings.csv has no header line"`);
  });

  test("with too few or too many cells, an open quote or a stray one loses those rows, and only those", async () => {
    const { events, rejects } = await read(
      `${header}u,a,3,1\nu,b,3\nu,c,3,3,extra\nu,d,3,4\nu\nu,"e"x,3,5\nu,f,3,6\nu,"g,3,7\n`,
    );
    expect(events).toMatchInlineSnapshot(`
      [
        "u a 3 1",
        "u d 3 4",
        "u f 3 6",
      ]
    `);
    expect(rejects).toMatchInlineSnapshot(`
      [
        "ratings.csv:3 time: too few cells in this row "u,b,3" (row)",
        "ratings.csv:4 -: too many cells in this row "u,c,3,3,extra" (row)",
        "ratings.csv:6 item: too few cells in this row "u" (row)",
        "ratings.csv:7 item: a quote is not closed "u,\\"e\\"x,3,5" (row)",
        "ratings.csv:9 item: a quote is not closed "u,\\"g,3,7\\n" (row)",
      ]
    `);
  });

  test("in which a quote opens and never closes does not swallow the rest in silence", async () => {
    const { events, rejects } = await read(`${header}u,a,3,1\nu,"b,3,2\nu,c,3,3\nu,d,3,4\n`);
    expect(events).toMatchInlineSnapshot(`
      [
        "u a 3 1",
      ]
    `);
    expect(rejects).toMatchInlineSnapshot(`
      [
        "ratings.csv:3 item: a quote is not closed "u,\\"b,3,2\\nu,c,3,3\\nu,d,3,4\\n" (row)",
      ]
    `);
  });

  test("with a line of 10 MB loses that row", async () => {
    const { events, rejects } = await read(`${header}u,a,3,1\nu,${"x".repeat(10_000_000)},3,2\nu,c,3,3\nu,d,bad,4\n`);
    expect(events).toEqual(["u a 3 1", "u c 3 3"]);
    expect(rejects.map((line) => line.replace(/x{100,}/, "xxx…"))).toMatchInlineSnapshot(`
      [
        "ratings.csv:3 -: the row is longer than 4 MB "u,xxx…" (row)",
        "ratings.csv:5 rating: rating is not a number "bad" (row)",
      ]
    `);
  });

  test("that is not valid UTF-8 loses those rows; declared as latin-1 it keeps them", async () => {
    const latin = Buffer.from(`${header}u,a,3,1\nu,café,3,2\nu,c,3,3\n`, "latin1");
    const { events, rejects } = await read(latin);
    expect(events).toEqual(["u a 3 1", "u c 3 3"]);
    expect(rejects).toMatchInlineSnapshot(`
      [
        "ratings.csv:3 item: not valid in the encoding of the file "u,caf??3,2" (row)",
      ]
    `);
    expect((await read(latin, "ratings.csv", { encoding: "latin-1" })).events).toEqual([
      "u a 3 1",
      "u café 3 2",
      "u c 3 3",
    ]);
  });

  test("in UTF-16 is read when it is declared", async () => {
    const text = Buffer.from(`\uFEFF${header}u,中文,3,1\n`, "utf16le");
    expect((await read(text, "ratings.csv", { encoding: "utf-16" })).events).toEqual(["u 中文 3 1"]);
    expect(await failureOf(text)).toMatchInlineSnapshot(
      `"BAD_SOURCE: ratings.csv: its first line is not utf-8 text; set its encoding"`,
    );
  });

  test("with NUL bytes is read, or rejected, but not cut short", async () => {
    const { events } = await read(`${header}u,a,3,1\nu,b\0b,3,2\nu,c,3,3\n`);
    expect(events.filter((line) => /^u [ac] /.test(line))).toEqual(["u a 3 1", "u c 3 3"]);
  });
});

describe("gzip", () => {
  const text = `${header}${Array.from({ length: 2000 }, (_, k) => `user ${(k * 7919) % 2003},item ${k},3,${k}\n`).join("")}`;

  test("is read as it unpacks, with the right lines", async () => {
    const { events, rejects } = await read(gzipSync(`${text}u,x,bad,1\n`), "ratings.csv.gz");
    expect(events.length).toBe(2000);
    expect(rejects).toEqual(['ratings.csv.gz:2002 rating: rating is not a number "bad" (row)']);
  });

  test("that is cut short, damaged or none at all stops the run, and makes no dataset", async () => {
    const whole = gzipSync(text);
    const damaged = Buffer.from(whole);
    damaged.fill(0xff, 5000, 5020);
    const wrongSum = Buffer.from(whole);
    wrongSum[whole.length - 6] ^= 1;
    const failures = [
      whole.subarray(0, whole.length - 100),
      whole.subarray(0, 500),
      damaged,
      wrongSum,
      Buffer.from(text),
    ];
    expect(await Promise.all(failures.map((content) => failureOf(content, "ratings.csv.gz")))).toMatchInlineSnapshot(`
      [
        "BAD_SOURCE: ratings.csv.gz is not a whole gzip file: it ends too early: copy it again",
        "BAD_SOURCE: ratings.csv.gz is not a whole gzip file: it ends too early: copy it again",
        "BAD_SOURCE: ratings.csv.gz is not a whole gzip file: incorrect data check",
        "BAD_SOURCE: ratings.csv.gz is not a whole gzip file: incorrect data check",
        "BAD_SOURCE: ratings.csv.gz is not a whole gzip file: incorrect header check",
      ]
    `);
  });
});

describe("JSON Lines", () => {
  const lines = (...rows: unknown[]) =>
    rows.map((row) => (typeof row === "string" ? row : JSON.stringify(row))).join("\n");

  test("may hold numbers or texts, nulls, missing keys, and keys in any order", async () => {
    const { events, rejects } = await read(
      lines(
        { user: "u", item: "a", rating: 3, time: 1 },
        { time: "2", item: "b", rating: "4.5", user: "u" },
        { user: 7, item: 8, rating: 5, time: 3, more: { nested: [1] } },
        { user: "u", item: "c", rating: null, time: 4 },
        { user: "u", item: "d", time: 5 },
        { user: true, item: "e", rating: 1e3, time: 6.5 },
        { user: "u", item: ["f", 1], rating: 2, time: 7 },
        { user: { id: "u" }, item: "g", rating: [2], time: 8 },
      ),
      "ratings.jsonl",
    );
    expect(events).toMatchInlineSnapshot(`
      [
        "7 8 5 3",
        "true e 1000 6",
        "u a 3 1",
        "u b 4.5 2",
        "u ["f",1] 2 7",
      ]
    `);
    expect(rejects).toMatchInlineSnapshot(`
      [
        "ratings.jsonl:4 rating: empty rating (row)",
        "ratings.jsonl:5 rating: empty rating (row)",
        "ratings.jsonl:8 rating: rating is not a number "[2]" (row)",
      ]
    `);
  });

  test("that are broken, arrays, numbers or texts are rejected with their lines; blank ones are passed over", async () => {
    const good = { user: "u", item: "a", rating: 3, time: 1 };
    const { events, rejects } = await read(
      lines(
        good,
        "",
        '{"user": "u", "item": ',
        "[1, 2]",
        "42",
        '"text"',
        "  ",
        { ...good, item: "b" },
        "null",
        "{}",
        '{"user":"u"} trailing',
        "\r",
      ),
      "ratings.jsonl",
    );
    expect(events).toEqual(["u a 3 1", "u b 3 1"]);
    expect(rejects).toMatchInlineSnapshot(`
      [
        "ratings.jsonl:3 -: not a JSON object "{\\"user\\": \\"u\\", \\"item\\": " (row)",
        "ratings.jsonl:4 -: not a JSON object "[1, 2]" (row)",
        "ratings.jsonl:5 -: not a JSON object "42" (row)",
        "ratings.jsonl:6 -: not a JSON object "\\"text\\"" (row)",
        "ratings.jsonl:9 -: not a JSON object "null" (row)",
        "ratings.jsonl:10 user: empty user id (row)",
        "ratings.jsonl:11 -: not a JSON object "{\\"user\\":\\"u\\"} trailing" (row)",
      ]
    `);
  });

  test("keep ids with quotes, escapes, delimiters and line ends, and keys with odd names", async () => {
    const ids = ['a"b', "a\\b", "two\nlines", "\u0001", "\u0002 tab\t", "中 😀", "007"];
    const { events, rejects } = await read(
      lines(...ids.map((id, k) => ({ 'the "user".id': "u", "$.item": id, rating: 3, time: k }))),
      "ratings.jsonl",
      { columns: { user: 'the "user".id', item: "$.item" } },
    );
    expect(rejects).toEqual([]);
    expect(events).toEqual(ids.map((id, k) => `u ${id} 3 ${k}`));
  });

  test("may start with a byte order mark, end in CRLF, be gzipped", async () => {
    const text = lines({ user: "u", item: "a", rating: 3, time: 1 }, { user: "u", item: "b", rating: 3, time: 2 });
    for (const [content, name] of [
      [`\uFEFF${text}`, "r.jsonl"],
      [text.replaceAll("\n", "\r\n"), "r.ndjson"],
      [gzipSync(text), "r.json.gz"],
    ] as const) {
      expect(await read(content, name)).toEqual({ events: ["u a 3 1", "u b 3 2"], rejects: [] });
    }
  });

  test("that hold no object are an error", async () => {
    expect(await failureOf("[1]\n[2]\n", "ratings.jsonl")).toMatchInlineSnapshot(
      `"BAD_SOURCE: interactions: ratings.jsonl holds no JSON objects, one per line"`,
    );
    expect(await failureOf("not json\n", "ratings.jsonl")).toMatchInlineSnapshot(
      `"BAD_SOURCE: interactions: ratings.jsonl holds no JSON objects, one per line"`,
    );
  });

  test("are read whole up to a line of 4 MB, and a longer one is rejected", async () => {
    const good = { user: "u", item: "a", rating: 3, time: 1 };
    const { events, rejects } = await read(
      lines(
        { ...good, text: "x".repeat(3_000_000) },
        { ...good, item: "b", text: "x".repeat(10_000_000) },
        { ...good, item: "c" },
      ),
      "ratings.jsonl",
    );
    expect(events).toEqual(["u a 3 1", "u c 3 1"]);
    expect(rejects.map((line) => line.replace(/x{50,}/, "xxx…"))).toMatchInlineSnapshot(`
      [
        "ratings.jsonl:2 -: the row is longer than 4 MB "{\\"user\\":\\"u\\",\\"item\\":\\"b\\",\\"rating\\":3,\\"time\\":1,\\"text\\":\\"xxx…" (row)",
      ]
    `);
  });
});

describe("Parquet", () => {
  test("may hold integers, decimals, timestamps and nulls; the line of a reject is the row", async () => {
    using world = new World();
    await world.parquet(
      "ratings.parquet",
      `SELECT * FROM (VALUES
         (1::BIGINT, 'a', 3.5::DECIMAL(4, 2), TIMESTAMP '2001-09-09 01:46:40'),
         (2, 'b', 4, TIMESTAMP '2001-09-09 01:46:41.5'),
         (NULL, 'c', 4, TIMESTAMP '2001-09-09'),
         (2, 'd', NULL, TIMESTAMP '2001-09-09'),
         (9007199254740993, 'e', 1, NULL)) AS t("user", item, rating, time)`,
    );
    await world.prepare({ ...anything, interactions: { files: "ratings.parquet" } });
    expect(await world.events()).toEqual(["1 a 3.5 1000000000", "2 b 4 1000000001"]);
    expect(await world.rejects()).toMatchInlineSnapshot(`
      [
        "ratings.parquet:3 user: empty user id (row)",
        "ratings.parquet:4 rating: empty rating (row)",
        "ratings.parquet:5 time: empty time (row)",
      ]
    `);
  });

  test("lists become categories and vectors of items", async () => {
    using world = new World();
    world.ratings([
      ["u", "1", 3, 1],
      ["u", "2", 3, 2],
    ]);
    await world.parquet(
      "items.parquet",
      "SELECT 1 AS id, ['x', 'y, z'] AS tags, [1.0, 2.0]::FLOAT[2] AS v, {'a': 1} AS s UNION ALL SELECT 2, ['y, z'], [3, 4], NULL",
    );
    const { channels } = await world.prepare({
      ...anything,
      items: { files: "items.parquet", fields: ["s"] },
      channels: { tags: { type: "categories", column: "tags" }, v: { type: "vector", column: "v" } },
    });
    expect(channels.tags.transform.terms).toEqual(["y, z", "x"]); // the more frequent first
    expect([...(world.tensors("channels/v.safetensors").get("vectors")?.data ?? [])]).toEqual([1, 2, 3, 4]);
    expect((await world.rows("items.parquet")).map((row) => row.s)).toEqual(['{"a":1}', null]);
  });

  test("that is damaged, cut short or something else is an error", async () => {
    using world = new World();
    await world.parquet("whole.parquet", 'SELECT range AS "user", range AS item FROM range(1000)');
    const whole = readFileSync(world.path("whole.parquet"));
    world.write("short.parquet", whole.subarray(0, whole.length - 200));
    world.write("text.parquet", "user,item\n1,2\n");
    const torn = Buffer.from(whole);
    torn.fill(0xff, 4, Math.floor(whole.length / 2));
    world.write("torn.parquet", torn);
    const failure = (files: string) => world.failure(world.prepare({ ...anything, interactions: { files } }));
    expect(await failure("short.parquet")).toMatchInlineSnapshot(
      `"BAD_SOURCE: interactions: cannot be read as Parquet: Invalid Input Error: No magic bytes found at end of file '<folder>/short.parquet'"`,
    );
    expect(await failure("text.parquet")).toMatchInlineSnapshot(
      `"BAD_SOURCE: interactions: cannot be read as Parquet: Invalid Input Error: No magic bytes found at end of file '<folder>/text.parquet'"`,
    );
    expect(await failure("torn.parquet")).toMatch(/^BAD_SOURCE: /);
  });

  test("files of different columns in one glob are an error", async () => {
    using world = new World();
    await world.parquet("part-1.parquet", 'SELECT 1 AS "user", 2 AS item');
    await world.parquet("part-2.parquet", 'SELECT 1 AS "user", 2 AS movie');
    expect(
      await world.failure(world.prepare({ ...anything, interactions: { files: "part-*.parquet" } })),
    ).toMatchInlineSnapshot(
      `"BAD_SOURCE: interactions: part-1.parquet, part-2.parquet cannot be read: Invalid Input Error: Failed to read file "part-2.parquet": schema mismatch in glob: column "item" was read from the original file "part-1.parquet", but could not be found in file "part-2.parquet"."`,
    );
  });
});
