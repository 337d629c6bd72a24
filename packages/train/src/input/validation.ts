// Truths of the validation items (EV3, EV4): items that training has not seen, and what users met around the same time.
import { type Dataset, openTruth } from "@nearkin/data";
import type { TrainConfig } from "../config/schema.ts";

/** Query `queries[r]` has the relevant items `starts[r]` to `starts[r + 1]`, ascending; no query is without any (EV8). */
export interface Validation {
  readonly queries: Int32Array;
  readonly starts: Int32Array;
  readonly items: Int32Array;
}

const DAY = 86_400;

/** null where the dataset holds out no validation items, or none of them has a truth. */
export async function loadValidation(
  dataset: Dataset,
  { horizonDays, queries: most }: TrainConfig["validation"],
): Promise<Validation | null> {
  const { counts, time } = dataset.manifest;
  if (counts.roles.validation === 0) return null;
  const truth = await (await openTruth(dataset)).coInteraction("validation");
  // Without times the distance is a number of rows: then every item of the same user counts.
  const horizon = horizonDays === null || time.kind !== "seconds" ? Number.POSITIVE_INFINITY : horizonDays * DAY;
  const kept: number[] = [];
  const rows: number[][] = [];
  for (let r = 0; r < truth.queries.length; r++) {
    const relevant: number[] = [];
    for (let e = truth.starts[r]; e < truth.starts[r + 1]; e++) {
      if (truth.seconds[e] <= horizon) relevant.push(truth.items[e]);
    }
    if (relevant.length > 0) {
      kept.push(truth.queries[r]);
      rows.push(relevant);
    }
  }
  if (kept.length === 0) return null;
  // Evenly spread over the items where there are too many: their order has nothing to do with what they are.
  const chosen =
    kept.length <= most
      ? kept.map((_, r) => r)
      : Array.from({ length: most }, (_, i) => Math.floor((i * kept.length) / most));
  const starts = new Int32Array(chosen.length + 1);
  chosen.forEach((r, i) => {
    starts[i + 1] = starts[i] + rows[r].length;
  });
  return {
    queries: Int32Array.from(chosen, (r) => kept[r]),
    starts,
    items: Int32Array.from(chosen.flatMap((r) => rows[r])),
  };
}
