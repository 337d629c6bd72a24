// The columns of Parquet files as the files themselves describe them: DuckDB gives a table over all of them, others read each by itself.
import { type Database, literalPath } from "../database.ts";
import type { SourceFile } from "./files.ts";

export interface ParquetColumn {
  name: string;
  /** As the format calls it, such as INT64 TIMESTAMP_MICROS; that of a nested column begins with its parts in brackets. */
  type: string;
}

/** The columns of each file, in the order of the files. */
export async function parquetColumns(database: Database, files: readonly SourceFile[]): Promise<ParquetColumn[][]> {
  const tables: ParquetColumn[][] = [];
  for (const { path } of files) {
    const [root, ...fields] = await database.rows<Field>(
      `SELECT name, type, num_children AS parts, CONCAT_WS(' ', type, converted_type, logical_type) AS description
       FROM parquet_schema(${literalPath(path)})`,
    );
    tables.push(takeColumns(fields, root.parts ?? 0));
  }
  return tables;
}

type Field = { name: string; type: string | null; parts: number | null; description: string };

/** A schema is written as one list: a field, then the fields that are part of it. */
function takeColumns(fields: Field[], count: number): ParquetColumn[] {
  return Array.from({ length: count }, () => {
    const { name, parts, description } = fields.shift() as Field;
    if (!parts) return { name, type: description };
    const nested = takeColumns(fields, parts).map(({ type }) => type);
    return { name, type: `(${nested.join(", ")}) ${description}` };
  });
}
