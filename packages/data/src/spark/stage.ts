// What Spark does not read as DuckDB does is read by DuckDB, once, and put beside Spark's tables as Parquet, every cell as text: the items,
// and interactions that are not Parquet, or Parquet of another kind than both take alike (in-place.ts). What is no record at all is found here too.
import type { Database } from "../database.ts";
import { makeDamaged, readInteractions, readItems, type Sources } from "../prepare/read.ts";
import { writeTable } from "../prepare/tables.ts";

/** Writes interactions.parquet, items.parquet and damaged.parquet: one file each, in the order of the rows, which number them. */
export async function stageSources(
  database: Database,
  { isInPlace, ...sources }: Sources & { isInPlace: boolean },
  path: (name: string) => string,
): Promise<void> {
  if (isInPlace) await makeDamaged(database);
  else {
    const cells = "SELECT file, damage, user_id, item_id, rating, time FROM raw_interactions";
    await readInteractions(database, sources.interactions, writeTable(cells, path("interactions.parquet")));
  }
  await readItems(database, sources.items);
  await database.run(writeTable("SELECT * FROM read_items", path("items.parquet")));
  await database.run(writeTable("SELECT * FROM damaged", path("damaged.parquet")));
  await database.run("DROP TABLE read_items; DROP TABLE damaged");
}
