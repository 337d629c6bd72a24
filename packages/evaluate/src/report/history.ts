import { existsSync } from "node:fs";
import { join } from "node:path";
import { readParquet } from "@nearkin/data";
import type { HistoryRow } from "@nearkin/train";

/** Rows of a model's history; undefined where its folder has none. */
export async function readHistory(folder: string): Promise<HistoryRow[] | undefined> {
  const path = join(folder, "history.parquet");
  return existsSync(path) ? readParquet(path) : undefined;
}
