// What must never happen, whatever is asked for: somebody's files lost, a run that does not end, a channel that says what nobody said.
import { existsSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { decodeSafetensors } from "@nearkin/core";
import { describe, expect, test } from "vitest";
import { type Event, World } from "../testing/world.ts";

const events: Event[] = Array.from({ length: 60 }, (_, k): Event => [`u${k % 6}`, `i${(k * 7) % 10}`, (k % 5) + 1, k]);
const none = { split: { by: "none" as const } };

/** Code and message of what `run` throws, the folder's name aside. */
async function problem(world: World, run: Promise<unknown>): Promise<string> {
  const error = (await run.then(
    () => new Error("no error"),
    (cause: unknown) => cause,
  )) as Error & { code?: string };
  return `${error.code}: ${error.message.replaceAll(world.folder, "TMP")}`;
}

test("a dataset is its owner's alone: it holds what users did", async () => {
  using world = new World();
  world.ratings(events);
  await world.prepare(none, { out: "films" });
  expect(statSync(world.path("films")).mode & 0o777).toBe(0o700);
});

describe("force replaces a dataset, and nothing else:", () => {
  test("not a folder of other files", async () => {
    using world = new World();
    world.ratings(events);
    mkdirSync(world.path("thesis"));
    writeFileSync(world.path("thesis", "chapter.txt"), "precious");
    expect(await problem(world, world.prepare(none, { out: "thesis", force: true }))).toMatchInlineSnapshot(
      `"DATASET_EXISTS: TMP/thesis is a folder with other files, and no dataset; choose another --out"`,
    );
    expect(readFileSync(world.path("thesis", "chapter.txt"), "utf8")).toBe("precious");
  });

  test("not the folder of the input, nor a file", async () => {
    using world = new World();
    world.ratings(events);
    expect(await problem(world, world.prepare(none, { out: ".", force: true }))).toMatchInlineSnapshot(
      `"BAD_ARGUMENT: TMP cannot be the dataset folder: TMP is in it; choose a folder of its own"`,
    );
    writeFileSync(world.path("letter"), "precious");
    expect(await problem(world, world.prepare(none, { out: "letter", force: true }))).toMatchInlineSnapshot(
      `"DATASET_EXISTS: TMP/letter is a file; choose another --out"`,
    );
    expect(existsSync(world.path("ratings.csv"))).toBe(true);
    expect(readFileSync(world.path("letter"), "utf8")).toBe("precious");
  });

  test("not the folder of Spark's tables", async () => {
    using world = new World();
    world.ratings(events);
    const spark = { tables: world.path("out", "tables") };
    for (const name of ["staged", "tables"]) mkdirSync(join(spark.tables, name), { recursive: true });
    expect(await problem(world, world.prepare(none, { spark }))).toMatchInlineSnapshot(
      `"BAD_ARGUMENT: TMP/out cannot be the dataset folder: TMP/out/tables is in it; choose a folder of its own"`,
    );
  });

  test("not what somebody else has called <out>.replaced", async () => {
    using world = new World();
    world.ratings(events);
    mkdirSync(world.path("out.replaced"));
    writeFileSync(world.path("out.replaced", "chapter.txt"), "precious");
    await world.prepare(none, { out: "out" });
    expect(await problem(world, world.prepare(none, { out: "out", force: true }))).toMatchInlineSnapshot(
      `"BAD_ARGUMENT: TMP/out.replaced is in the way; move it elsewhere"`,
    );
    expect(readFileSync(world.path("out.replaced", "chapter.txt"), "utf8")).toBe("precious");
    expect(existsSync(world.path("out", "dataset.json"))).toBe(true);
  });

  test("an empty folder is as good as none", async () => {
    using world = new World();
    world.ratings(events);
    mkdirSync(world.path("empty"));
    await world.prepare(none, { out: "empty" });
    expect(existsSync(world.path("empty", "dataset.json"))).toBe(true);
    expect(existsSync(world.path("empty.replaced"))).toBe(false);
  });

  test("what was moved aside by a run that was killed comes back", async () => {
    using world = new World();
    world.ratings(events);
    await world.prepare(none, { out: "out" });
    renameSync(world.path("out"), world.path("out.replaced"));
    expect(await problem(world, world.prepare(none, { out: "out" }))).toContain("DATASET_EXISTS");
    expect(existsSync(world.path("out", "dataset.json"))).toBe(true);
  });
});

test("no cap on pairs is all pairs, and not a table of that size", async () => {
  using world = new World();
  world.ratings(events);
  const all = await world.prepare({ ...none, pairs: { perUser: 1e12, total: 1e15 } }, { out: "all" });
  const usual = await world.prepare(none, { out: "usual" });
  expect(all.counts.training.pairs).toBe(usual.counts.training.pairs);
});

test("columns that would have one name in the catalogue are refused", async () => {
  using world = new World();
  world.ratings(events);
  world.csv("items.csv", ["id", "role", "field.role"], [["i0", "r", "fr"]]);
  const items = { files: "items.csv", fields: ["role", "field.role"] };
  expect(await problem(world, world.prepare({ ...none, items }))).toMatchInlineSnapshot(
    `"BAD_SOURCE: items: the columns role and field.role would have one name in the catalogue; rename one"`,
  );
});

test("an item of which training knows no category is missing there, not like all others of that kind", async () => {
  using world = new World();
  world.ratings(events);
  const genre = (k: number) => (k < 10 ? "known" : `new ${k}`); // i10 and i11 are in no event
  world.csv(
    "items.csv",
    ["id", "genre"],
    Array.from({ length: 12 }, (_, k) => [`i${String(k)}`, genre(k)]),
  );
  const { channels } = await world.prepare({
    ...none,
    items: { files: "items.csv" },
    channels: { genre: { type: "categories", column: "genre" } },
  });
  expect(channels.genre).toMatchObject({ present: 10, unknown: 2 });
  const { tensors } = decodeSafetensors(readFileSync(join(world.path("out"), "channels/genre.safetensors")));
  const ids = (await world.rows("items.parquet")).map((row) => row.item_id);
  const missing = [...(tensors.get("missing")?.data ?? [])].map(Number);
  expect(ids.filter((_, k) => missing[k] === 1)).toEqual(["i10", "i11"]);
});

test("the width of a vector channel is that of most training items", async () => {
  using world = new World();
  world.ratings(events);
  const vector = (k: number) => (k < 0 ? "[1,2,3]" : `[${k + 1},1]`);
  const rows = [["a0", vector(-1)], ...Array.from({ length: 10 }, (_, k) => [`i${k}`, vector(k)])];
  world.csv("items.csv", ["id", "v"], rows);
  const { channels } = await world.prepare({
    ...none,
    items: { files: "items.csv" },
    channels: { v: { type: "vector", column: "v" } },
    rejectLimit: 0.5,
  });
  expect(channels.v).toMatchObject({ present: 10, unreadable: 1, transform: { width: 2 } });
});
