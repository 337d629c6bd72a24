// Which interactions Spark reads where they are: Parquet of which it makes what DuckDB makes of it. All else is staged (stage.ts).
import { basename } from "node:path";
import type { Config } from "../config/schema.ts";
import type { Database } from "../database.ts";
import type { Sources } from "../prepare/read.ts";
import type { SourceFile } from "../sources/files.ts";
import { type ParquetColumn, parquetColumns } from "../sources/parquet-schema.ts";
import { exactly } from "./dialect.ts";

/** Patterns for the files, in their order; none where they are to be staged. */
export async function placesInSpark(
  database: Database,
  { config, sources }: { config: Pick<Config, "interactions">; sources: Pick<Sources, "interactions"> },
): Promise<string[]> {
  const { relation, columns } = sources.interactions;
  const { files, format } = relation;
  if (format !== "parquet") return [];
  if (files.length === 0) return [config.interactions.files].flat(); // at URLs: nothing is known of them
  if (!files.every(isSeenBySpark)) return [];
  const tables = await parquetColumns(database, files);
  const used = Object.values(columns).filter((name) => name !== undefined);
  const ids = [columns.user, columns.item];
  return areReadAlike(tables, used, ids) ? files.map(({ path }) => exactly(path)) : [];
}

/** Hadoop takes a colon for the end of a scheme, and files that begin so for its own. */
const isSeenBySpark = ({ path }: SourceFile) => !/^[_.]|:/.test(basename(path));

/** Types that Spark does not read at all, in any column of a file. */
const UNREAD = /UUID|TIME_|TimeType|NANOS=Nano|INTERVAL|Float16|Null|Variant|Geo/;

/** Types whose cells are the same text to Spark and to DuckDB. */
const SAME_TEXT = /^(BOOLEAN|INT32|INT64|INT96|FLOAT|DOUBLE|\w+ (UTF8|ENUM|DECIMAL)\b.*|BYTE_ARRAY StringType.*)/;

/** Java writes 1.2345678E7 where DuckDB writes 12345678.0: one number, but another id. */
const SAME_NUMBER_ONLY = /^(FLOAT|DOUBLE)/;

function areReadAlike(tables: readonly ParquetColumn[][], used: readonly string[], ids: readonly string[]): boolean {
  const [first] = tables;
  return tables.every((columns) => {
    const types = new Map(columns.map(({ name, type }) => [name.toLowerCase(), type]));
    const isPlain = types.size === columns.length && !columns.some(({ type }) => UNREAD.test(type));
    return isPlain && used.every((name) => isReadAlike(types.get(name.toLowerCase()) ?? "", name));
  });

  /** DuckDB reads the cells of every file as what they are in the first. */
  function isReadAlike(type: string, name: string): boolean {
    const expected = first.find((column) => column.name.toLowerCase() === name.toLowerCase())?.type;
    return type === expected && SAME_TEXT.test(type) && !(ids.includes(name) && SAME_NUMBER_ONLY.test(type));
  }
}
