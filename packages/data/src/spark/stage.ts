// What Spark does not read as DuckDB does is read by DuckDB, once, and put beside Spark's tables as Parquet, every cell as text: the items,
// and interactions that are not Parquet, or Parquet of another kind than both take alike (in-place.ts). What is no record at all is found here too.
import { rmSync } from "node:fs";
import { type Database, quote } from "../database.ts";
import { makeDamaged, readInteractions, readItems, type Sources, sourceFiles } from "../prepare/read.ts";
import { writeTable } from "../prepare/tables.ts";
import type { SourceFile } from "../sources/files.ts";
import { INPUTS, inputsKey } from "./made-for.ts";

export const INTERACTIONS = "interactions.parquet";
export const ITEMS = "items.parquet";
export const DAMAGED = "damaged.parquet";

interface Staged extends Sources {
  /** Whether Spark reads the interactions where they are. */
  isInPlace: boolean;
}

/** The files that are staged. */
export const stagedFiles = ({ isInPlace, interactions, items }: Staged): readonly SourceFile[] =>
  isInPlace ? (items?.relation.files ?? []) : sourceFiles({ interactions, items });

/**
 * Writes interactions.parquet, items.parquet and damaged.parquet: one file each, in the order of the rows, which number them; then what they are of.
 * Returns their names in that order.
 */
export async function stageSources(
  database: Database,
  { isInPlace, ...sources }: Staged,
  path: (name: string) => string,
): Promise<string[]> {
  rmSync(path(INPUTS), { force: true });
  if (isInPlace) await makeDamaged(database);
  else {
    const cells = "SELECT file, damage, user_id, item_id, rating, time FROM raw_interactions";
    await readInteractions(database, sources.interactions, writeTable(cells, path(INTERACTIONS)));
  }
  await readItems(database, sources.items);
  await database.run(writeTable("SELECT * FROM read_items", path(ITEMS)));
  await database.run(writeTable("SELECT * FROM damaged", path(DAMAGED)));
  await database.run("DROP TABLE read_items; DROP TABLE damaged");
  const inputs = quote(await inputsKey(stagedFiles({ isInPlace, ...sources })));
  await database.run(writeTable(`SELECT ${inputs} AS inputs`, path(INPUTS)));
  return [...(isInPlace ? [] : [INTERACTIONS]), ITEMS, DAMAGED, INPUTS];
}
