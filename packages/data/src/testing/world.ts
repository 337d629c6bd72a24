// A small world for tests of the data package: files in a folder of its own, a dataset made of them, and that dataset read back as rows.
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { decodeSafetensors } from "@nearkin/core";
import { parseConfig } from "../config/parse.ts";
import type { ConfigInput } from "../config/schema.ts";
import { Database, quote, type Row } from "../database.ts";
import type { Manifest } from "../manifest.ts";
import { type PrepareOptions, prepare } from "../prepare/prepare.ts";

export type Cell = string | number | boolean | null | undefined;

/** Interactions as most tests write them: user, item, rating, time. */
export type Event = readonly [user: string, item: string, rating: number, time: number];

/** What most tests leave out: the default source, and no factors, which would start an engine. */
const usual = { interactions: { files: "ratings.csv" }, factors: { count: 0 } };

let opened: Promise<Database> | undefined;

/** A database that all worlds of a test file read with: to open one takes as long as ten queries. It ends with the test's process. */
const reader = (): Promise<Database> => {
  opened ??= Database.open(":memory:", { threads: 1, scratch: "" }).then(async (database) => {
    await database.run("SET enable_external_file_cache = false"); // a test may write a file again under its name
    return database;
  });
  return opened;
};

export class World implements Disposable {
  readonly folder = mkdtempSync(join(tmpdir(), "nearkin-world-"));

  path(...names: string[]): string {
    return join(this.folder, ...names);
  }

  /** Writes a file as it is. */
  write(name: string, content: string | Uint8Array): string {
    const path = this.path(name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
    return path;
  }

  /** Writes a CSV file; cells are quoted where they must be. */
  csv(name: string, columns: readonly string[], rows: readonly (readonly Cell[])[]): string {
    return this.write(name, [columns, ...rows].map((row) => `${row.map(csvCell).join(",")}\n`).join(""));
  }

  /** Writes interactions as userId, movieId, rating, timestamp. */
  ratings(events: readonly Event[], name = "ratings.csv"): string {
    return this.csv(name, ["userId", "movieId", "rating", "timestamp"], events);
  }

  /** Writes one JSON value per line. */
  jsonl(name: string, values: readonly unknown[]): string {
    return this.write(name, values.map((value) => `${JSON.stringify(value)}\n`).join(""));
  }

  /** Writes the result of a query as Parquet. */
  async parquet(name: string, sql: string): Promise<string> {
    const database = await reader();
    await database.run(`COPY (${sql}) TO ${quote(this.path(name))} (FORMAT parquet)`);
    return this.path(name);
  }

  /** Prepares `out`; what the configuration leaves open is as `usual` says. */
  prepare(config: Partial<ConfigInput> = {}, options: Partial<PrepareOptions> = {}): Promise<Manifest> {
    const { out = "out", ...rest } = options;
    return prepare(parseConfig({ ...usual, ...config }), {
      folder: this.folder,
      threads: 1,
      memory: 256 * 2 ** 20,
      ...rest,
      out: this.path(out),
    });
  }

  /** The rows of a Parquet file of the dataset, in file order. */
  async rows<T extends Row = Row>(file: string, out = "out"): Promise<T[]> {
    const database = await reader();
    return await database.rows<T>(`SELECT * FROM read_parquet(${quote(this.path(out, file))})`);
  }

  /** The same, each row as its values joined by spaces: easy to write down by hand. */
  async lines(file: string, out = "out"): Promise<string[]> {
    return (await this.rows(file, out)).map((row) => Object.values(row).join(" "));
  }

  /** Training events with their ids, as `user item rating time`, in the order of users and times. */
  async events(out = "out"): Promise<string[]> {
    const file = (name: string) => `read_parquet(${quote(this.path(out, name))})`;
    const database = await reader();
    const rows = await database.rows(
      `SELECT user_id, item_id, rating, time FROM ${file("train/interactions.parquet")} AS events
       JOIN ${file("users.parquet")} AS users ON users.user_index = events.user_index
       JOIN ${file("items.parquet")} AS items ON items.item_index = events.item_index
       ORDER BY events.user_index, time, events.item_index`,
    );
    return rows.map((row) => Object.values(row).join(" "));
  }

  /** The tensors of a safetensors file of the dataset. */
  tensors(file: string, out = "out") {
    return decodeSafetensors(readFileSync(this.path(out, file))).tensors;
  }

  /** What stands in rejects.parquet, one line per reject: `file:line column reason [value] effect`. */
  async rejects(out = "out"): Promise<string[]> {
    return (await this.rows("rejects.parquet", out)).map(
      ({ file, line, column, reason, value, effect }) =>
        `${file}:${line} ${column ?? "-"}: ${reason}${value === null ? "" : ` ${JSON.stringify(value)}`} (${effect})`,
    );
  }

  /** `CODE: message` of the error that `work` ends with, without this folder's name. */
  async failure(work: Promise<unknown>): Promise<string> {
    try {
      await work;
    } catch (error) {
      const { code, name, message } = error as Error & { code?: string };
      return `${code ?? name}: ${message}`.replaceAll(this.folder, "<folder>");
    }
    throw new Error("expected an error, but it went well");
  }

  /** Every file of a dataset with the hash of its bytes. */
  hashes(out = "out"): Record<string, string> {
    const root = this.path(out);
    const names = (readdirSync(root, { recursive: true }) as string[])
      .filter((name) => statSync(join(root, name)).isFile())
      .sort();
    return Object.fromEntries(
      names.map((name) => [
        name,
        createHash("sha256")
          .update(readFileSync(join(root, name)))
          .digest("hex"),
      ]),
    );
  }

  /** The names of a dataset's files. */
  files(out = "out"): string[] {
    return Object.keys(this.hashes(out));
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** RFC 4180: quoted where a comma, a quote or a line end would be misread. */
function csvCell(cell: Cell): string {
  const text = cell === null || cell === undefined ? "" : String(cell);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
