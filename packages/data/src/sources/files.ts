// Which files a source names, and whether each can be read to its end.
import { createHash } from "node:crypto";
import { createReadStream, existsSync, statSync } from "node:fs";
import { basename, isAbsolute, join, relative } from "node:path";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import { NearkinError } from "@nearkin/core";
import type { SourceConfig } from "../config/schema.ts";
import { type Database, literal, quote } from "../database.ts";

export type Format = NonNullable<SourceConfig["format"]>;

export interface SourceFile {
  /** Where it is. */
  path: string;
  /** How the dataset names it: relative to the configuration, with `/`. */
  name: string;
  format: Format;
  gzip: boolean;
  bytes: number;
}

export interface FileHash {
  name: string;
  bytes: number;
  sha256: string;
}

/** s3a://bucket/folder, hdfs://…, abfss://…: storage that a cluster reaches, and this machine may not. */
export const isUrl = (path: string): boolean => /^[a-z][a-z0-9+.-]+:\/\//i.test(path);

/** The files a source names, globs expanded, in a fixed order. `folder` is where relative names start. */
export async function listFiles(
  database: Database,
  source: SourceConfig,
  folder: string,
  what: string,
): Promise<SourceFile[]> {
  const files: SourceFile[] = [];
  for (const pattern of [source.files].flat()) {
    const full = isAbsolute(pattern) ? pattern : join(folder, pattern);
    const found = existsSync(full) ? [full] : await expand(database, pattern, folder);
    if (found.length === 0)
      throw new NearkinError("BAD_SOURCE", `${what}: no file matches ${pattern} (looked in ${folder})`);
    for (const path of found) files.push(describeFile(path, source, folder, what));
  }
  const seen = new Set<string>();
  for (const { path, name } of files) {
    if (seen.has(path)) throw new NearkinError("BAD_SOURCE", `${what}: ${name} is named twice`);
    seen.add(path);
  }
  return files;
}

/** Brackets and stars in the name of the folder are letters, and no part of the pattern. */
async function expand(database: Database, pattern: string, folder: string): Promise<string[]> {
  if (!/[*?[]/.test(pattern)) return [];
  const full = isAbsolute(pattern) ? pattern : join(literal(folder), pattern);
  const rows = await database.rows<{ file: string }>(`SELECT file FROM glob(${quote(full)}) ORDER BY file`);
  return rows.map((row) => row.file);
}

function describeFile(path: string, source: SourceConfig, folder: string, what: string): SourceFile {
  const stats = statSync(path);
  if (stats.isDirectory()) throw new NearkinError("BAD_SOURCE", `${what}: ${path} is a folder; name the files in it`);
  const name = relative(folder, path).replaceAll("\\", "/");
  if (stats.size === 0) throw new NearkinError("BAD_SOURCE", `${what}: ${name} is empty (0 bytes)`);
  const gzip = /\.gz$/i.test(path);
  return { path, name, format: source.format ?? formatOf(path, what), gzip, bytes: stats.size };
}

/** The format a file's ending stands for. */
export function formatOf(path: string, what: string): Format {
  const ending = /\.([a-z0-9]+)(?:\.gz)?$/i.exec(basename(path))?.[1]?.toLowerCase() ?? "";
  const known: Record<string, Format> = {
    csv: "csv",
    dat: "csv",
    txt: "csv",
    tsv: "tsv",
    tab: "tsv",
    inter: "tsv",
    item: "tsv",
    data: "tsv",
    jsonl: "jsonl",
    ndjson: "jsonl",
    json: "jsonl",
    parquet: "parquet",
    pq: "parquet",
  };
  const format = known[ending];
  if (!format) {
    throw new NearkinError(
      "BAD_SOURCE",
      `${what}: cannot tell the format of ${basename(path)} from its ending; set format: csv, tsv, jsonl or parquet`,
    );
  }
  return format;
}

/** Hashes a file's bytes; a gzip file is also unpacked to its end, since DuckDB reads a truncated one without a word. */
export async function hashFile(file: SourceFile): Promise<FileHash> {
  const hash = createHash("sha256");
  const stream = createReadStream(file.path, { highWaterMark: 1 << 20 });
  stream.on("data", (chunk) => void hash.update(chunk));
  try {
    if (file.gzip) {
      await pipeline(stream, createGunzip({ chunkSize: 1 << 18 }), async (unpacked) => {
        for await (const _ of unpacked); // only the end matters
      });
    } else {
      await new Promise<void>((resolve, reject) => void stream.on("end", resolve).on("error", reject));
    }
  } catch (cause) {
    throw gzipError(file, cause) ?? cause;
  }
  return { name: file.name, bytes: file.bytes, sha256: hash.digest("hex") };
}

/** The bytes of a file, unpacked. */
export function openBytes(file: SourceFile): AsyncIterable<unknown> {
  const stream = createReadStream(file.path, { highWaterMark: 1 << 16 });
  if (!file.gzip) return stream;
  const unpacked = createGunzip();
  stream.on("error", (error) => void unpacked.destroy(error));
  unpacked.on("close", () => void stream.destroy());
  return stream.pipe(unpacked);
}

/** What an error of unpacking means; undefined for any other. */
export function gzipError(file: SourceFile, cause: unknown): NearkinError | undefined {
  const code = (cause as NodeJS.ErrnoException).code ?? "";
  if (!/^Z_/.test(code)) return undefined;
  const reason = code === "Z_BUF_ERROR" ? "it ends too early: copy it again" : (cause as Error).message;
  return new NearkinError("BAD_SOURCE", `${file.name} is not a whole gzip file: ${reason}`, { cause });
}
