// The figures of a dataset, from the tables of a run.
import type { Config } from "../config/schema.ts";
import type { Database } from "../database.ts";
import type { Manifest } from "../manifest.ts";
import type { Sources } from "./read.ts";
import type { Outcome } from "./steps.ts";

export function describeColumns({ interactions, items }: Sources): Manifest["columns"] {
  const { user, item, rating, time } = interactions.columns;
  return {
    interactions: { user, item, rating: rating ?? null, time: time ?? null },
    items: items ? { item: items.columns.item, title: items.columns.title ?? null, fields: [...items.fields] } : null,
  };
}

export async function summarise(
  database: Database,
  sources: Sources,
  config: Config,
  { rows, factors }: Outcome,
): Promise<Pick<Manifest, "counts" | "time" | "ratings">> {
  const number = async (sql: string) => (await database.row<{ n: number }>(`SELECT ${sql} AS n`)).n;
  const table = (name: string) => number(`(SELECT COUNT(*) FROM ${name})`);
  const duplicates = await number("(SELECT COALESCE(SUM(copies - 1), 0) FROM duplicated)");
  const roles = await countBy(database, "SELECT role, COUNT(*) AS n FROM catalogue GROUP BY role");
  const userRoles = await countBy(database, "SELECT role, COUNT(*) AS n FROM user_role GROUP BY role");
  const range = await database.row<{ earliest: number | null; latest: number | null; least: number; most: number }>(
    "SELECT MIN(time) AS earliest, MAX(time) AS latest, MIN(rating) AS least, MAX(rating) AS most FROM training",
  );
  return {
    counts: {
      interactionRows: rows.interactions.rows,
      rejectedInteractionRows: rows.interactions.rejected,
      itemRows: rows.items.rows,
      rejectedItemRows: rows.items.rejected,
      duplicates,
      users: await table("users"),
      items: await table("items"),
      describedItems: await number("(SELECT COUNT(*) FROM items WHERE described)"),
      interactions: rows.interactions.rows - rows.interactions.rejected - duplicates,
      training: {
        interactions: await table("training"),
        users: await table("user_statistics"),
        items: await table("item_statistics"),
        pairs: await table("pairs"),
        factors,
      },
      roles: { train: 0, validation: 0, test: 0, unseen: 0, ...roles },
      userRoles: { train: 0, validation: 0, test: 0, ...userRoles },
    },
    time: {
      kind: sources.interactions.columns.time === undefined ? "file order" : "seconds",
      trainingFrom: range.earliest,
      trainingTo: range.latest,
      cut: config.split.by === "time" ? await number("(SELECT time_limit FROM cut)") : null,
    },
    ratings: {
      kind: sources.interactions.columns.rating === undefined ? "implicit" : "explicit",
      mean: await number("(SELECT mean_rating FROM totals)"),
      least: range.least,
      most: range.most,
    },
  };
}

async function countBy(database: Database, sql: string): Promise<Record<string, number>> {
  const rows = await database.rows<{ role: string; n: number }>(sql);
  return Object.fromEntries(rows.map(({ role, n }) => [role, n]));
}
