// For a team that runs Spark on its own platform: the script to run there, and the two halves that stay here, before it and after it.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { NearkinError } from "@nearkin/core";
import type { Config } from "../config/schema.ts";
import { Database } from "../database.ts";
import { openSources, type Sources } from "../prepare/read.ts";
import { isUrl } from "../sources/files.ts";
import { findSpark } from "./find.ts";
import { placesInSpark } from "./in-place.ts";
import { checkJob, sparkCommand } from "./run.ts";
import { planSpark, type SparkOptions, stageForSpark } from "./tables.ts";

export interface SparkScript {
  /** Runs by itself, and asks nothing back. */
  sql: string;
  /** What would be run here. */
  command: string[];
  /** Where items, and interactions that are not Parquet, must have been staged. */
  staged: string;
  /** What is staged, in words. */
  stages: string;
}

interface ElsewhereOptions {
  /** Where relative file names of the configuration start. */
  folder: string;
  spark: SparkOptions & { storage: string };
}

/** The script that prepares `config`, and how to run it. Neither Spark nor anything else is started. */
export async function sparkScriptOf(config: Config, { folder, spark }: ElsewhereOptions): Promise<SparkScript> {
  return withSources(config, folder, async (sources, database) => {
    const inPlace = await placesInSpark(database, { config, sources });
    const { job, storage, isInPlace } = planSpark({ config, sources, inPlace }, spark, ".");
    return {
      sql: job.sql,
      command: sparkCommand(undefined, job),
      staged: `${storage.at}/staged`,
      stages: isInPlace ? "items" : "items and interactions",
    };
  });
}

/** Puts what Spark does not read as it is into the storage. */
export async function stageOnly(config: Config, { folder, spark }: ElsewhereOptions): Promise<void> {
  await withSources(config, folder, async (sources, database) => {
    const inPlace = await placesInSpark(database, { config, sources });
    if (!isUrl(spark.storage)) {
      const plan = planSpark({ config, sources, inPlace }, spark, resolve(spark.storage));
      await using _held = await plan.storage.hold();
      return await stageForSpark(undefined, plan, database, sources);
    }
    const local = mkdtempSync(join(tmpdir(), "nearkin-stage-"));
    try {
      const plan = planSpark({ config, sources, inPlace }, spark, local);
      const found = await findSpark(spark.env);
      await checkJob(spark);
      await stageForSpark({ spark: found }, plan, database, sources);
    } finally {
      rmSync(local, { recursive: true });
    }
  });
}

async function withSources<T>(
  config: Config,
  folder: string,
  use: (sources: Sources, database: Database) => Promise<T>,
): Promise<T> {
  await using database = await Database.open(":memory:", { scratch: tmpdir() });
  return await use(await openSources(database, config, folder), database); // while it is open
}

/** The storage that a script for elsewhere needs. */
export function requireStorage(storage: string | undefined): string {
  if (storage !== undefined) return storage;
  throw new NearkinError(
    "BAD_ARGUMENT",
    "--storage: name the folder that all workers see, or the URL, that the script reads from and writes to",
  );
}
