// Imports the entry that is named, reads a file of vectors with it, and prints what of DuckDB is then in the process:
//   loaded-modules.ts encoders|parquet FILE
import { createRequire } from "node:module";

const [entry, file] = process.argv.slice(2);
const { openEncoder, readVectors } = await import("../index.ts");
const readParquet = entry === "parquet" ? (await import("../../vectors-parquet.ts")).readParquetVectors : undefined;
await readVectors(file, readParquet ? { readParquet } : {});
await (await openEncoder("minilm")).close();

const scripts = Object.keys(createRequire(import.meta.url).cache);
const { sharedObjects } = process.report.getReport() as { sharedObjects: string[] };
const found = [...scripts, ...sharedObjects].filter((path) => /duckdb/i.test(path));
process.stdout.write(JSON.stringify({ scripts: scripts.length, duckdb: found.length }));
