// What Spark is asked: lines of users, each answered by the filter on the executor that has it, into two tables. Its TRANSFORM hands rows to a program
// line by line; JSON has neither tabs nor line ends of its own in it, so whatever stands in an id arrives as it was.
import { exactly, parquetAt, sparkColumn, sparkFunctions, sparkText } from "@nearkin/data";

/** What the columns of a table of interactions are called; null: there are no ratings. */
export interface InteractionColumns {
  readonly user: string;
  readonly item: string;
  readonly rating: string | null;
  readonly time: string;
}

/** Patterns of paths or addresses that Spark reads; of a dataset its folder. */
export type UserSource =
  /** Lines of JSON as the filter takes them. */
  | { readonly kind: "lines"; readonly path: string }
  /** Parquet with a row for each interaction. */
  | { readonly kind: "interactions"; readonly path: string; readonly columns: InteractionColumns }
  /** The training events of a dataset folder. */
  | { readonly kind: "dataset"; readonly path: string; readonly rated: boolean };

export interface PersonalizeScript {
  readonly source: UserSource;
  /** A path or address, for the folders users and rejects. */
  readonly out: string;
  /** Whether what is there may be replaced. */
  readonly replace: boolean;
  /** What every executor runs, in bash. */
  readonly command: string;
  /** Names of the model's channels. */
  readonly channels: readonly string[];
  /** How many processes the users are given to; Spark's own choice where it is not said. */
  readonly partitions?: number | undefined;
}

/** What goes before the line with the figures of a run. */
export const SUMMARY = "nearkin-summary ";

export interface PersonalizeSummary {
  /** Users that there are answers to be of. */
  asked: number;
  users: number;
  kept: number;
  refused: number;
  /** Of all users, as the model knows them. */
  items: number;
  /** Rows that could not be read. */
  rows: number;
}

/** Spark settings without which numbers or names would change on their way. */
export const SETTINGS: readonly string[] = [
  "spark.sql.caseSensitive=true", // two channels may differ in that alone
  "spark.sql.parquet.inferTimestampNTZ.enabled=false", // times without a zone are in UTC, as in prepare
];

export function personalizeSql(script: PersonalizeScript): string {
  const { source, out, channels, replace } = script;
  const users = `${out}/users`;
  const rejects = `${out}/rejects`;
  const weights = channels.map(
    (name) => `${sparkText(`weight.${name}`)}, try_element_at(answer.weights, ${sparkText(name)})`,
  );
  return `${source.kind === "lines" ? linesOfText(script, source.path) : linesOfInteractions(script, source)}

CREATE TEMPORARY VIEW answers AS
SELECT from_json(answer, ${sparkText(ANSWER)}, map('mode', 'FAILFAST')) AS answer
FROM (
  SELECT TRANSFORM (line)
    ROW FORMAT DELIMITED FIELDS TERMINATED BY '\\t' LINES TERMINATED BY '\\n'
    USING ${sparkText(script.command)} AS (answer STRING)
    ROW FORMAT DELIMITED FIELDS TERMINATED BY '\\t' LINES TERMINATED BY '\\n'
  FROM lines
);

${writing(users, "users", replace)}
SELECT
  answer.user AS user_id,
  weights.*,
  answer.popularity,
  answer.items,
  answer.used,
  answer.iterations,
  answer.before,
  answer.after,
  answer.kept,
  concat(answer.error.code, ': ', answer.error.message) AS error
FROM (
  SELECT answer, named_struct(
    ${weights.join(",\n    ")}) AS weights
  FROM answers
);

${writing(rejects, "rejects", replace)}
SELECT
  user_id,
  substring_index(error, ': ', 1) AS code,
  substring(error, length(substring_index(error, ': ', 1)) + 3) AS message,
  CAST(NULL AS BIGINT) AS \`rows\`
FROM ${parquetAt(exactly(users))}
WHERE error IS NOT NULL
UNION ALL
SELECT user_id, 'BAD_VALUE' AS code, concat('rows left out: ', problem) AS message, count(*) AS \`rows\`
FROM bad_rows
GROUP BY user_id, problem;

SELECT concat(${sparkText(SUMMARY)}, to_json(named_struct(
  'asked', (SELECT count(*) FROM asked), 'users', count(*), 'kept', count(kept), 'refused', count(error), 'items', coalesce(sum(items), 0),
  'rows', (SELECT coalesce(sum(\`rows\`), 0) FROM ${parquetAt(exactly(rejects))}))))
FROM ${parquetAt(exactly(users))};
`;
}

const ANSWER = [
  "user STRING",
  "weights MAP<STRING, DOUBLE>",
  "popularity DOUBLE",
  "items INT",
  "used INT",
  "iterations INT",
  "before DOUBLE",
  "after DOUBLE",
  "kept STRING",
  "error STRUCT<code: STRING, message: STRING>",
].join(", ");

/** Spark shows a table when it is whole: all files are moved to their place at the end, and then there is a file _SUCCESS. */
function writing(path: string, table: string, replace: boolean): string {
  if (replace) return `INSERT OVERWRITE DIRECTORY ${sparkText(path)} USING parquet`;
  return `CREATE TABLE ${table} USING parquet LOCATION ${sparkText(path)} AS`; // refuses a folder with anything in it
}

/** A byte-order mark may begin each of several files. */
function linesOfText({ partitions }: PersonalizeScript, path: string): string {
  return `CREATE TEMPORARY VIEW texts USING text OPTIONS (path ${sparkText(path)}, lineSep '\\n');

CREATE TEMPORARY VIEW lines AS
SELECT ${partitions === undefined ? "" : `/*+ REPARTITION(${partitions}) */ `}regexp_replace(value, '^\\\\uFEFF', '') AS line
FROM texts
WHERE trim(value) <> '';

CREATE TEMPORARY VIEW asked AS SELECT * FROM lines;

CREATE TEMPORARY VIEW bad_rows AS
SELECT CAST(NULL AS STRING) AS user_id, CAST(NULL AS STRING) AS problem WHERE false;`;
}

/**
 * The histories that prepare makes of the same rows: times in whole seconds; of several interactions with an item the last, at the same second the one with
 * the higher rating; the oldest first, ties by item.
 */
function linesOfInteractions(
  { partitions }: PersonalizeScript,
  source: Exclude<UserSource, { kind: "lines" }>,
): string {
  const hasRating = source.kind === "dataset" ? source.rated : source.columns.rating !== null;
  const badRating = `    WHEN rating IS NULL THEN 'rating is empty or not a number'
    WHEN NOT (rating >= -1e9 AND rating <= 1e9) THEN 'rating out of range'
`;
  return `${sparkFunctions()}
CREATE TEMPORARY VIEW checked AS
SELECT
  user_id, item_id, rating, time,
  CASE
    WHEN user_id IS NULL OR user_id = '' THEN 'empty user id'
    WHEN item_id IS NULL OR item_id = '' THEN 'empty item id'
    WHEN byte_length(user_id) > 512 THEN 'user id longer than 512 bytes'
    WHEN byte_length(item_id) > 512 THEN 'item id longer than 512 bytes'
${hasRating ? badRating : ""}    WHEN time IS NULL THEN 'time is empty or not readable'
  END AS problem
FROM (
  SELECT
    user_id, item_id, ${hasRating ? "parse_number(rating)" : "CAST(NULL AS DOUBLE)"} AS rating,
    CASE
      WHEN abs(number) < 1e11 THEN CAST(floor(number) AS BIGINT)
      WHEN abs(number) < 1e14 THEN CAST(floor(number / 1e3) AS BIGINT)
      WHEN abs(number) < 1e17 THEN CAST(floor(number / 1e6) AS BIGINT)
      WHEN abs(number) < 1e20 THEN CAST(floor(number / 1e9) AS BIGINT)
      WHEN number IS NULL THEN parse_iso_seconds(time)
    END AS time
  FROM (SELECT *, parse_number(time) AS number FROM (
${source.kind === "dataset" ? cellsOfDataset(source.path) : cellsOfTable(source.path, source.columns)}
  ))
);

CREATE TEMPORARY VIEW bad_rows AS
SELECT user_id, problem FROM checked WHERE problem IS NOT NULL;

CREATE TEMPORARY VIEW asked AS
SELECT DISTINCT user_id FROM checked WHERE problem IS NULL;

CREATE TEMPORARY VIEW met AS
SELECT user_id, item_id, max(struct(time, rating)) AS last
FROM (
  SELECT /*+ REPARTITION(${partitions === undefined ? "" : `${partitions}, `}user_id) */ user_id, item_id, rating, time
  FROM checked
  WHERE problem IS NULL
)
GROUP BY user_id, item_id;

CREATE TEMPORARY VIEW lines AS
SELECT to_json(named_struct(
  'user', user_id,
  'ratings', transform(
    array_sort(collect_list(struct(last.time AS time, item_id, CAST(last.rating AS FLOAT) AS rating))),
    one -> named_struct('item', one.item_id, 'rating', CAST(one.rating AS DOUBLE))))) AS line
FROM met
GROUP BY user_id;`;
}

/** Every cell as text, as prepare reads them. */
function cellsOfTable(path: string, { user, item, rating, time }: InteractionColumns): string {
  const cell = (column: string | null, name: string) =>
    `CAST(${column === null ? "NULL" : sparkColumn(column)} AS STRING) AS ${name}`;
  const cells = [cell(user, "user_id"), cell(item, "item_id"), cell(rating, "rating"), cell(time, "time")];
  return `    SELECT ${cells.join(", ")}
    FROM ${parquetAt(path)}`;
}

function cellsOfDataset(folder: string): string {
  return `    SELECT users.user_id, items.item_id, CAST(events.rating AS STRING) AS rating, CAST(events.time AS STRING) AS time
    FROM ${parquetAt(exactly(`${folder}/train/interactions.parquet`))} AS events
    JOIN ${parquetAt(exactly(`${folder}/users.parquet`))} AS users ON users.user_index = events.user_index
    JOIN ${parquetAt(exactly(`${folder}/items.parquet`))} AS items ON items.item_index = events.item_index`;
}
