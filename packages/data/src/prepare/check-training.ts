import { NearkinError } from "@nearkin/core";
import type { Config } from "../config/schema.ts";
import type { Database } from "../database.ts";

/** Places in the histories are held in 32 bits. */
const MOST = 2 ** 31 - 1;

/** A split may leave nothing to train on, and there may be more than one machine trains on. */
export async function checkTraining(database: Database, { split }: Config): Promise<void> {
  const { events } = await database.row<{ events: number }>("SELECT events FROM totals");
  if (events > MOST) {
    throw new NearkinError(
      "BAD_SOURCE",
      `${events.toLocaleString("en")} interactions are left for training, more than one machine can hold (${MOST.toLocaleString("en")}): ` +
        "prepare those of a sample of the users; nearkin personalize gives all others a metric",
    );
  }
  if (events > 0) return;
  throw new NearkinError(
    "BAD_SOURCE",
    `no interaction is left for training after the split by ${split.by}: ` +
      "most items were first seen at the same moment, or there are too few; try split: random or none",
  );
}
