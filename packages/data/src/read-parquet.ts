// A small Parquet file as rows: a history, a table of neighbours. What is large is read column by column (database.ts).
import { tmpdir } from "node:os";
import { NearkinError } from "@nearkin/core";
import { Database, literalPath, type Row } from "./database.ts";

/**
 * The rows of a Parquet file as plain objects, in its order.
 *
 * @example
 * const history = await readParquet("models/films/history.parquet");
 */
export async function readParquet<T extends Row = Row>(path: string): Promise<T[]> {
  await using database = await Database.open(":memory:", { scratch: tmpdir() });
  try {
    return await database.rows<T>(`SELECT * FROM read_parquet(${literalPath(path)})`);
  } catch (cause) {
    throw new NearkinError("BAD_FILE", `${path}: ${(cause as Error).message.split("\n")[0]}`, { cause });
  }
}
