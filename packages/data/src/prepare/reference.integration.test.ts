// Every table of a dataset against the same thing computed the obvious way (../testing/reference.ts), on random small worlds and every split.
import fc from "fast-check";
import { expect, test } from "vitest";
import { parseConfig } from "../config/parse.ts";
import type { ConfigInput } from "../config/schema.ts";
import { arbitraryConfig, arbitraryEvents } from "../testing/arbitrary-world.ts";
import { referenceTables } from "../testing/reference.ts";
import { type Event, World } from "../testing/world.ts";

const described = ["a", "B", "never seen", "é", "i1", "i2"];

async function compare(events: readonly Event[], config: Partial<ConfigInput>): Promise<void> {
  const expected = referenceTables(
    events,
    described,
    parseConfig({ interactions: { files: "ratings.csv" }, ...config }),
  );
  using world = new World();
  world.ratings(events);
  world.csv(
    "items.csv",
    ["id"],
    described.map((id) => [id]),
  );
  const prepared = world.prepare({ ...config, items: { files: "items.csv" } });
  if (expected["train/interactions.parquet"].length === 0) {
    await expect(prepared).rejects.toThrow("no interaction is left for training");
    return;
  }
  await prepared;
  for (const [file, rows] of Object.entries(expected))
    expect({ file, rows: await world.rows(file) }).toEqual({ file, rows });
  const tables = world.files().filter((file) => /\.parquet$/.test(file) && file !== "rejects.parquet");
  expect(tables.sort()).toEqual(Object.keys(expected).sort());
}

// One seed for all machines; a failure prints what to replay.
const runs = { numRuns: 25, seed: 20260101 };

test("EV1–EV5, EV7, EV10: every table of a random world is what plain code makes of it", async () => {
  await fc.assert(fc.asyncProperty(arbitraryEvents, arbitraryConfig, compare), runs);
});

test("duplicates are found where a file is grouped by user but for a few: in one run of rows, and across two", async () => {
  const users = Array.from({ length: 40 }, (_, k) => `u${String(k).padStart(2, "0")}`);
  const events = users.flatMap((user, u) =>
    ["a", "b", "c"].map((item, k): Event => [user, item, (k % 3) + 1, 10 * u + k]),
  );
  const again: Event[] = [
    ["u09", "b", 5, 1000], // its run has ended: a duplicate far away
    ["u11", "new", 4, 1001], // apart too, but no duplicate
  ];
  const inside = events.flatMap((event): Event[] =>
    event[0] === "u05" && event[1] === "c" ? [event, ["u05", "a", 5, 999]] : [event],
  );
  await compare([...inside, ...again], { split: { by: "none" } });
  await compare([...again, ...inside], { split: { by: "time", fraction: 0.3 } });
});
