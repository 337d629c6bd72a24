// The command line of a preparation, with everything that changes its result or how it is run.
import { shellWord } from "@nearkin/data";
import type { ClusterFlags } from "./spark/flags.ts";

export interface PrepareFlags extends ClusterFlags {
  out?: string;
  layout?: string;
  split?: "none" | "time" | "random" | "users";
  fold?: Fold;
  seed?: number;
  encoder?: string;
  resume?: boolean;
  force?: boolean;
  threads?: number;
  memory?: number;
  tables?: "memory" | "disk";
  cache?: string;
  json?: boolean;
  engine: "duckdb" | "spark";
  storage?: string;
  dryRun?: boolean;
  stageOnly?: boolean;
  sparkTables?: string;
}

/** The k-th of so many. */
export interface Fold {
  k: number;
  of: number;
}

/** @param more words that end it */
export function prepareCommandLine(source: string, flags: PrepareFlags, more: readonly string[]): string {
  const { layout, split, fold, seed, encoder, cache, threads, memory, tables, engine } = flags;
  const { master, conf = [], storage, sparkTables, force, json } = flags;
  const option = (name: string, value: string | number | undefined) =>
    value === undefined ? [] : [name, shellWord(String(value))];
  return [
    "nearkin prepare",
    shellWord(source),
    ...option("--layout", layout),
    ...option("--split", split),
    ...option("--fold", fold && `${fold.k}/${fold.of}`),
    ...option("--seed", seed),
    ...option("--encoder", encoder),
    ...option("--cache", cache),
    ...option("--threads", threads),
    ...option("--memory", memory && `${memory / 1e6}MB`),
    ...option("--tables", tables),
    ...(engine === "spark" ? ["--engine", engine] : []),
    ...option("--master", master),
    ...conf.flatMap((setting) => option("--conf", setting)),
    ...option("--storage", storage),
    ...option("--spark-tables", sparkTables),
    ...(force ? ["--force"] : []),
    ...(json ? ["--json"] : []),
    ...more.map(shellWord),
  ].join(" ");
}
