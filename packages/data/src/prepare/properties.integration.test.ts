// What must hold in every world: nothing leaks from what is held out, and nothing but the input decides the bytes.
import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ConfigInput } from "../config/schema.ts";
import { Database, quote } from "../database.ts";
import { arbitraryConfig, arbitraryEvents } from "../testing/arbitrary-world.ts";
import { md5 } from "../testing/reference.ts";
import { type Event, World } from "../testing/world.ts";

const few = { numRuns: 6, seed: 20260102 };
const items = { files: "items.csv" };

/** Channels of every kind that needs no encoder, and factors. */
const everything: Partial<ConfigInput> = {
  items,
  factors: { count: 3 },
  channels: {
    tags: { type: "categories", column: "tags" },
    size: { type: "number", column: "size" },
    plot: { type: "text", column: "plot", encoder: "lsa" },
    self: { type: "identity" },
  },
};

/** Each item has a category of its own, beside common ones. A word counts from two texts on: `secret` would, if the marker's were read. */
function describeItems(world: World, events: readonly Event[], extra: readonly string[] = []): void {
  const ids = [...new Set([...events.map(([, item]) => item), ...extra])].sort();
  const words: Record<string, string> = { i00: "secret known", i01: "known", marker: "secret" };
  world.csv(
    "items.csv",
    ["id", "tags", "size", "plot"],
    ids.map((id, k) => [id, `all|tag of ${id}`, k, `a story of ${k % 2 ? "home" : "away"} ${words[id] ?? ""}`]),
  );
}

/** Files that training may read. */
const open = (hashes: Record<string, string>) =>
  Object.fromEntries(Object.entries(hashes).filter(([name]) => !name.startsWith("truth/") && name !== "dataset.json"));

const without = (hashes: Record<string, string>, ...names: string[]) =>
  Object.fromEntries(Object.entries(hashes).filter(([name]) => !names.includes(name)));

/** Whether this world and split leave something to train on; others prove nothing. */
async function prepared(world: World, config: Partial<ConfigInput>, out = "out") {
  try {
    return await world.prepare(config, { out });
  } catch (error) {
    fc.pre(!/no interaction is left|no training item has a value|no word comes in/.test((error as Error).message));
    throw error;
  }
}

describe("leaks", () => {
  test("EV1: no column of a time outside truth/ reaches T", async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryEvents, fc.constantFrom(0.05, 0.3), async (events, fraction) => {
        using world = new World();
        world.ratings(events);
        const { time } = await prepared(world, { split: { by: "time", fraction } });
        await using database = await Database.open(":memory:", { threads: 1, scratch: "" });
        let checked = 0;
        for (const file of world.files().filter((name) => /\.parquet$/.test(name) && !/^truth\//.test(name))) {
          const source = `read_parquet(${quote(world.path("out", file))})`;
          const columns = await database.rows(`SELECT column_name FROM (DESCRIBE SELECT * FROM ${source})`);
          for (const { column_name } of columns.filter((row) => /time|seen|date/i.test(String(row.column_name)))) {
            const { latest } = await database.row(`SELECT MAX("${column_name}") AS latest FROM ${source}`);
            expect({ file, column_name, early: Number(latest) < Number(time.cut) }).toMatchObject({ early: true });
            checked++;
          }
        }
        expect(checked).toBeGreaterThanOrEqual(3); // time, first_seen, last_seen
      }),
      few,
    );
  });

  test("EV1, EV2, EV10: ratings of held-out events change no byte outside truth/", async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryEvents, fc.constantFrom("time", "random", "users"), async (rows, by) => {
        const events = [...new Map(rows.map((row) => [`${row[0]}\0${row[1]}`, row])).values()]; // one each
        const split = { by, fraction: 0.3, userEvents: [2, 199] as [number, number] } as ConfigInput["split"];
        using world = new World();
        describeItems(world, events);
        world.ratings(events);
        const { time } = await prepared(world, { ...everything, split });
        const roleOf = async (file: string, id: string) =>
          new Map((await world.rows(file)).map((row) => [row[id] as string, row.role as string]));
        const itemRole = await roleOf("items.parquet", "item_id");
        const userRole = await roleOf("users.parquet", "user_id");
        const held = ([user, item, , at]: Event) =>
          itemRole.get(item) !== "train" || userRole.get(user) !== "train" || (time.cut !== null && at >= time.cut);
        fc.pre(events.some(held));
        world.ratings(
          events.map((event): Event => (held(event) ? [event[0], event[1], 5.5 - event[2], event[3]] : event)),
        );
        await prepared(world, { ...everything, split }, "second");
        expect(open(world.hashes("second"))).toEqual(open(world.hashes()));
        expect(world.hashes("second")).not.toEqual(world.hashes());
      }),
      few,
    );
  });

  test("EV1: what users do again at or after T, with items they know, changes no byte outside truth/", async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryEvents, fc.infiniteStream(fc.boolean()), async (events, again) => {
        const config: Partial<ConfigInput> = { ...everything, split: { by: "time", fraction: 0.3 } };
        using world = new World();
        describeItems(world, events);
        world.ratings(events);
        const { time } = await prepared(world, config);
        const later = Math.max(...events.map((event) => event[3])) + 10;
        const repeated = events
          .filter((event) => event[3] < Number(time.cut) && again.next().value)
          .map(([user, item, rating]): Event => [user, item, 5.5 - rating, later]);
        fc.pre(repeated.length > 0);
        world.ratings([...events, ...repeated]);
        await prepared(world, config, "second");
        expect(open(world.hashes("second"))).toEqual(open(world.hashes()));
      }),
      few,
    );
  });

  test("EV1: a cold item's category, word and row are in nothing that training reads", async () => {
    using world = new World();
    const events: Event[] = Array.from({ length: 12 }, (_, u) =>
      Array.from(
        { length: 20 },
        (_, k): Event => [`u${u}`, `i${String((u * 3 + k) % 30).padStart(2, "0")}`, (k % 5) + 1, u + k],
      ),
    ).flat();
    events.push(["u1", "marker", 5, 1000], ["u2", "marker", 5, 1001], ["u2", "i00", 1, 1002]);
    describeItems(world, events);
    world.ratings(events);
    await world.prepare({ ...everything, split: { by: "time", fraction: 0.02 } });
    await expectNoMarker(world, "test");
  });

  test("EV10: an item that only test users rated is in no training table, vocabulary, pair or factor", async () => {
    using world = new World();
    const names = Array.from({ length: 30 }, (_, k) => `u${k}`);
    const events: Event[] = names.flatMap((name, u) =>
      Array.from(
        { length: 20 },
        (_, k): Event => [name, `i${String((u * 3 + k) % 40).padStart(2, "0")}`, (k % 5) + 1, u + k],
      ),
    );
    const drawn = [...names].sort((a, b) => (md5(`1:user:${a}`) < md5(`1:user:${b}`) ? -1 : 1));
    for (const name of drawn.slice(0, 3)) events.push([name, "marker", 5, 7]);
    describeItems(world, events);
    world.ratings(events);
    await world.prepare({ ...everything, split: { by: "users" } });
    const truth = await world.rows("truth/users.parquet");
    expect(new Set(truth.filter((row) => row.role === "test").map((row) => row.user_index)).size).toBe(3);
    await expectNoMarker(world, "unseen");
  });

  async function expectNoMarker(world: World, role: string): Promise<void> {
    const rows = await world.rows("items.parquet");
    const marker = rows.findIndex((row) => row.item_id === "marker");
    expect(rows[marker].role).toBe(role);
    for (const file of ["train/interactions.parquet", "train/items.parquet"]) {
      expect((await world.rows(file)).some((row) => row.item_index === marker)).toBe(false);
    }
    const pairs = await world.rows("train/pairs.parquet");
    expect(pairs.some(({ anchor, positive }) => anchor === marker || positive === marker)).toBe(false);
    const factors = world.tensors("train/factors.safetensors").get("vectors");
    const width = factors?.shape[1] as number;
    expect([...(factors?.data.subarray(marker * width, (marker + 1) * width) ?? [])]).toEqual([0, 0, 0]);
    expect([...(factors?.data ?? [])].some((value) => value !== 0)).toBe(true);
    const manifest = readFileSync(world.path("out", "dataset.json"), "utf8");
    expect(manifest).toContain("tag of i00");
    expect(manifest).not.toContain("marker");
    expect(manifest).toContain('"known"');
    expect(manifest).not.toContain("secret");
    expect(JSON.parse(manifest).channels.self.transform).not.toMatchObject({ items: expect.arrayContaining([marker]) });
  }
});

describe("truth", () => {
  test("EV4, EV5: among query items of one role both directions agree", async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryEvents, async (events) => {
        using world = new World();
        world.ratings(events);
        const truth = { minCommonUsers: 1, neighbours: 1000 };
        await prepared(world, { split: { by: "random", fraction: 0.45 }, truth });
        const queries = new Map((await world.rows("truth/queries.parquet")).map((row) => [row.item_index, row.role]));
        for (const [file, value] of [
          ["truth/co-interaction.parquet", "seconds"],
          ["truth/affinity.parquet", "affinity"],
        ]) {
          const rows = await world.rows(file);
          const found = new Map(rows.map((row) => [`${row.query} ${row.item}`, row[value]]));
          for (const row of rows) {
            expect(row.query).not.toBe(row.item);
            if (queries.get(row.item as number) === row.role) {
              expect(found.get(`${row.item} ${row.query}`)).toBe(row[value]);
            }
          }
        }
      }),
      few,
    );
  });
});

describe("determinism", () => {
  test("the order of timestamped rows changes no byte but the input's hash, for any split, with one thread or two", async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryEvents, arbitraryConfig, fc.infiniteStream(fc.nat()), async (events, config, order) => {
        using world = new World();
        describeItems(world, events, ["z"]);
        world.ratings(events);
        const first = await prepared(world, { ...everything, ...config });
        const shuffled = events
          .map((event) => ({ event, key: order.next().value as number }))
          .sort((a, b) => a.key - b.key);
        world.ratings(shuffled.map(({ event }) => event));
        const second = await world.prepare({ ...everything, ...config, name: "out" }, { out: "second", threads: 2 });
        expect(without(world.hashes("second"), "dataset.json")).toEqual(without(world.hashes(), "dataset.json"));
        const same = ({ id: _, inputs: __, config: ___, ...rest }: typeof first) => rest;
        expect(same(second)).toEqual(same(first));
      }),
      few,
    );
  });

  test("the same files twice give the same folder, byte for byte, with one thread or two", async () => {
    using world = new World();
    const events = fc.sample(arbitraryEvents, { numRuns: 4, seed: 3 }).flat();
    describeItems(world, events);
    world.ratings(events);
    const config = { ...everything, split: { by: "time", fraction: 0.2 } } as const;
    await world.prepare(config, { out: "one/out" });
    await world.prepare(config, { out: "two/out" });
    await world.prepare(config, { out: "threads/out", threads: 2 });
    expect(world.hashes("two/out")).toEqual(world.hashes("one/out"));
    expect(world.hashes("threads/out")).toEqual(world.hashes("one/out"));
  });

  test("without timestamps the order of the rows is the time", async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryEvents, arbitraryConfig, async (events, config) => {
        using world = new World();
        world.csv(
          "ratings.csv",
          ["user", "item", "rating"],
          events.map(([user, item, rating]) => [user, item, rating]),
        );
        const manifest = await prepared(world, config);
        expect(manifest.time.kind).toBe("file order");
        world.ratings(events.map(([user, item, rating], k): Event => [user, item, rating, k]));
        await world.prepare(config, { out: "second" });
        expect(without(world.hashes(), "dataset.json")).toEqual(without(world.hashes("second"), "dataset.json"));
      }),
      few,
    );
  });

  test("users' names decide nothing but who is drawn: renamed in the same order, all but users.parquet is the same", async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryEvents, fc.constantFrom("time" as const, "random" as const), async (events, by) => {
        const split = { by, fraction: 0.2 };
        using world = new World();
        world.ratings(events);
        await prepared(world, { split });
        world.ratings(events.map(([user, item, rating, time]): Event => [`x ${user}`, item, rating, time]));
        await world.prepare({ split }, { out: "second" });
        const apart = ["dataset.json", "users.parquet"];
        expect(without(world.hashes(), ...apart)).toEqual(without(world.hashes("second"), ...apart));
      }),
      few,
    );
  });

  test("another seed changes a drawn split, and nothing of a dated one but samples and factors", async () => {
    using world = new World();
    const events = fc.sample(arbitraryEvents, { numRuns: 4, seed: 4 }).flat();
    world.ratings(events);
    const run = async (by: "time" | "random", seed: number) => {
      const out = `${by}-${seed}`;
      await world.prepare({ split: { by, fraction: 0.2 }, seed }, { out });
      return without(world.hashes(out), "dataset.json");
    };
    expect(await run("random", 1)).not.toEqual(await run("random", 2));
    expect(await run("time", 1)).toEqual(await run("time", 2));
  });
});
