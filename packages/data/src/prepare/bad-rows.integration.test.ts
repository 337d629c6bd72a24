// Interactions that cannot be used, cell by cell: what is kept, and what rejects.parquet says of the rest.
import { describe, expect, test } from "vitest";
import type { ConfigInput } from "../config/schema.ts";
import { World } from "../testing/world.ts";

const anything = { split: { by: "none" }, rejectLimit: 1 } as const;

/** Prepares one CSV text with the columns user, item, rating, time. */
async function read(rows: string, interactions: Partial<ConfigInput["interactions"]> = {}) {
  using world = new World();
  world.write("ratings.csv", `user,item,rating,time\n${rows}`);
  const { counts } = await world.prepare({ ...anything, interactions: { files: "ratings.csv", ...interactions } });
  return { events: await world.events(), rejects: await world.rejects(), counts };
}

describe("ids", () => {
  test("survive verbatim: unicode, commas, quotes, leading zeros, line ends, spaces, words that look like nothing", async () => {
    using world = new World();
    const ids = [
      "007",
      "7",
      "a,b",
      'say "hi"',
      "two\nlines",
      "two\r\nlines",
      " padded ",
      "Ünïcödé 中文 😀",
      "NULL",
      "null",
      "NaN",
      "\\N",
      "-0",
      "1e3",
    ];
    ids.push("'quoted'", "a;b|c", "{curly}", "$.path", "tab\there", "#comment", "true");
    world.csv(
      "ratings.csv",
      ["user", "item", "rating", "time"],
      ids.map((id, k) => [id, id, 3, k]),
    );
    await world.prepare(anything);
    const sorted = [...ids].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
    expect((await world.rows("users.parquet")).map((row) => row.user_id)).toEqual(sorted);
    expect((await world.rows("items.parquet")).map((row) => row.item_id)).toEqual(sorted);
    expect(await world.rejects()).toEqual([]);
  });

  test("that are empty or longer than 512 bytes are rejected", async () => {
    const long = "x".repeat(513);
    const { events, rejects } = await read(
      `u,x,3,1\n,x,3,2\nu,,3,3\n"",x,3,4\nu,${long},3,5\n${long},x,3,6\n${"ü".repeat(256)},x,3,7\n`,
    );
    expect(events).toEqual(["u x 3 1", `${"ü".repeat(256)} x 3 7`]);
    expect(rejects.map((line) => line.replace(/x{100,}/, "xxx…"))).toMatchInlineSnapshot(`
      [
        "ratings.csv:3 user: empty user id (row)",
        "ratings.csv:4 item: empty item id (row)",
        "ratings.csv:5 user: empty user id (row)",
        "ratings.csv:6 item: item id longer than 512 bytes "xxx…" (row)",
        "ratings.csv:7 user: user id longer than 512 bytes "xxx…" (row)",
      ]
    `);
  });
});

describe("ratings", () => {
  test("that are no finite decimal number in the range are rejected, each with its line and reason", async () => {
    const cells = [
      "3",
      "0",
      "5",
      "4.5",
      "+2",
      " 2.5 ",
      "5.01",
      "-0.5",
      "good",
      "NaN",
      "nan",
      "inf",
      "-Infinity",
      "1_000",
      "1e400",
      "",
      "0x2",
      "3,5",
      "1e0",
      "٣",
      "true",
      "3.5.1",
    ];
    const { events, rejects, counts } = await read(
      cells.map((cell, k) => `u,i${k},${/,/.test(cell) ? `"${cell}"` : cell},${k}\n`).join(""),
      { ratingRange: [0, 5] },
    );
    expect(events).toMatchInlineSnapshot(`
      [
        "u i0 3 0",
        "u i1 0 1",
        "u i2 5 2",
        "u i3 4.5 3",
        "u i4 2 4",
        "u i5 2.5 5",
        "u i18 1 18",
      ]
    `);
    expect(rejects).toMatchInlineSnapshot(`
      [
        "ratings.csv:8 rating: rating out of range "5.01" (row)",
        "ratings.csv:9 rating: rating out of range "-0.5" (row)",
        "ratings.csv:10 rating: rating is not a number "good" (row)",
        "ratings.csv:11 rating: rating is not finite "NaN" (row)",
        "ratings.csv:12 rating: rating is not finite "nan" (row)",
        "ratings.csv:13 rating: rating is not finite "inf" (row)",
        "ratings.csv:14 rating: rating is not finite "-Infinity" (row)",
        "ratings.csv:15 rating: rating is not a number "1_000" (row)",
        "ratings.csv:16 rating: rating is not finite "1e400" (row)",
        "ratings.csv:17 rating: empty rating (row)",
        "ratings.csv:18 rating: rating is not a number "0x2" (row)",
        "ratings.csv:19 rating: rating is not a number "3,5" (row)",
        "ratings.csv:21 rating: rating is not a number "٣" (row)",
        "ratings.csv:22 rating: rating is not a number "true" (row)",
        "ratings.csv:23 rating: rating is not a number "3.5.1" (row)",
      ]
    `);
    expect(counts.rejectedInteractionRows).toBe(rejects.length);
    expect(counts.interactions).toBe(events.length);
  });

  test("without a column, or with rating: null, every interaction counts 1, and the dataset says so", async () => {
    using world = new World();
    world.write("ratings.csv", "user,item,time\nu,x,1\n");
    const manifest = await world.prepare(anything);
    expect(await world.events()).toEqual(["u x 1 1"]);
    expect(manifest.ratings).toEqual({ kind: "implicit", mean: 1, least: 1, most: 1 });
    expect(manifest.notes).toEqual(["there is no rating column: every interaction counts as 1 (implicit)"]);
    const { events } = await read("u,x,nonsense,1\n", { columns: { rating: null } });
    expect(events).toEqual(["u x 1 1"]);
  });

  test("are kept to the last digit, and means do not drift", async () => {
    const { events, counts } = await read("u,x,0.1,1\nu,y,0.2,2\nu,z,0.3,3\n");
    expect(events).toEqual(["u x 0.1 1", "u y 0.2 2", "u z 0.3 3"]);
    expect(counts.interactions).toBe(3);
  });
});

describe("times", () => {
  const moment = 1_500_000_000; // 2017-07-14T02:40:00Z
  const shapes = [
    ["seconds", "1500000000"],
    ["seconds with a fraction", "1500000000.9"],
    ["milliseconds", "1500000000123"],
    ["microseconds", "1500000000123456"],
    ["nanoseconds", "1500000000123456789"],
    ["ISO 8601 in UTC", "2017-07-14T02:40:00Z"],
    ["ISO 8601 with a zone", "2017-07-14T04:40:00+02:00"],
    ["ISO 8601 with a half-hour zone", "2017-07-13T23:10:00-03:30"],
    ["ISO 8601 without a zone, which is UTC", "2017-07-14 02:40:00"],
    ["ISO 8601 with a fraction", "2017-07-14T02:40:00.999Z"],
  ];

  test("are read row by row, whatever their unit", async () => {
    const { events, rejects } = await read(shapes.map(([, cell], k) => `u,i${k},3,${cell}\n`).join(""));
    expect(rejects).toEqual([]);
    expect(events).toEqual(shapes.map((_, k) => `u i${k} 3 ${moment}`));
  });

  test("as dates are midnight UTC; before 1970 they are negative", async () => {
    const { events } = await read("u,a,3,1969-12-31\nu,b,3,1970-01-02\nu,c,3,-5\nu,d,3,1\n");
    expect(events).toEqual(["u a 3 -86400", "u c 3 -5", "u d 3 1", "u b 3 86400"]);
  });

  test("that are no times are rejected", async () => {
    const cells = [
      "yesterday",
      "",
      "NaN",
      "inf",
      "infinity",
      "-infinity",
      "1e30",
      "2017-13-01",
      "2017-02-30",
      "14.07.2017",
      "07/14/2017",
      "1_500",
      "25:00",
      "epoch",
      "17-07-14",
      "now",
      "today",
      "294250-01-01",
      "0044-03-15 (BC)",
    ];
    const { events, rejects } = await read(`u,ok,3,1\n${cells.map((cell, k) => `u,i${k},3,${cell}\n`).join("")}`);
    expect(events).toEqual(["u ok 3 1"]);
    expect(rejects).toMatchInlineSnapshot(`
      [
        "ratings.csv:3 time: time is not readable "yesterday" (row)",
        "ratings.csv:4 time: empty time (row)",
        "ratings.csv:5 time: time is not readable "NaN" (row)",
        "ratings.csv:6 time: time is not readable "inf" (row)",
        "ratings.csv:7 time: time is not readable "infinity" (row)",
        "ratings.csv:8 time: time is not readable "-infinity" (row)",
        "ratings.csv:9 time: time is not readable "1e30" (row)",
        "ratings.csv:10 time: time is not readable "2017-13-01" (row)",
        "ratings.csv:11 time: time is not readable "2017-02-30" (row)",
        "ratings.csv:12 time: time is not readable "14.07.2017" (row)",
        "ratings.csv:13 time: time is not readable "07/14/2017" (row)",
        "ratings.csv:14 time: time is not readable "1_500" (row)",
        "ratings.csv:15 time: time is not readable "25:00" (row)",
        "ratings.csv:16 time: time is not readable "epoch" (row)",
        "ratings.csv:17 time: time is not readable "17-07-14" (row)",
        "ratings.csv:18 time: time is not readable "now" (row)",
        "ratings.csv:19 time: time is not readable "today" (row)",
        "ratings.csv:20 time: time is not readable "294250-01-01" (row)",
        "ratings.csv:21 time: time is not readable "0044-03-15 (BC)" (row)",
      ]
    `);
  });

  test("of a named unit are read in that unit only", async () => {
    const rows = "u,a,3,1500000000\nu,b,3,1500000000000\nu,c,3,2017-07-14\nu,d,3,1e19\nu,e,3,-1e19\n";
    for (const [timeUnit, a, b] of [
      ["s", 1500000000, 1500000000000],
      ["ms", 1500000, 1500000000],
      ["us", 1500, 1500000],
      ["ns", 1, 1500],
    ] as const) {
      const { events, rejects } = await read(rows, { timeUnit });
      expect([timeUnit, ...events.filter((line) => / [ab] /.test(line))]).toEqual([
        timeUnit,
        `u a 3 ${a}`,
        `u b 3 ${b}`,
      ]);
      expect(rejects[0]).toBe('ratings.csv:4 time: time is not readable "2017-07-14" (row)');
    }
    const { events, rejects } = await read(rows, { timeUnit: "iso" });
    expect(events).toEqual(["u c 3 1499990400"]);
    expect(rejects.map((line) => line.split(" ")[0])).toEqual([
      "ratings.csv:2",
      "ratings.csv:3",
      "ratings.csv:5",
      "ratings.csv:6",
    ]);
  });

  test("that are absent make the order of the rows the time, and the last row of a user and item wins", async () => {
    using world = new World();
    world.write("ratings.csv", "user,item,rating\nu,x,5\nu,y,4\nv,y,1\nu,x,2\nv,x,3\n");
    const manifest = await world.prepare(anything);
    expect(await world.events()).toEqual(["u y 4 1", "u x 2 3", "v y 1 2", "v x 3 4"]);
    expect(manifest.time).toEqual({ kind: "file order", trainingFrom: 1, trainingTo: 4, cut: null });
    expect(manifest.notes).toEqual(["there is no time column: the order of the rows is taken as the order in time"]);
  });
});

describe("rejectLimit", () => {
  // 300 good rows; some ids hold line ends, so that records and lines part ways, and some rows are no rows at all.
  const good = (k: number) => (k % 10 === 0 ? `"u\n${k}",i${k},3,${k}\n` : `u${k},i${k},3,${k}\n`);
  const goodRows = (from: number, to: number) => Array.from({ length: to - from }, (_, k) => good(from + k)).join("");

  function damaged(): { text: string; lines: number[] } {
    const bad = [
      "a,b,bad,1\n",
      "a,b\n",
      "a,b,3,never\n",
      "a,b,3,4,5\n",
      ",b,3,1\n",
      "a,,3,1\n",
      '"multi\nline",b,bad,1\n',
      "a,b,,1\n",
      "a,b,3,\n",
      "a,b,inf,1\n",
      "a,b,worse,1\n",
      "a,b,worst,1\n",
    ];
    let text = "user,item,rating,time\n";
    const lines: number[] = [];
    bad.forEach((row, k) => {
      text += `${goodRows(k * 25, (k + 1) * 25)}\n`; // and a blank line
      lines.push(text.split("\n").length);
      text += row;
    });
    return { text, lines };
  }

  test("stops a run with more than 1 % of unusable rows, and shows the first ten with their lines", async () => {
    using world = new World();
    const { text, lines } = damaged();
    world.write("ratings.csv", text);
    const message = await world.failure(world.prepare({ split: { by: "none" } }));
    expect(message).toMatchInlineSnapshot(`
      "TOO_MANY_REJECTS: interactions: 12 of 312 (3.85 %) cannot be used, more than rejectLimit (1 %) allows. The first:
        ratings.csv:31 rating: rating is not a number: "bad"
        ratings.csv:60 rating: too few cells in this row: "a,b"
        ratings.csv:90 time: time is not readable: "never"
        ratings.csv:119: too many cells in this row: "a,b,3,4,5"
        ratings.csv:149 user: empty user id
        ratings.csv:178 item: empty item id
        ratings.csv:208 rating: rating is not a number: "bad"
        ratings.csv:238 rating: empty rating
        ratings.csv:268 time: empty time
        ratings.csv:297 rating: rating is not finite: "inf"
      Mend them, or raise rejectLimit in nearkin.yaml."
    `);
    expect([...message.matchAll(/ratings\.csv:(\d+)/g)].map((match) => Number(match[1]))).toEqual(lines.slice(0, 10));
  });

  test("raised lets the run go on, and every reject is listed", async () => {
    using world = new World();
    const { text, lines } = damaged();
    world.write("ratings.csv", text);
    const { counts } = await world.prepare({ split: { by: "none" }, rejectLimit: 0.05 });
    const rows = await world.rows("rejects.parquet");
    expect(rows.map((row) => row.line)).toEqual(lines);
    expect(counts).toMatchObject({ interactionRows: 312, rejectedInteractionRows: 12, interactions: 300 });
  });

  test("of 1 % allows exactly 1 %", async () => {
    using world = new World();
    world.write("ratings.csv", `user,item,rating,time\n${goodRows(0, 99)}a,b,bad,1\n`);
    expect((await world.prepare({ split: { by: "none" } })).counts.rejectedInteractionRows).toBe(1);
    world.write("ratings.csv", `user,item,rating,time\n${goodRows(0, 98)}a,b,bad,1\n`);
    expect(await world.failure(world.prepare({ split: { by: "none" } }, { out: "second" }))).toMatchInlineSnapshot(`
      "TOO_MANY_REJECTS: interactions: 1 of 99 (1.01 %) cannot be used, more than rejectLimit (1 %) allows. The first:
        ratings.csv:110 rating: rating is not a number: "bad"
      Mend them, or raise rejectLimit in nearkin.yaml."
    `);
  });

  test("is written as it was meant", async () => {
    using world = new World();
    world.write("ratings.csv", "user,item,rating,time\nu,x,3,1\nu,y,bad,1\n");
    const failure = await world.failure(world.prepare({ split: { by: "none" }, rejectLimit: 0.07 }));
    expect(failure).toContain("rejectLimit (7 %)"); // 100 · 0.07 is a little more
  });

  test("does not help when nothing at all can be used", async () => {
    using world = new World();
    world.write("ratings.csv", "user,item,rating,time\nu,x,bad,1\nu,y,bad,1\n");
    expect(await world.failure(world.prepare(anything))).toMatchInlineSnapshot(`
      "TOO_MANY_REJECTS: interactions: 2 of 2 (100 %) cannot be used, which leaves none. The first:
        ratings.csv:2 rating: rating is not a number: "bad"
        ratings.csv:3 rating: rating is not a number: "bad"
      Mend them."
    `);
  });

  test("counts the files of one kind together, and names each", async () => {
    using world = new World();
    world.write("part-1.csv", "user,item,rating,time\nu,x,3,1\nu,y,bad,2\n");
    world.write("part-2.csv", "user,item,rating,time\nv,x,3,1\n\nv,y\nv,z,3,2\n");
    await world.prepare({ ...anything, interactions: { files: "part-*.csv" } });
    expect(await world.rejects()).toMatchInlineSnapshot(`
      [
        "part-1.csv:3 rating: rating is not a number "bad" (row)",
        "part-2.csv:4 rating: too few cells in this row "v,y" (row)",
      ]
    `);
    expect(await world.events()).toEqual(["u x 3 1", "v x 3 1", "v z 3 2"]);
  });
});
