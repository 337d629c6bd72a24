// Every SQL step on a world small enough to compute by hand (../testing/small-world.ts). After duplicates are gone it is
//   U: a4@100 b3@200 c5@300 d2@400     a: a5@110 b4@210 c1@210     b: B4@120 a3@120 c4@310
//   c: a2@130 b5@230 c3@330 é4@500     ü: d5@410 é2@500 a1@520
import { createHash } from "node:crypto";
import type { Tensor } from "@nearkin/core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ConfigInput } from "../config/schema.ts";
import { Database } from "../database.ts";
import type { Manifest } from "../manifest.ts";
import { smallItems, smallRows, smallUsers, writeSmallWorld } from "../testing/small-world.ts";
import { type Event, World } from "../testing/world.ts";
import { sqlStep } from "./sql.ts";

const md5 = (text: string) => createHash("md5").update(text).digest("hex");
const items = { files: "items.csv" };
const user = (index: unknown) => smallUsers[index as number];
const item = (index: unknown) => smallItems[index as number];

/** train/interactions.parquet as one line per user: `U: a4@100 b3@200`. */
async function histories(world: World): Promise<string[]> {
  const lines = new Map<string, string[]>();
  for (const { user_index, item_index, rating, time } of await world.rows("train/interactions.parquet")) {
    const events = lines.get(user(user_index)) ?? [];
    lines.set(user(user_index), [...events, `${item(item_index)}${rating}@${time}`]);
  }
  return [...lines].map(([name, events]) => `${name}: ${events.join(" ")}`);
}

/** train/pairs.parquet as one line per user: `U: ab ac`. */
async function pairLines(world: World): Promise<string[]> {
  const lines = new Map<string, string[]>();
  for (const { user_index, anchor, positive } of await world.rows("train/pairs.parquet")) {
    lines.set(user(user_index), [...(lines.get(user(user_index)) ?? []), `${item(anchor)}${item(positive)}`]);
  }
  return [...lines].map(([name, pairs]) => `${name}: ${pairs.join(" ")}`);
}

/** items.parquet or users.parquet as `id role`. */
const roles = async (world: World, file: "items" | "users", folder?: string) =>
  (await world.rows(`${file}.parquet`, folder)).map((row) => `${row[`${file.slice(0, -1)}_id`]} ${row.role}`);

const prepared = (config: Partial<ConfigInput>, write: (world: World) => void = writeSmallWorld) => {
  let world: World;
  let manifest: Manifest;
  beforeAll(async () => {
    world = new World();
    write(world);
    manifest = await world.prepare({ items, ...config });
  });
  afterAll(() => world[Symbol.dispose]());
  return { world: () => world, manifest: () => manifest };
};

describe("split none", () => {
  const small = prepared({ split: { by: "none" }, pairs: { window: 2 } });

  test("clean, deduplicate: the last in time wins, in one second the higher rating, and the losers are counted", async () => {
    expect(await histories(small.world())).toEqual([
      "U: a4@100 b3@200 c5@300 d2@400",
      "a: a5@110 b4@210 c1@210",
      "b: B4@120 a3@120 c4@310",
      "c: a2@130 b5@230 c3@330 é4@500",
      "ü: d5@410 é2@500 a1@520",
    ]);
    expect(small.manifest().counts).toEqual({
      interactionRows: 21,
      rejectedInteractionRows: 0,
      itemRows: 6,
      rejectedItemRows: 0,
      duplicates: 4,
      users: 5,
      items: 7,
      describedItems: 6,
      interactions: 17,
      training: { interactions: 17, users: 5, items: 6, pairs: 19, factors: 0 },
      roles: { train: 6, validation: 0, test: 0, unseen: 1 },
      userRoles: { train: 5, validation: 0, test: 0 },
    });
    expect(small.manifest().time).toEqual({ kind: "seconds", trainingFrom: 100, trainingTo: 520, cut: null });
    expect(small.manifest().ratings).toEqual({ kind: "explicit", mean: 57 / 17, least: 1, most: 5 });
  });

  test("index, catalogue: ids are numbered by their bytes, and an item that is only in one kind of file is in the catalogue", async () => {
    expect(await small.world().lines("items.parquet")).toEqual([
      "0 B train false ",
      "1 a train true Eh",
      "2 b train true Bee",
      "3 c train true Cee",
      "4 d train true Dee",
      "5 z unseen true Zed",
      "6 é train true Été",
    ]);
    expect(await small.world().lines("users.parquet")).toEqual([
      "0 U train",
      "1 a train",
      "2 b train",
      "3 c train",
      "4 ü train",
    ]);
  });

  test("statistics: count, mean, shrunk mean, first and last seen of items; count and mean of users", async () => {
    const mean = 57 / 17;
    const shrunk = (sum: number, n: number) => (sum + 5 * mean) / (n + 5);
    const rows = await small.world().rows("train/items.parquet");
    expect(
      rows.map((row) => [item(row.item_index), row.ratings, row.mean_rating, row.first_seen, row.last_seen]),
    ).toEqual([
      ["B", 1, 4, 120, 120],
      ["a", 5, 3, 100, 520],
      ["b", 3, 4, 200, 230],
      ["c", 4, 3.25, 210, 330],
      ["d", 2, 3.5, 400, 410],
      ["é", 2, 3, 500, 500],
    ]);
    const sums = [4, 15, 12, 13, 7, 6];
    rows.forEach((row, k) => {
      expect(row.shrunk_mean).toBeCloseTo(shrunk(sums[k], row.ratings as number), 14);
    });
    const users = await small.world().rows("train/users.parquet");
    expect(users).toEqual([
      { user_index: 0, events: 4, mean_rating: 14 / 4 },
      { user_index: 1, events: 3, mean_rating: 10 / 3 },
      { user_index: 2, events: 3, mean_rating: 11 / 3 },
      { user_index: 3, events: 4, mean_rating: 14 / 4 },
      { user_index: 4, events: 3, mean_rating: 8 / 3 },
    ]);
  });

  test("pairs: every anchor with the next κ = 2 items of its history, when the cap does not bind", async () => {
    expect(await pairLines(small.world())).toEqual([
      "U: ab ac bc bd cd",
      "a: ab ac bc",
      "b: Ba Bc ac",
      "c: ab ac bc bé cé",
      "ü: dé da éa",
    ]);
  });

  test("truth: nothing is held out, so there is nothing to find", async () => {
    expect(await small.world().rows("truth/queries.parquet")).toEqual([]);
    expect(await small.world().rows("truth/co-interaction.parquet")).toEqual([]);
    expect(await small.world().rows("truth/affinity.parquet")).toEqual([]);
  });
});

describe("split time (EV1, EV3)", () => {
  // First seen: a 100, B 120, b 200, c 210, d 400, é 500. Of 6 items the last from ⌊0.8·6⌋ = 4 on: T = 400. Of the 4 before, from ⌊3.2⌋ = 3 on.
  const small = prepared({ split: { by: "time", fraction: 0.2 }, pairs: { window: 1 }, truth: { minCommonUsers: 1 } });

  test("EV1: T is the percentile of first interactions; items first seen from T on are test items", async () => {
    expect(small.manifest().time.cut).toBe(400);
    expect(await roles(small.world(), "items")).toEqual([
      "B train",
      "a train",
      "b train",
      "c validation",
      "d test",
      "z unseen",
      "é test",
    ]);
    expect(small.manifest().counts.roles).toEqual({ train: 3, validation: 1, test: 2, unseen: 1 });
  });

  test("EV1: an event from T on is dropped also where its item is old; EV3: validation items have no events", async () => {
    expect(await histories(small.world())).toEqual([
      "U: a4@100 b3@200",
      "a: a5@110 b4@210",
      "b: B4@120 a3@120",
      "c: a2@130 b5@230",
    ]);
    const rows = await small.world().rows("train/items.parquet");
    expect(rows.map((row) => [item(row.item_index), row.ratings, row.mean_rating, row.last_seen])).toEqual([
      ["B", 1, 4, 120],
      ["a", 4, 3.5, 130], // without ü's rating at 520
      ["b", 3, 4, 230],
    ]);
    expect(small.manifest().ratings.mean).toBe(30 / 8);
  });

  test("EV4: co-interaction is the smallest time between the two interactions of one user, for query items only", async () => {
    const rows = await small.world().rows("truth/co-interaction.parquet");
    expect(rows.map((row) => `${row.role} ${item(row.query)}${item(row.item)} ${row.seconds}`)).toEqual([
      // The world of validation ends at T and has no test items.
      "validation cB 190",
      "validation ca 100",
      "validation cb 0",
      "test da 110", // ü's 110, not U's 300
      "test db 200",
      "test dc 100",
      "test dé 90",
      "test éa 20",
      "test éb 270",
      "test éc 170",
      "test éd 90",
    ]);
  });

  test("EV5: affinity is c/√(n·n) over the events of the role's own world, ranked", async () => {
    const rows = await small.world().rows("truth/affinity.parquet");
    expect(
      rows.map((row) => [`${row.role} ${item(row.query)}${item(row.item)}`, row.rank, row.affinity, row.common_users]),
    ).toEqual([
      ["validation ca", 1, 4 / Math.sqrt(4 * 4), 4],
      ["validation cb", 2, 3 / Math.sqrt(4 * 3), 3],
      ["validation cB", 3, 1 / Math.sqrt(4 * 1), 1],
      ["test da", 1, 2 / Math.sqrt(2 * 5), 2],
      ["test dé", 2, 1 / Math.sqrt(2 * 2), 1],
      ["test db", 3, 1 / Math.sqrt(2 * 3), 1],
      ["test dc", 4, 1 / Math.sqrt(2 * 4), 1],
      ["test éa", 1, 2 / Math.sqrt(2 * 5), 2],
      ["test éd", 2, 1 / Math.sqrt(2 * 2), 1],
      ["test éb", 3, 1 / Math.sqrt(2 * 3), 1],
      ["test éc", 4, 1 / Math.sqrt(2 * 4), 1],
    ]);
  });

  test("the statistics of query items are truth, over the events of their world", async () => {
    const rows = await small.world().rows("truth/items.parquet");
    expect(rows.map((row) => [row.role, item(row.item_index), row.ratings, row.mean_rating, row.first_seen])).toEqual([
      ["test", "d", 2, 3.5, 400],
      ["test", "é", 2, 3, 500],
      ["validation", "c", 4, 3.25, 210],
    ]);
  });
});

test("EV1, EV3: items tied at T, or at the start of validation, are held out together", async () => {
  using world = new World();
  const firstSeen = [10, 20, 30, 40, 50, 60, 60, 80, 80, 80];
  world.ratings(
    firstSeen.flatMap((time, k): Event[] => [
      ["u", `i${k}`, 3, time],
      ["v", `i${k}`, 3, 90],
    ]),
  );
  const manifest = await world.prepare({ split: { by: "time", fraction: 0.1 } });
  // ⌊0.9·10⌋ = 9 alone would be one test item, and ⌊0.9·7⌋ = 6 one for validation.
  expect(manifest.time.cut).toBe(80);
  expect(await roles(world, "items")).toEqual([
    ...["i0 train", "i1 train", "i2 train", "i3 train", "i4 train"],
    ...["i5 validation", "i6 validation", "i7 test", "i8 test", "i9 test"],
  ]);
});

test("EV1: an event at T itself is dropped, from training and from the world of validation", async () => {
  using world = new World();
  const firstSeen = [10, 20, 30, 40, 50, 60, 70, 75, 78, 80]; // T = 80; i8 is for validation
  world.ratings([
    ...firstSeen.map((time, k): Event => ["u", `i${k}`, 3, time]),
    ["v", "i0", 1, 80],
    ["v", "i8", 1, 80],
    ["w", "i0", 1, 80],
    ["w", "i8", 1, 79],
  ]);
  const { time, counts } = await world.prepare({ split: { by: "time", fraction: 0.1 }, truth: { minCommonUsers: 1 } });
  expect(time).toMatchObject({ cut: 80, trainingTo: 75 });
  expect(counts.training).toMatchObject({ interactions: 8, users: 1 });
  const rows = await world.rows("truth/co-interaction.parquet");
  const validation = rows.filter((row) => row.role === "validation" && row.item === 0);
  expect(validation).toEqual([{ role: "validation", query: 8, item: 0, seconds: 68 }]); // u's 78 − 10, not 0 or 1
  const statistics = (await world.rows("truth/items.parquet")).find((row) => row.role === "validation");
  expect(statistics).toMatchObject({ item_index: 8, ratings: 2 }); // without v's
  const [affinity] = (await world.rows("truth/affinity.parquet")).filter((row) => row.item === 0 && row.query === 8);
  expect(affinity).toMatchObject({ common_users: 1, affinity: 1 / Math.sqrt(2 * 1) });
});

describe("split random (EV2, EV3)", () => {
  const small = prepared({ split: { by: "random", fraction: 0.2 }, seed: 7 });

  test("EV2, EV3: the first 20 % by md5 of seed and id are for test, the next 20 % for validation; unseen items are not drawn", async () => {
    const drawn = smallItems
      .filter((id) => id !== "z")
      .sort((a, b) => (md5(`7:item:${a}`) < md5(`7:item:${b}`) ? -1 : 1));
    const expected = new Map(drawn.map((id, k) => [id, k < 1 ? "test" : k < 2 ? "validation" : "train"])); // ⌊1.2⌋ and ⌊2.4⌋ of 6
    expect(await roles(small.world(), "items")).toEqual(
      smallItems.map((id) => `${id} ${expected.get(id) ?? "unseen"}`),
    );
  });

  test("EV2: all events of a held-out item are gone, and all others stay", async () => {
    const kept = new Set(
      (await roles(small.world(), "items")).filter((line) => / train$/.test(line)).map((line) => line[0]),
    );
    const all = ["U: a4@100 b3@200 c5@300 d2@400", "a: a5@110 b4@210 c1@210", "b: B4@120 a3@120 c4@310"];
    all.push("c: a2@130 b5@230 c3@330 é4@500", "ü: d5@410 é2@500 a1@520");
    const expected = all
      .map((line) => line.split(" "))
      .map(([name, ...events]) => [name, ...events.filter((event) => kept.has(event[0]))])
      .filter((line) => line.length > 1)
      .map((line) => line.join(" "));
    expect(await histories(small.world())).toEqual(expected);
    expect(small.manifest().time.cut).toBeNull();
  });

  test("folds test every item once, and validate on the next fold", async () => {
    const whole = await roles(small.world(), "items");
    const seen: string[][] = [];
    for (const fold of [1, 2, 3, 4, 5]) {
      await small.world().prepare({ split: { by: "random", fraction: 0.2, fold }, seed: 7 }, { out: `fold-${fold}` });
      seen.push(await roles(small.world(), "items", `fold-${fold}`));
    }
    const of = (role: string) =>
      seen.map((lines) => lines.filter((line) => line.endsWith(role)).map((line) => line.split(" ")[0]));
    expect(of("test").flat().sort()).toEqual(smallItems.filter((id) => id !== "z").sort());
    expect(of("validation")).toEqual([...of("test").slice(1), of("test")[0]]);
    expect(seen[0]).toEqual(whole.filter((line) => line !== "z unseen")); // without the catalogue that names z
  });

  test("another seed draws other items", async () => {
    const sets = new Set<string>();
    for (const seed of [1, 2, 3]) {
      await small.world().prepare({ split: { by: "random", fraction: 0.2 }, seed }, { out: `seed-${seed}` });
      sets.add((await small.world().lines("truth/queries.parquet", `seed-${seed}`)).join());
    }
    expect(sets.size).toBeGreaterThan(1);
  });
});

describe("split users (EV10)", () => {
  const small = prepared({ split: { by: "users", userEvents: [3, 3], users: 1, support: 0.7, fraction: 0.2 } });
  const eligible = ["a", "b", "ü"].sort((a, b) => (md5(`1:user:${a}`) < md5(`1:user:${b}`) ? -1 : 1));

  test("EV10: test and validation users are drawn by md5 among those with enough and not too many events", async () => {
    const expected = smallUsers.map((id) => `${id} ${["test", "validation"][eligible.indexOf(id)] ?? "train"}`);
    expect(await roles(small.world(), "users")).toEqual(expected);
    expect(small.manifest().counts.userRoles).toEqual({ train: 3, validation: 1, test: 1 });
  });

  test("EV10: none of their events is in training", async () => {
    const names = (await histories(small.world())).map((line) => line[0]);
    expect(names).not.toContain(eligible[0]);
    expect(names).not.toContain(eligible[1]);
    expect(names).toContain("U");
  });

  test("EV10: the earliest ⌊70 %⌋ of their events are support, the later ones queries", async () => {
    const events: Record<string, string[]> = {
      a: ["a5@110 support", "b4@210 support", "c1@210 query"],
      b: ["B4@120 support", "a3@120 support", "c4@310 query"],
      ü: ["d5@410 support", "é2@500 support", "a1@520 query"],
    };
    const rows = await small.world().rows("truth/users.parquet");
    expect(
      rows.map(
        (row) => `${row.role} ${user(row.user_index)} ${item(row.item_index)}${row.rating}@${row.time} ${row.part}`,
      ),
    ).toEqual([
      ...events[eligible[0]].map((event) => `test ${eligible[0]} ${event}`),
      ...events[eligible[1]].map((event) => `validation ${eligible[1]} ${event}`),
    ]);
  });

  test("EV3: among the items of the remaining users the newest play cold items", async () => {
    // U and c, and the eligible user who was not drawn.
    const rest = new Set(["U", "c", eligible[2]]);
    const first = new Map<string, number>();
    const last = new Map<string, Event>();
    for (const row of smallRows) {
      const key = `${row[0]} ${row[1]}`;
      const before = last.get(key);
      if (!before || row[3] > before[3]) last.set(key, row);
    }
    for (const [name, id, , time] of last.values()) {
      if (rest.has(name)) first.set(id, Math.min(time, first.get(id) ?? Number.POSITIVE_INFINITY));
    }
    const ordered = [...first].sort((x, y) => x[1] - y[1]);
    const since = ordered[Math.floor(0.8 * ordered.length)][1];
    const expected = ordered.filter(([, time]) => time >= since).map(([id]) => id);
    const validation = (await roles(small.world(), "items")).filter((line) => / validation$/.test(line));
    expect(validation.map((line) => line[0]).sort()).toEqual(expected.sort());
  });

  test("EV10: at most a tenth of the eligible users are drawn for test, and as many for validation", async () => {
    using world = new World();
    const events = (name: string, count: number) =>
      Array.from({ length: count }, (_, k): Event => [name, `i${k}`, 3, k]);
    const names = Array.from({ length: 21 }, (_, k) => `user ${k}`);
    world.ratings([
      ...names.flatMap((name) => events(name, 20)),
      ...events("few", 19),
      ...events("many", 200),
      ...events("most", 199),
    ]);
    const manifest = await world.prepare({ split: { by: "users", users: 200 } });
    expect(manifest.counts.userRoles).toEqual({ train: 24 - 6, validation: 3, test: 3 }); // ⌈22 / 10⌉
    const drawn = [...names, "most"].sort((a, b) => (md5(`1:user:${a}`) < md5(`1:user:${b}`) ? -1 : 1)).slice(0, 6);
    const held = (await roles(world, "users")).filter((line) => !/ train$/.test(line));
    expect(held.map((line) => line.replace(/ \w+$/, "")).sort()).toEqual(drawn.sort());
  });
});

describe("pairs", () => {
  const history = Array.from({ length: 9 }, (_, k): Event => ["u", `i${k}`, 3, k]);

  /** The slots the header of pairs.sql describes, in plain code. */
  function sample(
    userId: string,
    n: number,
    { window, cap, seed }: { window: number; cap: number; seed: number },
  ): string[] {
    const slots = n * window;
    const kept = Math.min(slots, cap);
    const offset = Number.parseInt(md5(`${seed}:pairs:${userId}`).slice(0, 8), 16) % slots;
    return Array.from({ length: kept }, (_, k) => Math.floor((k * slots + offset) / kept))
      .map((slot) => [Math.floor(slot / window), Math.floor(slot / window) + (slot % window) + 1])
      .filter(([, positive]) => positive < n)
      .map((pair) => pair.join(" "));
  }

  test("a history of more slots than the cap gives the evenly spaced sample that its md5 starts", async () => {
    using world = new World();
    world.ratings(history);
    for (const seed of [1, 2]) {
      const out = `seed-${seed}`;
      await world.prepare({ split: { by: "none" }, seed, pairs: { window: 4, perUser: 10 } }, { out });
      const rows = await world.rows("train/pairs.parquet", out);
      const expected = sample("u", 9, { window: 4, cap: 10, seed });
      expect(rows.map(({ anchor, positive }) => `${anchor} ${positive}`)).toEqual(expected);
      expect(new Set(expected).size).toBe(expected.length);
      expect(expected.length).toBeGreaterThan(5);
    }
  });

  test("the total lowers the cap of each user alike", async () => {
    using world = new World();
    world.ratings([...history, ...history.map(([, id, r, t]): Event => ["v", id, r, t])]);
    await world.prepare({ split: { by: "none" }, pairs: { window: 4, perUser: 1000, total: 25 } }); // ⌊25 / 2⌋ = 12 each
    const rows = await world.rows("train/pairs.parquet");
    expect(rows.map(({ user_index, anchor, positive }) => `${user_index} ${anchor} ${positive}`)).toEqual([
      ...sample("u", 9, { window: 4, cap: 12, seed: 1 }).map((pair) => `0 ${pair}`),
      ...sample("v", 9, { window: 4, cap: 12, seed: 1 }).map((pair) => `1 ${pair}`),
    ]);
  });

  test("a user with one event gives none", async () => {
    using world = new World();
    world.ratings([
      ["u", "x", 3, 1],
      ["v", "x", 3, 1],
      ["v", "y", 3, 2],
    ]);
    await world.prepare({ split: { by: "none" } });
    expect(await world.lines("train/pairs.parquet")).toEqual(["1 0 1"]);
  });
});

describe("truth of items", () => {
  /** Item q is held out; `groups` say who else rated what besides it. */
  async function affinity(events: readonly Event[], truth: ConfigInput["truth"]): Promise<string[]> {
    using world = new World();
    world.ratings(events);
    await world.prepare({ split: { by: "time", fraction: 0.1 }, ...(truth ? { truth } : {}) });
    const ids = (await world.rows("items.parquet")).map((row) => row.item_id);
    const rows = await world.rows("truth/affinity.parquet");
    return rows
      .filter((row) => row.role === "test")
      .map((row) => `${ids[row.query as number]} ${row.rank} ${ids[row.item as number]} ${row.common_users}`);
  }
  const others = ["p0", "p1", "p2", "p3", "p4"];
  const threeUsers = ["u", "v", "w"].flatMap((name): Event[] => [
    ...others.map((id, k): Event => [name, id, 3, k]),
    [name, "q", 3, 100],
  ]);

  test("EV7: equal affinities are ranked by the md5 of the id; EV5: the best `neighbours` are kept", async () => {
    const byHash = [...others].sort((a, b) => (md5(a) < md5(b) ? -1 : 1));
    expect(byHash).not.toEqual(others);
    expect(await affinity(threeUsers, {})).toEqual(byHash.map((id, k) => `q ${k + 1} ${id} 3`));
    expect(await affinity(threeUsers, { neighbours: 2 })).toEqual(
      byHash.slice(0, 2).map((id, k) => `q ${k + 1} ${id} 3`),
    );
  });

  test("EV5: two common users are not enough", async () => {
    const events = threeUsers.filter(([name, id]) => !(name === "u" && id === "p0"));
    expect((await affinity(events, {})).some((line) => line.includes("p0"))).toBe(false);
    expect((await affinity(events, { minCommonUsers: 2 })).some((line) => line.endsWith("p0 2"))).toBe(true);
  });

  test("at most maxQueries items per role are asked about, drawn by md5", async () => {
    using world = new World();
    const ids = Array.from({ length: 10 }, (_, k) => `i${k}`);
    world.ratings(
      ids.flatMap((id, k): Event[] => [
        ["u", id, 3, k < 6 ? k : 50],
        ["v", id, 3, 60],
      ]),
    );
    await world.prepare({ split: { by: "time", fraction: 0.4 }, truth: { maxQueries: 2 }, seed: 3 });
    const drawn = (names: string[]) =>
      names
        .sort((a, b) => (md5(`3:query:${a}`) < md5(`3:query:${b}`) ? -1 : 1))
        .slice(0, 2)
        .sort();
    const rows = await world.rows("truth/queries.parquet");
    const found = (role: string) => rows.filter((row) => row.role === role).map((row) => `i${row.item_index}`);
    expect(found("test")).toEqual(drawn(["i6", "i7", "i8", "i9"]));
    expect(found("validation")).toEqual(drawn(["i3", "i4", "i5"]));
  });
});

describe("steps by themselves", () => {
  test("index: the order is that of the bytes, not of UTF-16 nor of a language", async () => {
    using world = new World();
    const ids = ["\u{1f600}", "\uff5e", "é", "e\u0301", "z", "a", "Z", "10", "9", "01", "ß", "a b", "a-b"]; // 😀 is before ～ in UTF-16
    world.ratings(ids.map((id, k): Event => [id, id, 3, k]));
    await world.prepare({ split: { by: "none" } });
    const sorted = [...ids].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
    expect((await world.rows("items.parquet")).map((row) => row.item_id)).toEqual(sorted);
    expect((await world.rows("users.parquet")).map((row) => row.user_id)).toEqual(sorted);
  });

  test("matrix: each row and column is divided by the root of its degree", async () => {
    await using database = await Database.open(":memory:", { threads: 1, scratch: "" });
    await database.run(
      "CREATE TABLE user_statistics AS SELECT * FROM (VALUES (3, 4), (1, 9)) AS t(user_index, events)",
    );
    await database.run(
      "CREATE TABLE item_statistics AS SELECT * FROM (VALUES (7, 16), (2, 1)) AS t(item_index, ratings)",
    );
    await database.run(sqlStep("matrix"));
    expect(await database.rows("SELECT user_index, scale FROM matrix_rows ORDER BY user_index")).toEqual([
      { user_index: 1, scale: 1 / 3 },
      { user_index: 3, scale: 1 / 2 },
    ]);
    expect(await database.rows("SELECT item_index, scale FROM matrix_columns ORDER BY item_index")).toEqual([
      { item_index: 2, scale: 1 },
      { item_index: 7, scale: 1 / 4 },
    ]);
  });

  test("factors: the first, popularity, is dropped, the others are orthonormal, and items without events have rows of zeros", async () => {
    using world = new World();
    writeSmallWorld(world);
    const { counts } = await world.prepare({ items, split: { by: "none" }, factors: { count: 3 } });
    expect(counts.training.factors).toBe(3);
    const tensors = world.tensors("train/factors.safetensors");
    const { data, shape } = tensors.get("vectors") as Extract<Tensor, { type: "F32" }>;
    expect(shape).toEqual([7, 3]);
    const column = (k: number) => smallItems.map((_, i) => data[i * 3 + k]);
    const dot = (a: number[], b: number[]) => a.reduce((sum, value, i) => sum + value * b[i], 0);
    const popularity = [1, 5, 3, 4, 2, 0, 2].map(Math.sqrt); // √d_i: the leading factor of a connected world
    for (const k of [0, 1, 2]) {
      expect(dot(column(k), column(k))).toBeCloseTo(1, 5);
      expect(dot(column(k), column((k + 1) % 3))).toBeCloseTo(0, 5);
      expect(dot(column(k), popularity)).toBeCloseTo(0, 5);
      expect(column(k)[smallItems.indexOf("z")]).toBe(0);
    }
    // ‖A v‖ is the singular value, with A_ui = 1/√(d_u·d_i).
    const singular = tensors.get("singularValues")?.data as Float64Array;
    const kept = ["U a b c d", "a a b c", "b B a c", "c a b c é", "ü d é a"].map((line) => line.split(" ").slice(1));
    const degree = new Map(smallItems.map((id, i) => [id, popularity[i]]));
    for (const k of [0, 1, 2]) {
      const image = kept.map((ids) =>
        ids.reduce(
          (sum, id) => sum + column(k)[smallItems.indexOf(id)] / (Math.sqrt(ids.length) * (degree.get(id) as number)),
          0,
        ),
      );
      expect(Math.sqrt(dot(image, image))).toBeCloseTo(singular[k], 5);
    }
    expect(singular[0]).toBeLessThan(1 - 1e-6); // 1 would be popularity's
  });

  test("duckdb: md5_number is the first 32 bits, and numbers are read strictly", async () => {
    await using database = await Database.open(":memory:", { threads: 1, scratch: "" });
    await database.run(sqlStep("duckdb"));
    const { n } = await database.row("SELECT md5_number('1:pairs:u') AS n");
    expect(n).toBe(Number.parseInt(md5("1:pairs:u").slice(0, 8), 16));
    const read = async (cell: string) => (await database.row(`SELECT parse_number('${cell}') AS n`)).n;
    expect(await Promise.all(["4", " 4.5 ", "-1e3", ".5", "1_000", "four", ""].map(read))).toEqual([
      4,
      4.5,
      -1000,
      0.5,
      null,
      null,
      null,
    ]);
    const seconds = async (cell: string) => (await database.row(`SELECT parse_iso_seconds('${cell}') AS n`)).n;
    const dates = [
      "2001-09-09",
      "2001-09-09 01:46:40",
      "2001-09-09T01:46:40.9Z",
      "2001-09-09T03:46:40+02:00",
      "1969-12-31T23:59:59.5Z",
      "soon",
    ];
    expect(await Promise.all(dates.map(seconds))).toEqual([999993600, 1e9, 1e9, 1e9, -1, null]);
  });

  test("the name of a zone is no ISO 8601, and does not change how the rows after it are read", async () => {
    await using database = await Database.open(":memory:", { scratch: "" });
    await database.run(sqlStep("duckdb"));
    const rows = await database.rows(
      `SELECT parse_iso_seconds(cell) AS n FROM (VALUES ('2020-07-01 00:00:00 America/New_York'), ('1500-01-01'), ('2020-01-01T24:00:00')) AS t(cell)`,
    );
    expect(rows.map(({ n }) => n)).toEqual([null, Date.UTC(1500, 0) / 1000, Date.UTC(2020, 0, 2) / 1000]);
  });

  test("a step's text with a parameter missing, or one too many, is a mistake", () => {
    expect(() => sqlStep("split-time")).toThrowErrorMatchingInlineSnapshot(
      `[NearkinError: split-time.sql: no value for {fraction}]`,
    );
    expect(() => sqlStep("training", { fraction: 1 })).toThrowErrorMatchingInlineSnapshot(
      `[NearkinError: training.sql has no {fraction}]`,
    );
  });
});
