import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { SparkDialect, sparkName } from "./dialect.ts";

test("a table is a folder of Parquet with a view on it; the query stays as it is", () => {
  const dialect = new SparkDialect("s3a://bucket/it's");
  expect(
    dialect.translate(
      "-- Why; and how.\n--\n-- in: a\nCREATE TABLE b AS\nSELECT x, ';' AS y\n-- Inside.\nFROM a;\n\nCREATE VIEW c AS SELECT x FROM b;\n",
    ),
  ).toMatchInlineSnapshot(`
    "-- Why, and how.
    --
    -- in: a
    INSERT OVERWRITE DIRECTORY 's3a://bucket/it\\'s/b' USING parquet
    SELECT x, ';' AS y
    FROM a;
    CREATE OR REPLACE TEMPORARY VIEW b USING parquet OPTIONS (path 's3a://bucket/it\\'s/b');

    CREATE OR REPLACE TEMPORARY VIEW c AS
    SELECT x FROM b;
    "
  `);
});

test("a view that others read is stored", () => {
  expect(new SparkDialect("/t", ["c"]).translate("CREATE VIEW c AS SELECT 1;\n")).toContain(
    "INSERT OVERWRITE DIRECTORY '/t/c'",
  );
});

test("every step is made of statements that the dialect knows", () => {
  const folder = new URL("../../sql/", import.meta.url);
  const steps = readdirSync(folder).filter((name) => !/^(duckdb|spark)\.sql$/.test(name));
  expect(steps.length).toBeGreaterThan(15);
  for (const step of steps) {
    const translated = new SparkDialect("/t").translate(
      readFileSync(new URL(step, folder), "utf8").replaceAll("{before}", ""),
    );
    const begins = translated.split(/;\n/).map((statement) =>
      statement
        .replaceAll(/^--.*\n/gm, "")
        .trim()
        .split(/\s+/, 3)
        .join(" "),
    );
    const known = /^(INSERT OVERWRITE DIRECTORY|CREATE OR REPLACE|)$/;
    expect(
      begins.filter((words) => !known.test(words)),
      step,
    ).toEqual([]);
  }
});

test("a quote in a name does not keep spark-sql from seeing where a statement ends", () => {
  expect(["plain", "it's", 'a "b" c', `it's "so`, "a `b`", "back\\'slash"].map(sparkName)).toEqual([
    "`plain`",
    "`it's` /*'*/",
    '`a "b" c`',
    `\`it's "so\` /*'*/`,
    "`a ``b```",
    "`back\\'slash`",
  ]);
});
