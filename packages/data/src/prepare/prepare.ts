// `prepare`: files in, dataset folder out. Here the sources are opened and the folder is made; steps.ts says what happens in between.
import { existsSync, statSync } from "node:fs";
import { NearkinError } from "@nearkin/core";
import packageJson from "../../package.json" with { type: "json" };
import type { Config } from "../config/schema.ts";
import { Database, duckdbVersion } from "../database.ts";
import type { Manifest } from "../manifest.ts";
import { type FileHash, hashFile, isUrl, type SourceFile } from "../sources/files.ts";
import { findSpark } from "../spark/find.ts";
import { checkJob } from "../spark/run.ts";
import { checkOneMachine, checkTablesFolder, type SparkOptions } from "../spark/tables.ts";
import type { PrepareEvent } from "./events.ts";
import { openSources, sourceFiles } from "./read.ts";
import { type RunContext, runSteps } from "./steps.ts";
import { vectorFile, vectorFiles } from "./texts.ts";
import { WorkFolder, writeProblem } from "./work.ts";
import { writeManifest } from "./write-manifest.ts";

export interface PrepareOptions {
  /** The dataset folder to make. */
  out: string;
  /** Where relative file names of the configuration start. @default the working directory */
  folder?: string;
  /** Go on with what an earlier run of the same configuration left. @default false */
  resume?: boolean;
  /** Replace a dataset that is already there. @default false */
  force?: boolean;
  /** Threads of DuckDB and of the engine. Changes no bit of the result. @default the cores there are */
  threads?: number;
  /** Bytes DuckDB may hold before it spills to disk. @default 2 GiB */
  memory?: number;
  /** Where tables are kept meanwhile; `disk` can be resumed at every step. Changes no bit of the result. @default by the size of the input */
  tables?: "memory" | "disk";
  /** Tables are made by Spark instead of DuckDB. */
  spark?: SparkOptions;
  /** Folder of encoded texts. @default the user's cache */
  cache?: string;
  signal?: AbortSignal;
  onEvent?: (event: PrepareEvent) => void;
}

/** Files below so many bytes are told apart by their content when a run is resumed, larger ones by path and time of change. */
const HASHED_FIRST = 64e6;

/** Inputs up to so many bytes (unpacked, roughly) are prepared in memory. */
const IN_MEMORY = 1.5e9;

/** Makes a dataset folder, and returns its manifest. */
export async function prepare(given: Config, options: PrepareOptions): Promise<Manifest> {
  const { train: _, ...config } = given; // to train otherwise is no reason to prepare again
  const { out, folder = process.cwd(), signal, onEvent = () => {} } = options;
  // The sources are opened before the work folder: a wrong column must not cost an earlier run its steps.
  await using probe = await Database.open(":memory:", { scratch: "", threads: 1 });
  const sources = await openSources(probe, config, folder);
  if (sources.interactions.relation.files.length === 0 && !options.spark) {
    throw new NearkinError("BAD_SOURCE", "interactions: a table at a URL is read by a cluster; use --engine spark");
  }
  const inputs = [...sourceFiles(sources), ...vectorFiles(config.channels).map((name) => extraFile(name, folder))];
  // A damaged gzip file, which DuckDB would read up to the damage, stops the run here. Big files are hashed while they are read.
  const early: (FileHash | undefined)[] = [];
  for (const file of inputs) {
    early.push(file.gzip || file.bytes < HASHED_FIRST ? await hashFile(file) : undefined);
  }
  const spark = options.spark && (await openSpark(options.spark));
  const tools = {
    "@nearkin/data": packageJson.version,
    duckdb: await duckdbVersion(),
    ...(spark && { spark: spark.spark?.version ?? "elsewhere" }),
  };
  const identity = JSON.stringify({
    config,
    tools,
    inputs: inputs.map(({ path }, k) => early[k] ?? { path, changed: statSync(path).mtimeMs }),
  });
  const tables = options.tables ?? (unpackedBytes(sourceFiles(sources)) <= IN_MEMORY ? "memory" : "disk");
  try {
    await using work = await WorkFolder.open(out, identity, {
      ...options,
      tables,
      inputs: [folder, ...inputs.map((file) => file.path), ...sparkFolders(options.spark)],
    });
    const hashes = hashRest(inputs, early);
    hashes.catch(() => {}); // awaited at the end
    const outcome = await runSteps({
      config,
      folder,
      options,
      work,
      sources,
      ...(spark && { spark }),
      emit: onEvent,
    });
    signal?.throwIfAborted();
    const manifest = await writeManifest(work, { config, sources, tools, inputs: await hashes, outcome });
    for (const text of manifest.notes) onEvent({ type: "note", text });
    await work.finish();
    return manifest;
  } catch (error) {
    throw writeProblem(out, error) ?? error;
  }
}

/** Folders of Spark's tables, which are not to go when the dataset takes its place. */
function sparkFolders({ storage, tables }: SparkOptions = {}): string[] {
  return [storage, tables].filter((place) => place !== undefined && !isUrl(place)) as string[];
}

/** Spark is not looked for where it has done its part. */
async function openSpark(options: SparkOptions): Promise<NonNullable<RunContext["spark"]>> {
  if (options.tables !== undefined) {
    checkTablesFolder(options.tables);
    return { spark: undefined, options };
  }
  const spark = await findSpark(options.env);
  checkOneMachine(options);
  await checkJob(options);
  return { spark, options };
}

/** One after the other: there may be more files than a process may open. */
async function hashRest(files: readonly SourceFile[], known: readonly (FileHash | undefined)[]): Promise<FileHash[]> {
  const hashes: FileHash[] = [];
  for (const [k, file] of files.entries()) hashes.push(known[k] ?? (await hashFile(file)));
  return hashes;
}

function extraFile(name: string, folder: string): SourceFile {
  const path = vectorFile(name, folder);
  if (!existsSync(path)) throw new NearkinError("BAD_SOURCE", `${name}: there is no such file (looked in ${folder})`);
  if (statSync(path).isDirectory()) {
    throw new NearkinError("BAD_SOURCE", `${name} is a folder; name the one file in it that holds the vectors`);
  }
  return { path, name, format: "parquet", gzip: false, bytes: statSync(path).size };
}

/** A gzip or Parquet file holds about four times its size. */
function unpackedBytes(files: readonly SourceFile[]): number {
  return files.reduce((sum, { bytes, gzip, format }) => sum + bytes * (gzip || format === "parquet" ? 4 : 1), 0);
}
