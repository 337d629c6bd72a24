// Real files end to end, with the counts their publishers give. The data may not be part of this repository: they are looked for in
// ../shared/data beside it, or where NEARKIN_SHARED_DATA says, and without them these tests are skipped.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { parseConfig } from "../config/parse.ts";
import type { ConfigInput } from "../config/schema.ts";
import { World } from "../testing/world.ts";
import { prepare } from "./prepare.ts";

const shared = process.env.NEARKIN_SHARED_DATA ?? fileURLToPath(new URL("../../../../../shared/data", import.meta.url));
const missing = ["ml-latest-small/ratings.csv", "ml-25m-prefix/ratings.csv", "minilm/vectors.safetensors"].filter(
  (name) => !existsSync(join(shared, name)),
);
const title = missing.length === 0 ? "MovieLens" : `MovieLens (skipped: no ${missing.join(", ")} in ${shared})`;

const config = (split: ConfigInput["split"]): ConfigInput => ({
  interactions: { files: "ratings.csv", ratingRange: [0.5, 5] },
  items: { files: "items.csv" },
  split,
  channels: {
    genres: { type: "categories", column: "genres", missing: ["(no genres listed)"] },
    year: { type: "number", column: "title", pattern: "\\((\\d{4})\\)\\s*$" },
    plot: {
      type: "text",
      column: "overview",
      encoder: "vectors:../minilm/vectors.safetensors#plot",
      key: "tmdbId",
      ids: "tmdbId",
    },
  },
  factors: { count: 8 },
});

function prepareShared(world: World, name: string, split: ConfigInput["split"]) {
  return prepare(parseConfig(config(split)), { folder: join(shared, name), out: world.path(name), threads: 2 });
}

describe.skipIf(missing.length > 0)(title, () => {
  test("latest-small: 100,836 ratings of 610 users; 9,742 movies, 9,724 of them rated", async () => {
    using world = new World();
    const { counts, channels, columns, ratings } = await prepareShared(world, "ml-latest-small", { by: "none" });
    expect(counts).toMatchObject({
      interactionRows: 100_836,
      rejectedInteractionRows: 0,
      itemRows: 9_742,
      rejectedItemRows: 0,
      duplicates: 0,
      users: 610,
      items: 9_742,
      describedItems: 9_742,
      interactions: 100_836,
      roles: { train: 9_724, validation: 0, test: 0, unseen: 18 },
    });
    expect(counts.training).toMatchObject({ interactions: 100_836, users: 610, items: 9_724, factors: 8 });
    expect(columns.interactions).toEqual({ user: "userId", item: "movieId", rating: "rating", time: "timestamp" });
    expect(ratings).toMatchObject({ kind: "explicit", least: 0.5, most: 5 });
    expect(ratings.mean).toBeCloseTo(3.501557, 6);
    expect((channels.genres.transform.terms as string[]).slice(0, 3)).toEqual(["Drama", "Comedy", "Thriller"]);
    expect(channels.genres.unreadable + channels.year.unreadable + channels.plot.unreadable).toBe(0);
    expect(channels.year.present).toBeGreaterThan(9_700);
    expect(channels.plot.present).toBeGreaterThan(0.9 * 9_742);
    expect(await world.rows("rejects.parquet", "ml-latest-small")).toEqual([]);
  });

  test("25M prefix: 391,193 ratings of 2,686 users and 16,158 movies; EV1: the split by time holds out 808", async () => {
    using world = new World();
    const { counts, time } = await prepareShared(world, "ml-25m-prefix", { by: "time" });
    expect(counts).toMatchObject({ interactionRows: 391_193, duplicates: 0, users: 2_686, interactions: 391_193 });
    const { train, validation, test: tested, unseen } = counts.roles;
    expect(train + validation + tested).toBe(16_158);
    expect(tested).toBe(808);
    expect(counts.items).toBe(16_158 + unseen);
    expect(counts.training.interactions).toBeLessThan(391_193);
    expect(time.trainingTo).toBeLessThan(time.cut as number);
    // Real sizes: pairs stay below the caps of users and of all.
    expect(counts.training.pairs).toBeLessThanOrEqual(2_686 * 1000);
    const queries = await world.rows("truth/queries.parquet", "ml-25m-prefix");
    expect(queries.filter((row) => row.role === "test").length).toBe(808);
  });
});
