// How much there is to be right about: sizes of the truths, per role. Looking at them is no training.
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Database } from "../database.ts";
import type { Dataset } from "../dataset/open.ts";
import { parquet } from "../dataset/read.ts";
import type { QueryRole } from "../dataset/roles.ts";
import { openTruth, type Truth } from "../dataset/truth.ts";
import type { Inspection, TruthSummary } from "./inspection.ts";

/** EV4. Where the order of rows stands for time, a number of days means nothing. */
const horizons = (kind: Inspection["time"]["kind"]) => (kind === "seconds" ? [1, 7, 30, null] : [null]);

/** null where the folder was left out of a copy. A folder with some of its files missing is an error like any other. */
export async function truthSummaries(database: Database, dataset: Dataset): Promise<Inspection["truth"]> {
  if (!existsSync(join(dataset.folder, "truth"))) return null;
  const truth = await openTruth(dataset);
  return {
    validation: await summarise(database, dataset, truth, "validation"),
    test: await summarise(database, dataset, truth, "test"),
  };
}

async function summarise(database: Database, dataset: Dataset, truth: Truth, role: QueryRole): Promise<TruthSummary> {
  const rows = (name: string) => `${parquet(truth.path(`truth/${name}.parquet`))} WHERE role = '${role}'`;
  const bounds = horizons(dataset.manifest.time.kind);
  const { queries } = await database.row<{ queries: number }>(`SELECT COUNT(*) AS queries FROM ${rows("queries")}`);
  const [ratings] = await database.rows<{ least: number; median: number; most: number }>(
    `SELECT MIN(ratings) AS least, MEDIAN(ratings) AS median, MAX(ratings) AS most FROM ${rows("items")} HAVING COUNT(*) > 0`,
  );
  /** Mean, median and number of empty truths for each of some ways to count the entries of a query. */
  const sizes = async (name: string, counts: readonly string[]) => {
    const per = counts.map((count, k) => `${count} AS size_${k}`).join(", ");
    const figures = counts.map((_, k) => {
      const size = `COALESCE(size_${k}, 0)`;
      return `AVG(${size}) AS mean_${k}, MEDIAN(${size}) AS median_${k}, COUNT(*) FILTER (WHERE ${size} = 0) AS empty_${k}`;
    });
    const row = await database.row(
      `SELECT ${figures.join(", ")}
       FROM (SELECT item_index FROM ${rows("queries")}) AS queries
       LEFT JOIN (SELECT query, ${per} FROM ${rows(name)} GROUP BY query) AS sizes ON sizes.query = queries.item_index`,
    );
    return counts.map((_, k) => ({
      mean: (row[`mean_${k}`] ?? 0) as number,
      median: (row[`median_${k}`] ?? 0) as number,
      empty: row[`empty_${k}`] as number,
    }));
  };
  const within = bounds.map((days) =>
    days === null ? "COUNT(*)" : `COUNT(*) FILTER (WHERE seconds <= ${days * 86400})`,
  );
  const coInteraction = await sizes("co-interaction", within);
  const [affinity] = await sizes("affinity", ["COUNT(*)"]);
  return {
    queries,
    ratings: ratings ?? null,
    coInteraction: coInteraction.map((figures, k) => ({ days: bounds[k], ...figures })),
    affinity,
  };
}
