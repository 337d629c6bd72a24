// Interactions, tables and metrics in an object store. It takes a store, and half a gigabyte of what Hadoop reads it with, so it runs where they are named:
// NEARKIN_S3A=s3a://bucket/folder, and NEARKIN_S3A_CONF with a setting of Spark's on each line (CONTRIBUTING.md).
import { mkdirSync, readdirSync } from "node:fs";
import { findSpark, readParquet } from "@nearkin/data";
import { describe, expect, inject, test, vi } from "vitest";
import { run } from "../../packages/cli/src/testing/run.ts";
import { SMALL_TRAINING } from "../../packages/cli/src/testing/small-training.ts";
import { openHadoopShell } from "../../packages/data/src/spark/hadoop-shell.ts";
import { World } from "../../packages/data/src/testing/world.ts";
import type { Cluster } from "./cluster.ts";
import { expectSameDataset } from "./same-dataset.ts";

const cluster = inject("cluster") as Cluster;
const { NEARKIN_S3A: bucket, NEARKIN_S3A_CONF: settings = "" } = process.env;
const conf = [
  ...settings.split("\n").filter((line) => line !== ""),
  "spark.sql.shuffle.partitions=3",
  "spark.executor.memory=1g",
  "spark.driver.bindAddress=127.0.0.1",
  "spark.driver.host=127.0.0.1",
];
const skip = !cluster || bucket === undefined;

describe.skipIf(skip)(`an object store${skip ? " (skipped: no NEARKIN_S3A)" : ""}`, () => {
  test("what is read from it and written to it is what one machine makes", async () => {
    using world = new World();
    const far = `${bucket}/nearkin-${Date.now()}`;
    const spark = await findSpark({ ...process.env, SPARK_HOME: cluster.home });
    const shell = await openHadoopShell({ spark }, { conf, folder: world.path("hadoop") });
    const onCluster = ["--engine", "spark", "--master", cluster.master, ...conf.flatMap((one) => ["--conf", one])];
    vi.stubEnv("SPARK_HOME", cluster.home);
    try {
      world.write("small.yaml", SMALL_TRAINING);
      await nearkin("prepare", "marquee", "--encoder", "lsa", "--out", world.path("films"));
      await nearkin("train", world.path("films"), "--config", world.path("small.yaml"), "--out", world.path("model"));
      await writeEvents(world);
      await shell(["-mkdir", "-p", far]);
      await shell(["-put", world.path("events"), `${far}/`]);

      const columns = "columns: { user: user, item: item, rating: rating, time: time }";
      const configure = (name: string, files: string) =>
        world.write(name, `interactions: { files: "${files}", ${columns} }\nsplit: { by: none }\n`);
      await nearkin("prepare", configure("near.yaml", "events/*.parquet"), "--out", world.path("by-duckdb"));
      const remote = configure("far.yaml", `${far}/events/*.parquet`);
      await nearkin("prepare", remote, "--out", world.path("by-spark"), "--storage", `${far}/prepare`, ...onCluster);
      await expectSameDataset(world.path("by-spark"), world.path("by-duckdb"), ["config", "inputs", "notes"]);

      const here = ["--dataset", world.path("by-duckdb"), "--engine", "wasm", "--out", world.path("metrics.parquet")];
      await nearkin("personalize", world.path("model"), ...here);
      const there = ["--in", `${far}/events/*.parquet`, "--out", `${far}/metrics`];
      await nearkin("personalize", world.path("model"), ...there, ...onCluster);
      await shell(["-get", `${far}/metrics/users`, world.folder]);
      const parts = readdirSync(world.path("users")).filter((name) => name.endsWith(".parquet"));
      const made = await Promise.all(parts.map((name) => readParquet(world.path("users", name))));
      expect(byUser(made.flat())).toEqual(byUser(await readParquet(world.path("metrics.parquet"))));
    } finally {
      vi.unstubAllEnvs();
      await shell(["-rm", "-r", "-f", "-skipTrash", far]);
    }
  });
});

async function nearkin(...args: string[]): Promise<void> {
  const { code, err } = await run(...args);
  expect(code, err).toBe(0);
}

/** The sample's training events with their ids, in two files. */
async function writeEvents(world: World): Promise<void> {
  mkdirSync(world.path("events"));
  const file = (name: string) => `read_parquet('${world.path("films", name)}')`;
  for (const part of [0, 1]) {
    await world.parquet(
      `events/part ${part}.parquet`,
      `SELECT user_id AS "user", item_id AS item, rating, time FROM ${file("train/interactions.parquet")} AS events
       JOIN ${file("users.parquet")} AS users ON users.user_index = events.user_index
       JOIN ${file("items.parquet")} AS items ON items.item_index = events.item_index
       WHERE events.item_index % 2 = ${part}`,
    );
  }
}

const byUser = (rows: Record<string, unknown>[]) => rows.sort((a, b) => (`${a.user_id}` < `${b.user_id}` ? -1 : 1));
