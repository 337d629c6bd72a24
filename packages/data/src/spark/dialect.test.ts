import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { exactly, numberedRows, parquetAt, SparkDialect, sparkColumn, sparkText } from "./dialect.ts";

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

test("a text stays on one line, whatever ends lines for spark-sql, Java or a terminal", () => {
  expect(sparkText("a\r-- x")).toBe("'a\\r-- x'");
  expect(sparkText("a\r\n\0\t\u001b\u007f\u0085\u2028\u2029z")).toBe(
    "'a\\r\\n\\u0000\\u0009\\u001b\\u007f\\u0085\\u2028\\u2029z'",
  );
  expect(sparkText("Été 😀 ñ")).toBe("'Été 😀 ñ'");
});

test("a name is a text: spark-sql sees neither a quote, a comment nor the end of a statement in it", () => {
  expect(["plain", "it's", "semi;colon -- /*", "a `b`", "back\\slash", "two\n-- lines"].map(sparkColumn)).toEqual([
    "IDENTIFIER('`plain`')",
    "IDENTIFIER('`it\\'s`')",
    "IDENTIFIER('`semi;colon -- /*`')",
    "IDENTIFIER('`a ``b```')",
    "IDENTIFIER('`back\\\\slash`')",
    "IDENTIFIER('`two\\n-- lines`')",
  ]);
});

test("signs of a pattern in a path are letters", () => {
  expect(parquetAt(exactly("/a[1]/{b,c}*?\\d"))).toBe(
    "IDENTIFIER('parquet.`/a\\\\[1\\\\]/\\\\{b,c\\\\}\\\\*\\\\?\\\\\\\\d`')",
  );
  expect(new SparkDialect("/films [2020]").translate("CREATE TABLE b AS SELECT 1;\n")).toContain(
    "INSERT OVERWRITE DIRECTORY '/films [2020]/b' USING parquet\nSELECT 1;\nCREATE OR REPLACE TEMPORARY VIEW b USING parquet OPTIONS (path '/films \\\\[2020\\\\]/b')",
  );
});

test("several files are put together by the cells that are asked for, not by where their columns stand", () => {
  const rows = numberedRows(["/a", "/b"], "files", { cells: "item AS item_id", columns: "parts.item_id" });
  expect(rows.match(/_metadata\.row_index AS nearkin_row, item AS item_id FROM/g)).toHaveLength(2);
});
