// Rows and cells that cannot be used: where they stand, why, and what became of them. Nothing is dropped without a line here.
import { appendFileSync, writeFileSync } from "node:fs";
import { NearkinError } from "@nearkin/core";
import { type Database, quote } from "../database.ts";
import { findLines } from "../sources/lines.ts";
import type { Relation } from "../sources/relation.ts";
import type { Sources } from "./read.ts";

export interface Reject {
  source: "interactions" | "items";
  /** As the dataset names it. */
  file: string;
  /** Counted from 1; in Parquet, the row. */
  line: number;
  /** As the file calls it; null where the whole row is damaged. */
  column: string | null;
  reason: string;
  /** The text of the cell, or of a damaged row, at most 200 characters. */
  value: string | null;
  /** `row`: it is left out. `value`: the item stays, without this value. */
  effect: "row" | "value";
}

/** What clean-items.sql says of all rows of an id but the last. */
const REPLACED = "item id occurs again further on, and the last row is used";

export interface RowCounts {
  rows: number;
  rejected: number;
}

/** A cell of an item that its channel could not read. */
export interface BadCell {
  /** The item's row among all rows of the item files, counted from 0. */
  row: number;
  column: string;
  reason: string;
  value: string;
}

/** How many rows each source has, and how many of them are of no use. A row that a later one of the same id replaces is no mistake. */
async function countRows(database: Database, source: Reject["source"]): Promise<RowCounts> {
  const own = `source = ${quote(source)}`;
  const { whole, bad, damaged } = await database.row<{ whole: number; bad: number; damaged: number }>(
    `SELECT
       (SELECT COALESCE(SUM(total_rows), 0) FROM source_files WHERE ${own}) AS whole,
       (SELECT COUNT(*) FROM rejected_rows WHERE ${own} AND problem <> ${quote(REPLACED)}) AS bad,
       (SELECT COUNT(*) FROM damaged WHERE ${own}) AS damaged`,
  );
  return { rows: whole + damaged, rejected: bad + damaged };
}

/** Stops a run whose input is worse than `limit` allows. */
export async function checkRejects(
  database: Database,
  sources: Sources,
  limit: number,
): Promise<Record<Reject["source"], RowCounts>> {
  const counts = {
    interactions: await countRows(database, "interactions"),
    items: await countRows(database, "items"),
  };
  for (const source of ["interactions", "items"] as const) {
    const { rows, rejected } = counts[source];
    if (source === "interactions" && rows === 0) {
      throw new NearkinError("BAD_SOURCE", "interactions: the files hold no rows");
    }
    const useless = source === "interactions" && rejected === rows; // whatever the limit
    if (rejected <= limit * rows && !useless) continue;
    const first = await rejectedRows(database, sources, source, 10);
    throw tooMany(source, rejected, rows, limit, first);
  }
  return counts;
}

/** The error that shows the first of too many rejects. */
export function tooMany(
  what: string,
  rejected: number,
  rows: number,
  limit: number,
  first: readonly Reject[],
): NearkinError {
  const share = ((100 * rejected) / rows).toFixed(rejected / rows < 0.1 ? 2 : 0);
  const lines = first.slice(0, 10).map((reject) => `  ${describeReject(reject)}`);
  return new NearkinError(
    "TOO_MANY_REJECTS",
    `${what}: ${rejected.toLocaleString("en")} of ${rows.toLocaleString("en")} (${share} %) cannot be used, ` +
      (rejected === rows
        ? "which leaves none. "
        : `more than rejectLimit (${Number((100 * limit).toPrecision(6))} %) allows. `) +
      `The first:\n${lines.join("\n")}\nMend them${rejected === rows ? "" : ", or raise rejectLimit in nearkin.yaml"}.`,
  );
}

function describeReject({ file, line, column, reason, value }: Reject): string {
  const cell =
    value === null || value === "" ? "" : `: ${JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value)}`;
  return `${file}:${line}${column === null ? "" : ` ${column}`}: ${reason}${cell}`;
}

/** The rejected rows of a source, with their lines, at most `most` of them. */
export async function rejectedRows(
  database: Database,
  sources: Sources,
  source: Reject["source"],
  most = Number.MAX_SAFE_INTEGER,
): Promise<Reject[]> {
  const opened = sources[source];
  if (!opened) return [];
  const names: Record<string, string | undefined> = { ...opened.columns };
  const rejects: Reject[] = [];
  // The first few are for an error, and a replaced row is none.
  const wanted = most === Number.MAX_SAFE_INTEGER ? "problem IS NOT NULL" : `problem <> ${quote(REPLACED)}`;
  for (const [number, file] of opened.relation.files.entries()) {
    if (rejects.length >= most) break;
    const where = `source = ${quote(source)} AND file = ${number}`;
    const bad = await database.rows<{ record: number; column_name: string; reason: string; value: string | null }>(
      `SELECT row_number - (SELECT first_row FROM source_files WHERE ${where}) AS record,
         problem_column AS column_name, problem AS reason, SUBSTR(problem_value, 1, 200) AS value
       FROM rejected_rows
       WHERE ${where} AND ${wanted} ORDER BY row_number LIMIT ${most}`,
    );
    const damaged = await database.rows<{ byte: number; column_name: string | null; reason: string; value: string }>(
      `SELECT byte, column_name, reason, value FROM damaged WHERE ${where} ORDER BY byte`,
    );
    const lines = await linesOf(
      opened.relation,
      file.path,
      bad.map((row) => row.record),
      damaged.map((row) => row.byte),
    );
    bad.forEach(({ column_name, reason, value }, k) => {
      const column = names[column_name] ?? null;
      rejects.push({ source, file: file.name, line: lines.wanted[k], column, reason, value, effect: "row" });
    });
    damaged.forEach(({ column_name, reason, value }, k) => {
      rejects.push({
        source,
        file: file.name,
        line: lines.rejected[k],
        column: column_name,
        reason,
        value,
        effect: "row",
      });
    });
  }
  return rejects.sort((a, b) => Number(a.file > b.file) - Number(a.file < b.file) || a.line - b.line).slice(0, most);
}

/** Bad cells of items with the file and line they stand on. */
export async function locateCells(database: Database, sources: Sources, cells: readonly BadCell[]): Promise<Reject[]> {
  if (cells.length === 0 || !sources.items) return [];
  const { relation } = sources.items;
  const firsts = await database.rows<{ file: number; first: number; rows: number }>(
    "SELECT file, first_row AS first, total_rows AS rows FROM source_files WHERE source = 'items'",
  );
  const rejects: Reject[] = [];
  for (const [number, file] of relation.files.entries()) {
    const range = firsts.find((row) => row.file === number);
    if (!range) continue;
    const own = cells
      .filter(({ row }) => row >= range.first && row < range.first + range.rows)
      .sort((a, b) => a.row - b.row);
    const records = [...new Set(own.map(({ row }) => row - range.first))];
    const damaged = await database.rows<{ byte: number }>(
      `SELECT byte FROM damaged WHERE source = 'items' AND file = ${number} ORDER BY byte`,
    );
    const { wanted } = await linesOf(
      relation,
      file.path,
      records,
      damaged.map(({ byte }) => byte),
    );
    const lineOf = new Map(records.map((record, k) => [record, wanted[k]]));
    for (const { row, column, reason, value } of own) {
      const line = lineOf.get(row - range.first) ?? 0;
      rejects.push({
        source: "items",
        file: file.name,
        line,
        column,
        reason,
        value: value.slice(0, 200),
        effect: "value",
      });
    }
  }
  return rejects;
}

async function linesOf(relation: Relation, path: string, wanted: number[], rejected: number[]) {
  if (wanted.length === 0 && rejected.length === 0) return { wanted: [], rejected: [] };
  const file = relation.files.find((candidate) => candidate.path === path);
  if (!file || !relation.layout) return { wanted: wanted.map((record) => record + 1), rejected: [] };
  return findLines(file, relation.layout, wanted, rejected);
}

/** rejects.parquet, in the order of files and lines; written also when there is nothing to say, so that it can be relied on. */
export async function writeRejects(
  database: Database,
  rejects: readonly Reject[],
  scratch: string,
  path: string,
): Promise<void> {
  writeFileSync(scratch, "");
  for (let start = 0; start < rejects.length; start += 10_000) {
    const lines = rejects.slice(start, start + 10_000).map((reject) => `${JSON.stringify(reject)}\n`);
    appendFileSync(scratch, lines.join("")); // all of them may be more than a string holds
  }
  const columns =
    "{source: 'VARCHAR', file: 'VARCHAR', line: 'BIGINT', \"column\": 'VARCHAR', reason: 'VARCHAR', value: 'VARCHAR', effect: 'VARCHAR'}";
  await database.run(
    `COPY (
       SELECT source, file, line, "column", reason, value, effect
       FROM read_json(${quote(scratch)}, format = 'newline_delimited', columns = ${columns})
       ORDER BY source, file, line, "column", reason
     ) TO ${quote(path)} (FORMAT parquet, COMPRESSION zstd)`,
  );
}
