import { NearkinError } from "@nearkin/core";
import type { Config } from "../config/schema.ts";
import type { Database } from "../database.ts";

/** A split may leave nothing to train on. */
export async function checkTraining(database: Database, { split }: Config): Promise<void> {
  const { events } = await database.row<{ events: number }>("SELECT events FROM totals");
  if (events > 0) return;
  throw new NearkinError(
    "BAD_SOURCE",
    `no interaction is left for training after the split by ${split.by}: ` +
      "most items were first seen at the same moment, or there are too few; try split: random or none",
  );
}
