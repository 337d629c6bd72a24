// What Spark would be asked, and command lines that make no sense. Spark itself is in test/spark.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { writeTinyModel } from "../testing/model-folder.ts";
import { run } from "../testing/run.ts";

let root: string;
const at = (name: string) => join(root, name);
beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), "nearkin-on-spark-"));
  await writeTinyModel(at("model"));
  writeFileSync(at("users.jsonl"), "");
  mkdirSync(at("there"));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

async function said(...args: string[]): Promise<string> {
  const { out, err } = await run("personalize", at("model"), ...args);
  return `${out}${err}`.replaceAll(root, "…").replaceAll(/\S+(?=\/cli\/dist\/)/g, "…");
}

const spark = (...args: string[]) => said("--engine", "spark", ...args);

test("--dry-run prints the command and the script for lines of JSON", async () => {
  expect(
    await spark(
      "--in",
      at("users.jsonl"),
      "--out",
      "s3a://b/it's",
      "--master",
      "yarn",
      "--partitions",
      "9",
      "--dry-run",
    ),
  ).toMatchInlineSnapshot(`
    "-- 1. the model, which travels with the job:
    --      tar -cf nearkin-model.tar -C …/model weights.safetensors items.safetensors transforms.safetensors catalogue.json model.json
    -- 2. this script, saved as personalize.sql:
    --      spark-sql --master yarn --name 'nearkin personalize' --conf spark.sql.session.timeZone=UTC --conf spark.sql.ansi.enabled=true --conf spark.sql.caseSensitive=true --conf spark.sql.catalogImplementation=in-memory --conf spark.sql.parquet.compression.codec=zstd --conf spark.sql.files.ignoreCorruptFiles=false --conf spark.sql.files.ignoreMissingFiles=false --conf spark.sql.variable.substitute=false --conf spark.ui.showConsoleProgress=true --conf spark.sql.warehouse.dir=warehouse --conf spark.sql.parquet.inferTimestampNTZ.enabled=false --files …/cli/dist/nearkin-personalize.mjs --archives 'nearkin-model.tar#nearkin-model' -f personalize.sql

    CREATE TEMPORARY VIEW texts USING text OPTIONS (path '…/users.jsonl', lineSep '\\n');

    CREATE TEMPORARY VIEW lines AS
    SELECT /*+ REPARTITION(9) */ regexp_replace(value, '^\\\\uFEFF', '') AS line
    FROM texts
    WHERE trim(value) <> '';

    CREATE TEMPORARY VIEW asked AS SELECT * FROM lines;

    CREATE TEMPORARY VIEW bad_rows AS
    SELECT CAST(NULL AS STRING) AS user_id, CAST(NULL AS STRING) AS problem WHERE false;

    CREATE TEMPORARY VIEW answers AS
    SELECT from_json(answer, 'user STRING, weights MAP<STRING, DOUBLE>, popularity DOUBLE, items INT, used INT, iterations INT, before DOUBLE, after DOUBLE, kept STRING, error STRUCT<code: STRING, message: STRING>', map('mode', 'FAILFAST')) AS answer
    FROM (
      SELECT TRANSFORM (line)
        ROW FORMAT DELIMITED FIELDS TERMINATED BY '\\t' LINES TERMINATED BY '\\n'
        USING 'node nearkin-personalize.mjs nearkin-model || { status=$?; while read -r _; do :; done; exit $status; }' AS (answer STRING)
        ROW FORMAT DELIMITED FIELDS TERMINATED BY '\\t' LINES TERMINATED BY '\\n'
      FROM lines
    );

    CREATE TABLE users USING parquet LOCATION 's3a://b/it\\'s/users' AS
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
        'weight.title', try_element_at(answer.weights, 'title'),
        'weight.plot', try_element_at(answer.weights, 'plot'),
        'weight.poster', try_element_at(answer.weights, 'poster'),
        'weight.genres', try_element_at(answer.weights, 'genres'),
        'weight.year', try_element_at(answer.weights, 'year'),
        'weight.released', try_element_at(answer.weights, 'released'),
        'weight.place', try_element_at(answer.weights, 'place'),
        'weight.identity', try_element_at(answer.weights, 'identity')) AS weights
      FROM answers
    );

    CREATE TABLE rejects USING parquet LOCATION 's3a://b/it\\'s/rejects' AS
    SELECT
      user_id,
      substring_index(error, ': ', 1) AS code,
      substring(error, length(substring_index(error, ': ', 1)) + 3) AS message,
      CAST(NULL AS BIGINT) AS \`rows\`
    FROM IDENTIFIER('parquet.\`s3a://b/it\\'s/users\`')
    WHERE error IS NOT NULL
    UNION ALL
    SELECT user_id, 'BAD_VALUE' AS code, concat('rows left out: ', problem) AS message, count(*) AS \`rows\`
    FROM bad_rows
    GROUP BY user_id, problem;

    SELECT concat('nearkin-summary ', to_json(named_struct(
      'asked', (SELECT count(*) FROM asked), 'users', count(*), 'kept', count(kept), 'refused', count(error), 'items', coalesce(sum(items), 0),
      'rows', (SELECT coalesce(sum(\`rows\`), 0) FROM IDENTIFIER('parquet.\`s3a://b/it\\'s/rejects\`')))))
    FROM IDENTIFIER('parquet.\`s3a://b/it\\'s/users\`');
    "
  `);
});

test("… and for a table of interactions, with columns of any name, on executors that have Nearkin", async () => {
  const columns = ["--user-column", "the `who`", "--rating-column", "none", "--time-column", "at"];
  const executors = ["--executor-command", "/opt/nearkin/bin/nearkin personalize", "--force"];
  expect(
    await spark("--in", "s3a://b/events.parquet", "--out", "s3a://b/m", ...columns, ...executors, "--dry-run"),
  ).toMatchInlineSnapshot(`
    "-- 1. the model, which travels with the job:
    --      tar -cf nearkin-model.tar -C …/model weights.safetensors items.safetensors transforms.safetensors catalogue.json model.json
    -- 2. this script, saved as personalize.sql:
    --      spark-sql --name 'nearkin personalize' --conf spark.sql.session.timeZone=UTC --conf spark.sql.ansi.enabled=true --conf spark.sql.caseSensitive=true --conf spark.sql.catalogImplementation=in-memory --conf spark.sql.parquet.compression.codec=zstd --conf spark.sql.files.ignoreCorruptFiles=false --conf spark.sql.files.ignoreMissingFiles=false --conf spark.sql.variable.substitute=false --conf spark.ui.showConsoleProgress=true --conf spark.sql.warehouse.dir=warehouse --conf spark.sql.parquet.inferTimestampNTZ.enabled=false --archives 'nearkin-model.tar#nearkin-model' -f personalize.sql

    -- What the steps use and Spark calls otherwise, or does more loosely than DuckDB: see duckdb.sql.

    -- A decimal number, or NULL. Spark alone would read 1d and 1f, and hexadecimal numbers.
    CREATE OR REPLACE TEMPORARY FUNCTION parse_number(cell STRING) RETURNS DOUBLE RETURN
      CASE
        WHEN cell RLIKE '^\\\\s*[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]+)?\\\\s*$' THEN TRY_CAST(cell AS DOUBLE)
        WHEN LOWER(TRIM(cell)) RLIKE '^[+-]?(nan|inf|infinity)$' THEN DOUBLE('NaN')
      END;

    -- Bytes of a text.
    CREATE OR REPLACE TEMPORARY FUNCTION byte_length(cell STRING) RETURNS INT RETURN OCTET_LENGTH(cell);

    -- Seconds since 1970 of an ISO 8601 time (UTC where it names no zone), or NULL. Spark alone knows no 24:00, which is 00:00 of the next day.
    CREATE OR REPLACE TEMPORARY FUNCTION parse_iso_seconds(cell STRING) RETURNS BIGINT RETURN
      CASE
        WHEN cell RLIKE '^ *[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}([T ][0-9]{1,2}:[0-9]{1,2}(:[0-9]{1,2}([.][0-9]+)?)?(Z| UTC|[+-](0[0-9]|1[0-5])(:?[0-5][0-9])?)?)? *\\\\z'
        THEN CAST(FLOOR(UNIX_MICROS(TRY_CAST(REGEXP_REPLACE(TRIM(cell), '([T ])24(:00(:00([.]0+)?)?)', '$100$2') AS TIMESTAMP)) / 1000000.0) AS BIGINT)
          + CASE WHEN cell RLIKE '[T ]24:00' THEN 86400 ELSE 0 END
      END;

    -- A whole number in [0, 2³²) from the first eight hexadecimal digits of md5: the only source of chance in SQL.
    CREATE OR REPLACE TEMPORARY FUNCTION md5_number(cell STRING) RETURNS BIGINT RETURN
      CAST(CONV(SUBSTR(MD5(CAST(cell AS BINARY)), 1, 8), 16, 10) AS BIGINT);

    CREATE TEMPORARY VIEW checked AS
    SELECT
      user_id, item_id, rating, time,
      CASE
        WHEN user_id IS NULL OR user_id = '' THEN 'empty user id'
        WHEN item_id IS NULL OR item_id = '' THEN 'empty item id'
        WHEN byte_length(user_id) > 512 THEN 'user id longer than 512 bytes'
        WHEN byte_length(item_id) > 512 THEN 'item id longer than 512 bytes'
        WHEN time IS NULL THEN 'time is empty or not readable'
      END AS problem
    FROM (
      SELECT
        user_id, item_id, CAST(NULL AS DOUBLE) AS rating,
        CASE
          WHEN abs(number) < 1e11 THEN CAST(floor(number) AS BIGINT)
          WHEN abs(number) < 1e14 THEN CAST(floor(number / 1e3) AS BIGINT)
          WHEN abs(number) < 1e17 THEN CAST(floor(number / 1e6) AS BIGINT)
          WHEN abs(number) < 1e20 THEN CAST(floor(number / 1e9) AS BIGINT)
          WHEN number IS NULL THEN parse_iso_seconds(time)
        END AS time
      FROM (SELECT *, parse_number(time) AS number FROM (
        SELECT CAST(IDENTIFIER('\`the \`\`who\`\`\`') AS STRING) AS user_id, CAST(IDENTIFIER('\`item\`') AS STRING) AS item_id, CAST(NULL AS STRING) AS rating, CAST(IDENTIFIER('\`at\`') AS STRING) AS time
        FROM IDENTIFIER('parquet.\`s3a://b/events.parquet\`')
      ))
    );

    CREATE TEMPORARY VIEW bad_rows AS
    SELECT user_id, problem FROM checked WHERE problem IS NOT NULL;

    CREATE TEMPORARY VIEW asked AS
    SELECT DISTINCT user_id FROM checked WHERE problem IS NULL;

    CREATE TEMPORARY VIEW met AS
    SELECT user_id, item_id, max(struct(time, rating)) AS last
    FROM (
      SELECT /*+ REPARTITION(user_id) */ user_id, item_id, rating, time
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
    GROUP BY user_id;

    CREATE TEMPORARY VIEW answers AS
    SELECT from_json(answer, 'user STRING, weights MAP<STRING, DOUBLE>, popularity DOUBLE, items INT, used INT, iterations INT, before DOUBLE, after DOUBLE, kept STRING, error STRUCT<code: STRING, message: STRING>', map('mode', 'FAILFAST')) AS answer
    FROM (
      SELECT TRANSFORM (line)
        ROW FORMAT DELIMITED FIELDS TERMINATED BY '\\t' LINES TERMINATED BY '\\n'
        USING '/opt/nearkin/bin/nearkin personalize nearkin-model --in - --out - --engine wasm --workers 1 --skip-unknown || { status=$?; while read -r _; do :; done; exit $status; }' AS (answer STRING)
        ROW FORMAT DELIMITED FIELDS TERMINATED BY '\\t' LINES TERMINATED BY '\\n'
      FROM lines
    );

    INSERT OVERWRITE DIRECTORY 's3a://b/m/users' USING parquet
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
        'weight.title', try_element_at(answer.weights, 'title'),
        'weight.plot', try_element_at(answer.weights, 'plot'),
        'weight.poster', try_element_at(answer.weights, 'poster'),
        'weight.genres', try_element_at(answer.weights, 'genres'),
        'weight.year', try_element_at(answer.weights, 'year'),
        'weight.released', try_element_at(answer.weights, 'released'),
        'weight.place', try_element_at(answer.weights, 'place'),
        'weight.identity', try_element_at(answer.weights, 'identity')) AS weights
      FROM answers
    );

    INSERT OVERWRITE DIRECTORY 's3a://b/m/rejects' USING parquet
    SELECT
      user_id,
      substring_index(error, ': ', 1) AS code,
      substring(error, length(substring_index(error, ': ', 1)) + 3) AS message,
      CAST(NULL AS BIGINT) AS \`rows\`
    FROM IDENTIFIER('parquet.\`s3a://b/m/users\`')
    WHERE error IS NOT NULL
    UNION ALL
    SELECT user_id, 'BAD_VALUE' AS code, concat('rows left out: ', problem) AS message, count(*) AS \`rows\`
    FROM bad_rows
    GROUP BY user_id, problem;

    SELECT concat('nearkin-summary ', to_json(named_struct(
      'asked', (SELECT count(*) FROM asked), 'users', count(*), 'kept', count(kept), 'refused', count(error), 'items', coalesce(sum(items), 0),
      'rows', (SELECT coalesce(sum(\`rows\`), 0) FROM IDENTIFIER('parquet.\`s3a://b/m/rejects\`')))))
    FROM IDENTIFIER('parquet.\`s3a://b/m/users\`');
    "
  `);
});

test("command lines that make no sense say what to do", async () => {
  const to = ["--out", at("new")];
  expect([
    await said("--in", at("users.jsonl"), "--master", "yarn"),
    await said("--in", at("users.jsonl"), "--conf", "a=b"),
    await spark(...to),
    await spark("--dataset", at("there"), ...to),
    await spark("--dataset", at("d"), "--in", at("users.jsonl"), ...to),
    await spark("--in", at("users.jsonl"), ...to, "--jobs", "2"),
    await spark("--in", "-", "--format", "lines", ...to),
    await spark("--in", at("nowhere.jsonl"), ...to),
    await spark("--in", at("there"), ...to),
    await spark("--in", at("users.jsonl"), "--user-column", "who", ...to),
    await spark("--in", at("users.jsonl")),
    await spark("--in", at("users.jsonl"), "--out", at("there")),
  ]).toMatchInlineSnapshot(`
    [
      "BAD_ARGUMENT: --master is for --engine spark; add it, or leave --master out
    ",
      "BAD_ARGUMENT: --conf is for --engine spark; add it, or leave --conf out
    ",
      "BAD_ARGUMENT: name either --dataset or --in; see nearkin personalize --help
    ",
      "BAD_DATASET: …/there has no dataset.json, so it is no dataset; expected the folder that nearkin prepare wrote
    ",
      "BAD_ARGUMENT: name either --dataset or --in; see nearkin personalize --help
    ",
      "BAD_ARGUMENT: --jobs is not for --engine spark; leave it out
    ",
      "BAD_ARGUMENT: --in: Spark reads files; name a path that every worker sees, or s3a://…
    ",
      "BAD_ARGUMENT: --in: there is no …/nowhere.jsonl
    ",
      "BAD_ARGUMENT: --format: …/there does not say by its name what it is; add --format lines or --format parquet
    ",
      "BAD_ARGUMENT: …/users.jsonl has no columns to name; for a table add --format parquet
    ",
      "BAD_ARGUMENT: --out: name a folder to write, or s3a://…
    ",
      "BAD_ARGUMENT: --out: …/there is there; name another folder, or replace it, when all is done, with --force
    ",
    ]
  `);
});
