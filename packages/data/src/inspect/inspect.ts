// `inspect`: what a dataset holds, and what looks wrong with it. Reads everything, truth/ included, and changes nothing.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Config } from "../config/schema.ts";
import { Database } from "../database.ts";
import type { Dataset } from "../dataset/open.ts";
import { reading } from "../dataset/read.ts";
import { inspectChannels } from "./channels.ts";
import { exampleItems } from "./examples.ts";
import { popularity, ratingHistogram, rejectSummary, spread } from "./figures.ts";
import type { Inspection } from "./inspection.ts";
import { suspectFacts } from "./suspects.ts";
import { truthSummaries } from "./truths.ts";
import { findWarnings } from "./warnings.ts";

export interface InspectOptions {
  /** Seconds since 1970: events after it are suspect. @default the present */
  now?: number;
  /** Threads of DuckDB; changes speed, never a result. @default the cores there are */
  threads?: number;
}

/** Looks at a dataset. A file that cannot be read is a `BAD_DATASET`. */
export async function inspectDataset(dataset: Dataset, options: InspectOptions = {}): Promise<Inspection> {
  const { now = Date.now() / 1000, threads } = options;
  const scratch = await mkdtemp(join(tmpdir(), "nearkin-inspect-"));
  try {
    await using database = await Database.open(":memory:", { scratch, ...(threads === undefined ? {} : { threads }) });
    // Awaited here, before the database closes.
    return await reading(dataset, "a table", () => inspect(database, dataset, now));
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

async function inspect(database: Database, dataset: Dataset, now: number): Promise<Inspection> {
  const { manifest } = dataset;
  const { name, id, simulated, counts, time, ratings, notes } = manifest;
  const inspection: Omit<Inspection, "warnings"> = {
    name,
    id,
    simulated,
    counts,
    density: counts.interactions / (counts.users * counts.items),
    time: {
      kind: time.kind,
      from: time.kind === "seconds" ? isoTime(time.trainingFrom) : null,
      to: time.kind === "seconds" ? isoTime(time.trainingTo) : null,
      cut: time.kind === "seconds" ? isoTime(time.cut) : null,
    },
    split: (manifest.config as unknown as Config).split.by,
    perUser: await spread(database, dataset.path("train/users.parquet"), "events"),
    perItem: await spread(database, dataset.path("train/items.parquet"), "ratings"),
    popularity: await popularity(database, dataset),
    ratings: { ...ratings, histogram: await ratingHistogram(database, dataset) },
    channels: await inspectChannels(database, dataset),
    examples: await exampleItems(database, dataset),
    rejects: await rejectSummary(database, dataset),
    truth: await truthSummaries(database, dataset),
    notes,
  };
  const suspects = await suspectFacts(database, dataset, now);
  return { ...inspection, warnings: findWarnings(inspection, suspects, manifest) };
}

/** 2018-03-07T07:52:26Z; a number too large for a date as it is. */
function isoTime(seconds: number | null): string | null {
  if (seconds === null) return null;
  const date = new Date(seconds * 1000);
  return Number.isNaN(date.getTime()) ? String(seconds) : date.toISOString().replace(".000Z", "Z");
}
