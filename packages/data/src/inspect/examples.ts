// A few items to look at: whether titles are titles and columns are where they belong is seen at a glance.
import { type Database, identifier } from "../database.ts";
import type { Dataset } from "../dataset/open.ts";
import { parquet } from "../dataset/read.ts";
import { fieldName } from "../prepare/read.ts";
import type { ExampleItem } from "./inspection.ts";

export async function exampleItems(database: Database, dataset: Dataset): Promise<ExampleItem[]> {
  const items = parquet(dataset.path("items.parquet"));
  const statistics = parquet(dataset.path("train/items.parquet"));
  const { counts, columns } = dataset.manifest;
  const byPopularity = (offset: number) =>
    `SELECT item_index FROM ${statistics} ORDER BY ratings DESC, item_index LIMIT 1 OFFSET ${offset}`;
  const first = (condition: string) => `SELECT MIN(item_index) FROM ${items} WHERE ${condition}`;
  const wanted = [
    { why: "the most popular", which: byPopularity(0) },
    { why: "of middling popularity", which: byPopularity(Math.floor(counts.training.items / 2)) },
    { why: "for test", which: first("role = 'test'") },
    { why: "not described by any file", which: first("NOT described") },
  ];
  const fields = columns.items?.fields ?? [];
  const list = fields.map((field, k) => `, ${identifier(fieldName(field))} AS cell_${k}`).join("");
  const examples: ExampleItem[] = [];
  for (const { why, which } of wanted) {
    const [row] = await database.rows(
      `SELECT items.item_id, items.role, COALESCE(statistics.ratings, 0) AS interactions${list}
       FROM ${items} AS items LEFT JOIN ${statistics} AS statistics ON statistics.item_index = items.item_index
       WHERE items.item_index = (${which})`,
    );
    if (!row || examples.some(({ id }) => id === row.item_id)) continue;
    examples.push({
      why,
      id: row.item_id as string,
      role: row.role as string,
      interactions: row.interactions as number,
      fields: Object.fromEntries(fields.map((field, k) => [field, row[`cell_${k}`] as string | null])),
    });
  }
  return examples;
}
