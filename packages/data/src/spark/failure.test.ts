// Lines of Spark's log, as Spark 4.0 writes them, and what is made of them.
import { expect, test } from "vitest";
import { Failure } from "./failure.ts";

function said(...lines: string[]): string {
  const failure = new Failure();
  for (const line of lines) failure.look(line);
  const { code, message } = failure.error("spark.log", { master: "spark://host:7077" });
  return `${code}: ${message}`;
}

const lost = "26/11/16 15:33:01 WARN TaskSetManager: Lost task 0.0 in stage 8.0 (TID 7) (127.0.0.1 executor 0):";

test("what a program on an executor said, and a program that is not there", () => {
  const failed = `${lost} org.apache.spark.SparkException: Subprocess exited with status`;
  expect([
    said(`${failed} 1. Error: BAD_MODEL: nearkin-model: weights.safetensors is cut short`),
    said(`${failed} 137. Error: `),
    said(`${failed} 127. Error: /bin/bash: line 1: node: command not found`),
    said(`${failed} 127. Error: /bin/bash: line 1: /opt/node/bin/node: No such file or directory`),
    said(`${failed} 127. Error: env: /bin/bash: line 1: exec: node: not found`),
  ]).toMatchInlineSnapshot(`
    [
      "ENGINE_UNAVAILABLE: what the executors run ended with 1: BAD_MODEL: nearkin-model: weights.safetensors is cut short; Spark's log is spark.log",
      "ENGINE_UNAVAILABLE: what the executors run ended with 137: it said nothing; Spark's log is spark.log",
      "ENGINE_UNAVAILABLE: an executor has no node: every worker needs Node 20.19 or later on its PATH, or name it with --node; Spark's log is spark.log",
      "ENGINE_UNAVAILABLE: an executor has no /opt/node/bin/node: every worker needs Node 20.19 or later on its PATH, or name it with --node; Spark's log is spark.log",
      "ENGINE_UNAVAILABLE: an executor has no node: every worker needs Node 20.19 or later on its PATH, or name it with --node; Spark's log is spark.log",
    ]
  `);
});

test("places and columns", () => {
  expect([
    said(
      "CREATE-TABLE-AS-SELECT cannot create table with location to a non-empty directory s3a://b/it's/users. To allow overwriting the existing non-empty directory, set 'spark.sql.legacy.allowNonEmptyLocationInCTAS' to true.",
    ),
    said("[PATH_NOT_FOUND] Path does not exist: file:/no where.jsonl. SQLSTATE: 42K03"),
    said(
      "[UNRESOLVED_COLUMN.WITH_SUGGESTION] A column, variable, or function parameter with name `time` cannot be resolved. Did you mean one of the following? [`at`, `item`, `user`]. SQLSTATE: 42703; line 27 pos 95;",
    ),
    said("[PARQUET_TYPE_ILLEGAL] Illegal Parquet type: INT64 (TIMESTAMP(NANOS,false)). SQLSTATE: 42846"),
  ]).toMatchInlineSnapshot(`
    [
      "BAD_ARGUMENT: s3a://b/it's/users is there; name another place, or replace it with --force; Spark's log is spark.log",
      "BAD_SOURCE: Spark finds nothing at file:/no where.jsonl: every worker must be able to read it; Spark's log is spark.log",
      "BAD_SOURCE: the table has no column time (it has at, item, user); name the one that it has, under columns in nearkin.yaml or with a flag such as --user-column; Spark's log is spark.log",
      "BAD_SOURCE: Spark does not read Parquet with a column of the type INT64 (TIMESTAMP(NANOS,false)): write the table with another, such as microseconds for nanoseconds, or text; Spark's log is spark.log",
    ]
  `);
});

test("storage that Spark does not know, or that workers do not share", () => {
  expect([
    said("Caused by: java.lang.ClassNotFoundException: Class org.apache.hadoop.fs.s3a.S3AFileSystem not found"),
    said("java.lang.ClassNotFoundException: Class org.apache.hadoop.fs.azurebfs.SecureAzureBlobFileSystem not found"),
    said("java.lang.ClassNotFoundException: Class org.apache.hadoop.fs.azure.NativeAzureFileSystem$Secure not found"),
    said('org.apache.hadoop.fs.UnsupportedFileSystemException: No FileSystem for scheme "gs"'),
    said("[USER_RAISED_EXCEPTION] nearkin: rows are missing SQLSTATE: P0001"),
    said(
      `${lost} org.apache.spark.SparkException: [FAILED_READ_FILE.FILE_NOT_EXIST] Encountered error while reading file file:///a.parquet. File does not exist. It is possible the underlying files have been updated.`,
    ),
    said(
      "[UNSUPPORTED_DATASOURCE_FOR_DIRECT_QUERY] Unsupported data source type for direct query on files: parquet SQLSTATE: 0A000; line 4 pos 49",
      "Caused by: java.io.FileNotFoundException: File file:/shared/staged/items.parquet does not exist",
    ),
    said("[UNABLE_TO_INFER_SCHEMA] Unable to infer schema for Parquet. It must be specified manually. SQLSTATE: 42KD9"),
  ]).toMatchInlineSnapshot(`
    [
      "ENGINE_UNAVAILABLE: Spark as it is installed cannot read s3a://: add what can with --conf spark.jars.packages=org.apache.hadoop:hadoop-aws:<version>, in the version of jars/hadoop-client-api; Spark's log is spark.log",
      "ENGINE_UNAVAILABLE: Spark as it is installed cannot read abfs://: add what can with --conf spark.jars.packages=org.apache.hadoop:hadoop-azure:<version>, in the version of jars/hadoop-client-api; Spark's log is spark.log",
      "ENGINE_UNAVAILABLE: Spark as it is installed cannot read wasb://: add what can with --conf spark.jars.packages=org.apache.hadoop:hadoop-azure:<version>, in the version of jars/hadoop-client-api; Spark's log is spark.log",
      "ENGINE_UNAVAILABLE: Spark as it is installed cannot read gs://: add what can with --conf spark.jars.packages=…, or spark.jars=…; Spark's log is spark.log",
      "ENGINE_UNAVAILABLE: rows that workers have written are missing: --storage must be a folder that all workers and this machine see, or a URL; Spark's log is spark.log",
      "ENGINE_UNAVAILABLE: a worker finds no file:///a.parquet: all of them must see what is read, and --storage must be a folder that all workers and this machine see, or a URL; Spark's log is spark.log",
      "ENGINE_UNAVAILABLE: a worker finds no file:/shared/staged/items.parquet: all of them must see what is read, and --storage must be a folder that all workers and this machine see, or a URL; Spark's log is spark.log",
      "BAD_SOURCE: Spark finds no Parquet in a folder that should hold some: does what it is to read have any? What workers write is read too: --storage must be a folder that all workers and this machine see, or a URL; Spark's log is spark.log",
    ]
  `);
});

test("an error rather than a warning before it", () => {
  expect(
    said(
      "26/11/16 18:36:12 WARN FileStreamSink: Assume no metadata directory. Error while looking for metadata directory in the path: /a.jsonl.",
      "java.io.FileNotFoundException: File /a.jsonl does not exist",
      "[DIVIDE_BY_ZERO] Division by zero. SQLSTATE: 22012",
    ),
  ).toBe(
    "ENGINE_UNAVAILABLE: Spark failed: [DIVIDE_BY_ZERO] Division by zero. SQLSTATE: 22012; Spark's log is spark.log",
  );
});
