// The first steps: the files as DuckDB reads them become checked tables, and what is no record at all is kept as `damaged`.
import { NearkinError } from "@nearkin/core";
import type { ChannelConfig, Config } from "../config/schema.ts";
import { type Database, identifier, quote } from "../database.ts";
import { checkColumn, optionalColumn, requireColumn } from "../sources/detect.ts";
import { isUrl, listFiles, type SourceFile } from "../sources/files.ts";
import { explainReadError, openRelation, type Relation } from "../sources/relation.ts";
import { sqlStep } from "./sql.ts";

export interface InteractionSource {
  relation: Relation;
  columns: { user: string; item: string; rating: string | undefined; time: string | undefined };
}

export interface ItemSource {
  relation: Relation;
  columns: { item: string; title: string | undefined };
  /** Columns kept, in order; `field_<k>` in the tables. */
  fields: readonly string[];
}

export interface Sources {
  interactions: InteractionSource;
  items: ItemSource | undefined;
}

/** Opens the files and settles which column is what. `folder` is where relative names start. */
export async function openSources(database: Database, config: Config, folder: string): Promise<Sources> {
  return {
    interactions: await openInteractions(database, config, folder),
    items: await openItems(database, config, folder),
  };
}

async function openInteractions(database: Database, config: Config, folder: string): Promise<InteractionSource> {
  const { columns } = config.interactions;
  if ([config.interactions.files].flat().some(isUrl)) return remoteInteractions(config);
  const files = await listFiles(database, config.interactions, folder, "interactions");
  const relation = await openRelation(database, config.interactions, files, "interactions");
  return {
    relation,
    columns: {
      user: requireColumn("user", columns.user, relation.columns, "interactions"),
      item: requireColumn("item", columns.item, relation.columns, "interactions"),
      rating: optionalColumn("rating", columns.rating, relation.columns, "interactions"),
      time: optionalColumn("time", columns.time, relation.columns, "interactions"),
    },
  };
}

/** Interactions that only a cluster reaches: Parquet, and nothing can be looked up. */
function remoteInteractions({ interactions }: Config): InteractionSource {
  const { user, item, rating, time } = interactions.columns;
  const { format = "parquet" } = interactions;
  if (format !== "parquet") {
    throw new NearkinError(
      "BAD_SOURCE",
      `interactions: at a URL only Parquet is read, not ${format}; convert it first`,
    );
  }
  if (user === undefined || item === undefined || rating === undefined || time === undefined) {
    throw new NearkinError(
      "BAD_CONFIG",
      "interactions: the columns of a table at a URL are not looked up: name all four under interactions.columns (user, item, rating, time; rating: null where there is none)",
    );
  }
  const relation: Relation = { format, files: [], columns: [], layout: undefined, read: () => "" };
  return { relation, columns: { user, item, rating: rating ?? undefined, time: time ?? undefined } };
}

async function openItems(database: Database, config: Config, folder: string): Promise<ItemSource | undefined> {
  if (!config.items) {
    for (const [name, channel] of Object.entries(config.channels)) {
      if (channelColumns(channel).length > 0) {
        throw new NearkinError(
          "BAD_CONFIG",
          `channels.${name} needs a column of the items, but there is no items section`,
        );
      }
    }
    return undefined;
  }
  if ([config.items.files].flat().some(isUrl)) {
    throw new NearkinError("BAD_SOURCE", "items: they are read on this machine; copy them here, and name the copy");
  }
  const files = await listFiles(database, config.items, folder, "items");
  const relation = await openRelation(database, config.items, files, "items");
  const item = requireColumn("item", config.items.columns.item, relation.columns, "items");
  const title = optionalColumn("title", config.items.columns.title, relation.columns, "items");
  const fields = new Set<string>(title === undefined ? [] : [title]);
  for (const [name, channel] of Object.entries(config.channels)) {
    for (const column of channelColumns(channel)) {
      fields.add(checkColumn(column, relation.columns, `channels.${name}`));
    }
  }
  for (const column of config.items.fields) fields.add(checkColumn(column, relation.columns, "items.fields"));
  checkFieldNames([...fields]);
  return { relation, columns: { item, title }, fields: [...fields] };
}

/** The item columns a channel reads. */
export function channelColumns(channel: ChannelConfig): string[] {
  switch (channel.type) {
    case "number":
    case "date":
      return [channel.column];
    case "text":
      return [channel.column, ...(channel.key === undefined ? [] : [channel.key])];
    case "categories":
      return channel.flags ?? [channel.column as string];
    case "vector":
      return [channel.column, channel.key].filter((column) => column !== undefined);
    case "geo":
      return [channel.latitude, channel.longitude];
    case "identity":
      return [];
  }
}

/** Makes the view raw_interactions, runs `take`, which reads it once, and keeps as `damaged` the records that could not be taken apart. */
export async function readInteractions(database: Database, source: InteractionSource, take: string): Promise<void> {
  const { relation, columns } = source;
  const aliases: Record<string, string> = { user_id: columns.user, item_id: columns.item };
  if (columns.rating !== undefined) aliases.rating = columns.rating;
  if (columns.time !== undefined) aliases.time = columns.time;
  const missing = ["rating", "time"]
    .filter((name) => !(name in aliases))
    .map((name) => `, CAST(NULL AS VARCHAR) AS ${name}`);
  await forgetRejects(database);
  await database.run(
    `CREATE OR REPLACE TEMP VIEW raw_interactions AS SELECT *${missing.join("")} FROM (${relation.read(aliases)})`,
  );
  await database.run(take).catch(explainReadError("interactions", relation));
  await makeDamaged(database);
  await keepRejects(database, "interactions", relation);
}

/** A table for records that are none. */
export async function makeDamaged(database: Database): Promise<void> {
  await database.run(
    "CREATE TABLE damaged (source VARCHAR, file INTEGER, byte BIGINT, column_name VARCHAR, reason VARCHAR, value VARCHAR)",
  );
}

/** read_items, as they are; an empty table where there is no item file. */
export async function readItems(database: Database, source: ItemSource | undefined): Promise<void> {
  const columns = source ? { item_id: source.columns.item, ...fieldAliases(source.fields) } : {};
  await forgetRejects(database);
  const read = database.run(
    source
      ? `CREATE TABLE read_items AS ${source.relation.read(columns)}`
      : "CREATE TABLE read_items (file INTEGER, damage VARCHAR, item_id VARCHAR)",
  );
  await (source ? read.catch(explainReadError("items", source.relation)) : read);
  if (source) await keepRejects(database, "items", source.relation);
}

/** checked_items, rejected_rows and source_files. A step of its own: DuckDB's row ids are final once a table is committed. */
export async function checkRows(database: Database): Promise<void> {
  await database.run("CREATE VIEW numbered_interactions AS SELECT rowid AS row_number, * FROM checked_interactions");
  await database.run("CREATE VIEW numbered_items AS SELECT rowid AS row_number, * FROM read_items");
  await database.run(sqlStep("clean-items"));
  await database.run(sqlStep("check"));
}

/** field_1 → the first column, and so on: a file may call its columns what it likes. */
function fieldAliases(fields: readonly string[]): Record<string, string> {
  return Object.fromEntries(fields.map((name, k) => [`field_${k + 1}`, name]));
}

async function forgetRejects(database: Database): Promise<void> {
  await database.run("DROP TABLE IF EXISTS temp.reject_errors; DROP TABLE IF EXISTS temp.reject_scans");
}

/** Moves what the CSV reader could not take apart to `damaged`: one row per record, its first problem. */
async function keepRejects(database: Database, source: string, { files }: Relation): Promise<void> {
  const [{ found }] = await database.rows<{ found: number }>(
    "SELECT COUNT(*) AS found FROM duckdb_tables() WHERE table_name = 'reject_errors'",
  );
  if (found === 0) return;
  await database.run(
    `INSERT INTO damaged
     SELECT ${quote(source)}, list_position([${files.map((file) => quote(file.path)).join(", ")}], file_path) - 1, byte, column_name, reason, value FROM (
       SELECT
         scans.file_path, errors.line_byte_position + CASE WHEN STARTS_WITH(errors.csv_line, CHR(10)) THEN 1 ELSE 0 END AS byte, errors.column_name,
         CASE CAST(errors.error_type AS VARCHAR)
           WHEN 'MISSING COLUMNS' THEN 'too few cells in this row'
           WHEN 'TOO MANY COLUMNS' THEN 'too many cells in this row'
           WHEN 'UNQUOTED VALUE' THEN 'a quote is not closed'
           WHEN 'LINE SIZE OVER MAXIMUM' THEN 'the row is longer than 4 MB'
           WHEN 'INVALID ENCODING' THEN 'not valid in the encoding of the file'
           ELSE errors.error_message
         END AS reason,
         SUBSTR(LTRIM(errors.csv_line, CHR(10)), 1, 200) AS value,
         ROW_NUMBER() OVER (PARTITION BY scans.file_path, errors.line_byte_position ORDER BY errors.column_idx, errors.error_message) AS nth
       FROM reject_errors AS errors
       JOIN (SELECT DISTINCT scan_id, file_id, file_path FROM reject_scans) AS scans
         ON scans.scan_id = errors.scan_id AND scans.file_id = errors.file_id
     ) WHERE nth = 1`,
  );
  await forgetRejects(database);
}

/** How the files of both sources are known, for the manifest and for reject reports. */
export function sourceFiles({ interactions, items }: Sources): SourceFile[] {
  return [...interactions.relation.files, ...(items?.relation.files ?? [])];
}

/** Parquet columns are told apart without regard to case. */
function checkFieldNames(fields: readonly string[]): void {
  const seen = new Map<string, string>();
  for (const field of fields) {
    const name = fieldName(field).toLowerCase();
    const other = seen.get(name);
    if (other !== undefined) {
      throw new NearkinError(
        "BAD_SOURCE",
        `items: the columns ${other} and ${field} would have one name in the catalogue; rename one`,
      );
    }
    seen.set(name, field);
  }
}

/** The name of a catalogue column in Parquet: the file's own, unless it is one of ours. */
export function fieldName(field: string): string {
  return ["item_index", "item_id", "role", "described"].includes(field.toLowerCase()) ? `field.${field}` : field;
}

/** `, field_1 AS "title"` …, for the catalogue. */
export function fieldColumns(fields: readonly string[], prefix = ""): string {
  return fields.map((name, k) => `, ${prefix}field_${k + 1} AS ${identifier(fieldName(name))}`).join("");
}
