import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { loadTraining } from "./load.ts";
import { type Dataset, openDataset } from "./open.ts";
import { itemRoles } from "./roles.ts";
import { makeDataset, temporaryFolder } from "./testing/world.ts";
import { openTruth, type Truth } from "./truth.ts";

// T = 70: i6 and i7 are for test; of the six before them, i4 and i5 are for validation.
const interactions = `
user,item,rating,timestamp
u1,i0,4,10
u1,i1,4,20
u1,i4,4,50
u1,i6,4,70
u2,i0,2,11
u2,i2,2,30
u2,i5,2,60
u2,i6,2,75
u2,i7,2,90
u3,i1,3,21
u3,i3,3,40
u3,i4,3,55
u3,i7,3,80
u4,i2,5,35
u4,i3,5,45`;
const i32 = (...values: number[]) => new Int32Array(values);
const f64 = (...values: number[]) => new Float64Array(values);

const folder = temporaryFolder();
afterAll(() => folder[Symbol.dispose]());

describe("split by time", () => {
  let dataset: Dataset;
  let truth: Truth;
  beforeAll(async () => {
    const path = await makeDataset(folder.path, "time", {
      interactions,
      config: { split: { by: "time", fraction: 0.25 }, truth: { minCommonUsers: 2 }, factors: { count: 0 } },
    });
    dataset = await openDataset(path);
    truth = await openTruth(dataset);
  });

  test("nothing of the truth is in training", async () => {
    const { histories, roles, factors } = await loadTraining(dataset);
    expect(histories.items).toEqual(i32(0, 1, 0, 2, 1, 3, 2, 3));
    const { train, validation, test: held } = itemRoles;
    expect(roles).toEqual(new Uint8Array([train, train, train, train, validation, validation, held, held]));
    expect(factors).toEqual({ k: 0, vectors: new Float32Array(0), singularValues: new Float64Array(0) });
  });

  test("the queries of each role", async () => {
    expect(await truth.queries("test")).toEqual(i32(6, 7));
    expect(await truth.queries("validation")).toEqual(i32(4, 5));
  });

  test("co-interaction: all events for test; before T and without test items for validation", async () => {
    expect(await truth.coInteraction("test")).toEqual({
      queries: i32(6, 7),
      starts: i32(0, 6, 13),
      items: i32(0, 1, 2, 4, 5, 7, 0, 1, 2, 3, 4, 5, 6),
      seconds: f64(60, 50, 45, 20, 15, 15, 79, 59, 60, 40, 25, 30, 15),
    });
    expect(await truth.coInteraction("validation")).toEqual({
      queries: i32(4, 5),
      starts: i32(0, 3, 5),
      items: i32(0, 1, 3, 0, 2),
      seconds: f64(40, 30, 15, 49, 30),
    });
  });

  test("affinity: a query that shares too few users has an empty row", async () => {
    const expected = { starts: i32(0, 1, 1), affinity: f64(1), commonUsers: i32(2) };
    expect(await truth.affinity("test")).toEqual({ queries: i32(6, 7), items: i32(0), ...expected });
    expect(await truth.affinity("validation")).toEqual({ queries: i32(4, 5), items: i32(1), ...expected });
  });

  test("statistics of the query items", async () => {
    expect(await truth.items("test")).toEqual({
      queries: i32(6, 7),
      ratings: i32(2, 2),
      mean: f64(3, 2.5),
      firstSeen: f64(70, 80),
    });
    expect(await truth.items("validation")).toEqual({
      queries: i32(4, 5),
      ratings: i32(2, 1),
      mean: f64(3.5, 2),
      firstSeen: f64(50, 60),
    });
  });

  test("there are no held-out users", () => {
    expect(() => truth.users("test")).toThrow("has no held-out users; prepare it with split.by: users");
  });

  test("the dataset itself does not lead there", () => {
    expect(() => dataset.path("truth/queries.parquet")).toThrowErrorMatchingInlineSnapshot(
      `[NearkinError: truth/queries.parquet: truth/ is for evaluation and opened by openTruth only]`,
    );
  });

  test("without the folder, openTruth says what is missing", async () => {
    const path = await makeDataset(folder.path, "gone", { interactions, config: { factors: { count: 0 } } });
    rmSync(join(path, "truth"), { recursive: true });
    const opened = await openDataset(path);
    const error = (await openTruth(opened).catch((cause: unknown) => cause)) as Error;
    expect(error.message.replace(path, "FOLDER")).toMatchInlineSnapshot(
      `"FOLDER: truth/affinity.parquet is missing; truth/co-interaction.parquet is missing; truth/items.parquet is missing; truth/queries.parquet is missing; prepare it again, or copy it whole"`,
    );
  });
});

test("split by users: support is the earliest 70 %, the rest are queries", async () => {
  const rows = interactions.trim().split("\n").slice(1);
  const path = await makeDataset(folder.path, "users", {
    interactions,
    config: { split: { by: "users", users: 1, userEvents: [4, 5] }, factors: { count: 0 } },
  });
  const truth = await openTruth(await openDataset(path));
  const drawn: number[] = [];
  for (const role of ["test", "validation"] as const) {
    const { userIndex, starts, queryStarts, items, ratings, times } = await truth.users(role);
    expect(userIndex).toHaveLength(1);
    const own = rows.map((row) => row.split(",")).filter(([user]) => user === `u${userIndex[0] + 1}`);
    expect(Array.from(items, (item) => `i${item}`)).toEqual(own.map(([, item]) => item));
    expect(Array.from(ratings)).toEqual(own.map(([, , rating]) => Number(rating)));
    expect(Array.from(times)).toEqual(own.map(([, , , time]) => Number(time)));
    expect(starts).toEqual(i32(0, own.length));
    expect(queryStarts).toEqual(i32(Math.floor(0.7 * own.length)));
    drawn.push(userIndex[0]);
  }
  expect(new Set(drawn).size).toBe(2);
  expect(drawn).not.toContain(3); // u4 has two events only
});
