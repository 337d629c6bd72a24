// How Spark is told what the steps in ../../sql say to DuckDB. The queries are the same; only where a table lives differs: each is a folder of
// Parquet files, written anew whenever its statement runs, with a view of its name on it. Nothing is kept in a catalogue or metastore.
import { sqlStep } from "../prepare/sql.ts";

/**
 * 'text' as Spark writes it, on one line: a backslash is a sign of its own there, and spark-sql drops what looks like a line of comment, wherever it
 * stands. It ends lines at \r too, so no control character or line separator is left as it is.
 */
export function sparkText(text: string): string {
  return `'${text.replaceAll(/[\\'\p{Cc}\p{Zl}\p{Zp}]/gu, escaped)}'`;
}

function escaped(sign: string): string {
  if (sign === "\\" || sign === "'") return `\\${sign}`;
  if (sign === "\n") return "\\n";
  if (sign === "\r") return "\\r";
  return `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/** The column or table of a name. As a text, since spark-sql would end a statement at a `;` between backticks, and begin texts and comments there. */
const named = (name: string) => `IDENTIFIER(${sparkText(name)})`;
const backticks = (name: string) => `\`${name.replaceAll("`", "``")}\``;

export const sparkColumn = (name: string) => named(backticks(name));

/** The rows of all folders and files of Parquet that a pattern stands for. */
export const parquetAt = (pattern: string) => named(`parquet.${backticks(pattern)}`);

/** A pattern that stands for this path alone. */
export const exactly = (path: string) => path.replaceAll(/[\\*?[\]{}]/g, "\\$&");

/** What the steps call and Spark has not got by that name: parse_number, parse_iso_seconds and the like. */
export const sparkFunctions = () => sqlStep("spark");

/** Where the statements of a script put their tables. */
export class SparkDialect {
  readonly #tables: string;
  readonly #stored: ReadonlySet<string>;

  /**
   * @param tables a folder, or a URL, that every executor can write to
   * @param stored views that are stored as well: they are read more than once, or by others
   */
  constructor(tables: string, stored: readonly string[] = []) {
    this.#tables = tables;
    this.#stored = new Set(stored);
  }

  folderOf(table: string): string {
    return `${this.#tables}/${table}`;
  }

  /** A step's SQL, each `CREATE TABLE … AS` written as a folder. */
  translate(sql: string): string {
    return statements(sql)
      .map(({ comment, text }) => {
        const [, kind, name, query] = /^CREATE (TABLE|VIEW) (\w+) AS\s+(.*)$/s.exec(text) ?? [];
        if (kind === "TABLE" || this.#stored.has(name)) return comment + this.table(name, query);
        if (kind === "VIEW") return comment + this.view(name, query);
        return `${comment}${text};\n`;
      })
      .join("\n");
  }

  /** A table is there, whole, once its statement has ended; run again, it is written again. */
  table(name: string, query: string): string {
    const folder = this.folderOf(name);
    return (
      `INSERT OVERWRITE DIRECTORY ${sparkText(folder)} USING parquet\n${query};\n` +
      `CREATE OR REPLACE TEMPORARY VIEW ${name} USING parquet OPTIONS (path ${sparkText(exactly(folder))});\n`
    );
  }

  view(name: string, query: string): string {
    return `CREATE OR REPLACE TEMPORARY VIEW ${name} AS\n${query};\n`;
  }

  /**
   * The view numbered_<table>: its rows with `row_number`, counted along the whole table as it was sorted. A row's number is its place in its
   * file, which Parquet knows, and the rows of the files before: nothing has to be brought to one place, whatever the size.
   */
  numbered(table: string): string {
    return (
      this.table(`${table}_files`, fileStarts([exactly(this.folderOf(table))])) +
      this.view(`numbered_${table}`, this.rows(table))
    );
  }

  /** The rows of `<table>`, as the query of numbered_<table>. */
  rows(table: string): string {
    return numberedRows([exactly(this.folderOf(table))], `${table}_files`, {
      cells: "*",
      columns: "files.first_row + parts.nearkin_row AS row_number, parts.*",
    });
  }
}

/** Every file of the sources with its number and the number of its first row: in the order of the sources, then of the paths. */
export function fileStarts(sources: readonly string[]): string {
  const counts = sources.map(
    (source, k) =>
      `  SELECT ${k} AS source, _metadata.file_path AS address, COUNT(*) AS total FROM ${parquetAt(source)} GROUP BY 2`,
  );
  return `SELECT
  source, address, path, total,
  CAST(ROW_NUMBER() OVER (ORDER BY source, path) - 1 AS INT) AS file,
  CAST(COALESCE(SUM(total) OVER (ORDER BY source, path ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS BIGINT) AS first_row
FROM (
SELECT source, address, URL_DECODE(REPLACE(address, '+', '%2B')) AS path, total
FROM (
${counts.join("\n  UNION ALL\n")}
) AS counted
) AS decoded`;
}

interface NumberedColumns {
  /** What is read of each source. Several are put together by the place of a column, so its name, place and type in a file must not matter. */
  cells: string;
  /** What becomes of it: may name parts.<cell>, parts.nearkin_row, files.file and files.first_row. */
  columns: string;
}

/**
 * The rows of the sources beside their entry in `files`. A row finds its file by the address that Spark gives it: to decode it for every row takes as
 * long as all else.
 */
export function numberedRows(sources: readonly string[], files: string, { cells, columns }: NumberedColumns): string {
  const parts = sources.map(
    (source, k) =>
      `  SELECT ${k} AS nearkin_source, _metadata.file_path AS nearkin_address, _metadata.row_index AS nearkin_row, ${cells} FROM ${parquetAt(source)}`,
  );
  return `SELECT ${columns}
FROM (
${parts.join("\n  UNION ALL\n")}
) AS parts
JOIN ${files} AS files ON files.source = parts.nearkin_source AND files.address = parts.nearkin_address`;
}

/** A file of SQL in statements, each with the comment above it. Comments stand on lines of their own. */
function statements(sql: string): { comment: string; text: string }[] {
  const found: { comment: string; text: string }[] = [];
  let [comment, text] = ["", ""];
  for (const line of sql.split("\n")) {
    if (/^\s*--/.test(line)) {
      if (text === "") comment += `${line.replaceAll(";", ",")}\n`; // not every version of spark-sql knows where a comment ends
      continue;
    }
    text += `${line}\n`;
    if (!/;\s*$/.test(line)) {
      if (text.trim() === "") text = "";
      continue;
    }
    found.push({ comment, text: text.trim().replace(/;$/, "") });
    [comment, text] = ["", ""];
  }
  return found;
}
