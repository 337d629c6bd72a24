import { cpSync, rmSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { writeParquet } from "../write-parquet.ts";
import { type EventBatch, readEvents } from "./events.ts";
import { loadTraining } from "./load.ts";
import { type Dataset, openDataset } from "./open.ts";
import { makeDataset, temporaryFolder } from "./testing/world.ts";

// 7,001 events: more than three chunks of DuckDB's, and no whole number of them.
const EVENTS = 7001;
const folder = temporaryFolder();
let dataset: Dataset;
beforeAll(async () => {
  const rows = Array.from(
    { length: EVENTS },
    (_, i) => `u${i % 61},i${Math.floor(i / 61)},${(i % 49) / 10},${1e9 + ((i * 7919) % 100_003)}`,
  );
  const interactions = `user,item,rating,time\n${rows.join("\n")}`;
  const config = { split: { by: "none" }, factors: { count: 0 } } as const;
  dataset = await openDataset(await makeDataset(folder.path, "events[1]", { interactions, config }));
});
afterAll(() => folder[Symbol.dispose]());

async function gather(batches: AsyncIterable<EventBatch>) {
  const all: EventBatch[] = [];
  for await (const batch of batches) all.push(batch);
  const joined = (key: "users" | "items" | "ratings" | "times") => all.flatMap((batch) => [...batch[key]]);
  return {
    sizes: all.map(({ users }) => users.length),
    firsts: all.map(({ first }) => first),
    users: joined("users"),
    items: joined("items"),
    ratings: joined("ratings"),
    times: joined("times"),
  };
}

test("batches of any size, from any event on, are the histories of training, with ratings in full precision", async () => {
  const { histories } = await loadTraining(dataset);
  const users = Array.from(histories.userIndex).flatMap((user, row) =>
    Array<number>(histories.starts[row + 1] - histories.starts[row]).fill(user),
  );
  const tenths = new Set(Array.from({ length: 49 }, (_, i) => i / 10));
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 0, max: EVENTS }), fc.integer({ min: 1, max: 9000 }), async (from, size) => {
      const batch = Math.max(size, 50); // a batch of one row is right, and slow
      const read = await gather(readEvents(dataset, { from, batch, threads: 2 }));
      expect(read.users).toEqual(users.slice(from));
      expect(read.items).toEqual([...histories.items.subarray(from)]);
      expect(read.times).toEqual([...histories.times.subarray(from)]);
      expect(Float32Array.from(read.ratings)).toEqual(histories.ratings.slice(from));
      expect(read.ratings.every((rating) => tenths.has(rating))).toBe(true); // 0.1 of 32 bits is none of them
      expect(read.firsts).toEqual(read.sizes.map((_, i) => from + i * batch));
      expect(read.sizes.slice(0, -1).every((rows) => rows === batch)).toBe(true);
    }),
    { numRuns: 12 },
  );
});

test("a reader that stops early closes its database", async () => {
  for await (const { users } of readEvents(dataset, { batch: 10 })) {
    expect(users).toHaveLength(10);
    break;
  }
  expect((await gather(readEvents(dataset))).users).toHaveLength(EVENTS);
});

test("what is out of range is refused, and a file that does not hold what the manifest says", async () => {
  await expect(gather(readEvents(dataset, { from: EVENTS + 1 }))).rejects.toThrow(
    /from ≤ 7001 and batch ≥ 1, got from 7002/,
  );
  await expect(gather(readEvents(dataset, { batch: 0 }))).rejects.toThrow(/batch 0/);

  const copy = join(folder.path, "copy");
  const write = async (rows: number, item = 0) => {
    rmSync(copy, { recursive: true, force: true });
    cpSync(dataset.folder, copy, { recursive: true });
    const columns = { user_index: 0, item_index: item, rating: 1, time: 1 };
    await writeParquet(
      join(copy, "train/interactions.parquet"),
      Object.entries(columns).map(([name, value]) => ({ name, type: "double", values: Array(rows).fill(value) })),
    );
    return { ...dataset, folder: copy, path: (name: string) => join(copy, name) };
  };
  await expect(gather(readEvents(await write(EVENTS - 1)))).rejects.toThrow(/has 7000 rows instead of 7001/);
  await expect(gather(readEvents(await write(EVENTS + 1)))).rejects.toThrow(/has more than 7001 rows/);
  await expect(gather(readEvents(await write(EVENTS, 10_000)))).rejects.toThrow(/outside \[0, 115\)/);
});
