// Figures of the tables, by SQL over the Parquet files: out of core, so that a dataset larger than memory can be looked at.
import type { Database } from "../database.ts";
import type { Dataset } from "../dataset/open.ts";
import { parquet } from "../dataset/read.ts";
import type { Bar, Popularity, RejectSummary, Spread } from "./inspection.ts";

const QUANTILES = { q10: 0.1, q25: 0.25, median: 0.5, q75: 0.75, q90: 0.9, q99: 0.99 };

/** How a column of counts is spread. */
export async function spread(database: Database, path: string, column: string): Promise<Spread> {
  const quantiles = Object.entries(QUANTILES).map(([name, q]) => `quantile_disc(${column}, ${q}) AS ${name}`);
  return database.row<{ [K in keyof Spread]: number }>(
    `SELECT MIN(${column}) AS least, ${quantiles.join(", ")}, MAX(${column}) AS most, AVG(${column}) AS mean FROM ${parquet(path)}`,
  );
}

const TOP = [0.01, 0.05, 0.1, 0.2, 0.5];

/** Who gets the interactions. Gini: G = 2·Σ_i i·x_i / (n·Σ x) − (n + 1)/n, x ascending. */
export async function popularity(database: Database, dataset: Dataset): Promise<Popularity> {
  const tops = TOP.map(
    (share, k) => `SUM(ratings) FILTER (WHERE place <= CEIL(${share} * n)) / SUM(ratings) AS top_${k}`,
  );
  const row = await database.row(
    `SELECT
       2 * SUM((n + 1 - place) * ratings) / (MAX(n) * SUM(ratings)) - (MAX(n) + 1) / MAX(n) AS gini,
       ${tops.join(", ")}
     FROM (
       SELECT CAST(ratings AS DOUBLE) AS ratings, ROW_NUMBER() OVER (ORDER BY ratings DESC) AS place, COUNT(*) OVER () AS n
       FROM ${parquet(dataset.path("train/items.parquet"))}
     )`,
  );
  return {
    gini: row.gini as number,
    top: TOP.map((items, k) => ({ items, interactions: row[`top_${k}`] as number })),
  };
}

const MOST_VALUES = 20; // ratings on a scale have few values; others are counted in bins
const BINS = 10;

export async function ratingHistogram(database: Database, dataset: Dataset): Promise<Bar[]> {
  const { least, most } = dataset.manifest.ratings;
  const from = parquet(dataset.path("train/interactions.parquet"));
  const values = await database.rows<{ rating: number; count: number }>(
    `SELECT rating, COUNT(*) AS count FROM ${from} GROUP BY rating ORDER BY COUNT(*) DESC LIMIT ${MOST_VALUES + 1}`,
  );
  if (values.length <= MOST_VALUES) {
    return values.map(({ rating, count }) => ({ from: rating, to: rating, count })).sort((a, b) => a.from - b.from);
  }
  const width = (most - least) / BINS;
  const counts = await database.rows<{ bin: number; count: number }>(
    `SELECT LEAST(CAST(FLOOR((rating - (${least})) / ${width}) AS INTEGER), ${BINS - 1}) AS bin, COUNT(*) AS count
     FROM ${from} GROUP BY 1`,
  );
  const found = new Map(counts.map(({ bin, count }) => [bin, count]));
  return Array.from({ length: BINS }, (_, bin) => ({
    from: least + bin * width,
    to: bin === BINS - 1 ? most : least + (bin + 1) * width,
    count: found.get(bin) ?? 0,
  }));
}

export async function rejectSummary(database: Database, dataset: Dataset): Promise<RejectSummary> {
  const from = parquet(dataset.path("rejects.parquet"));
  const { total } = await database.row<{ total: number }>(`SELECT COUNT(*) AS total FROM ${from}`);
  // Some reasons end with the value they are about; without it there are few of them.
  const reasons = await database.rows<RejectSummary["reasons"][number]>(
    `SELECT source, "column", REGEXP_REPLACE(reason, ', got .*$', '') AS reason, effect, COUNT(*) AS count
     FROM ${from} GROUP BY 1, 2, 3, 4 ORDER BY count DESC, source, "column", reason LIMIT 10`,
  );
  const first = await database.rows<RejectSummary["first"][number]>(
    `SELECT file, line, "column", reason, value FROM ${from} ORDER BY source, file, line, "column", reason LIMIT 5`,
  );
  return { total, reasons, first };
}
