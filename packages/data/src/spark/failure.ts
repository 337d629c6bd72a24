// What Spark's log says went wrong, in a sentence. The log itself is kept: this only finds the line that matters.
import { NearkinError } from "@nearkin/core";

/** What errors say of a job. */
interface JobWords {
  readonly master?: string;
  readonly shared?: string;
}

interface Cause {
  readonly pattern: RegExp;
  readonly error: (found: RegExpExecArray, log: string, job: JobWords) => NearkinError;
  /** Spark would go on trying for ever: after so many lines that say so, it is ended. */
  readonly patience?: number;
}

const see = (log: string) => `; Spark's log is ${log}`;

/** Names without quotes, and without what a script calls the table. */
const plain = (names: string) => names.replaceAll(/`|`?\bparts`?\./g, "");

/** What a script says where rows are missing. */
export const LOST_ROWS = "nearkin: rows are missing";

const mustBeShared = ({ shared = "--storage" }: JobWords) =>
  `${shared} must be a folder that all workers and this machine see, or a URL`;

/** Storage that Hadoop knows by a module that is no part of Spark, by the package of its classes. */
const MODULES: Readonly<Record<string, { scheme: string; module: string }>> = {
  s3a: { scheme: "s3a", module: "hadoop-aws" },
  azurebfs: { scheme: "abfs", module: "hadoop-azure" },
  azure: { scheme: "wasb", module: "hadoop-azure" },
};

const NO_FILE_SYSTEM = /No FileSystem for scheme:? "?([\w+.-]+)|Class org\.apache\.hadoop\.fs\.(\w+)\.[\w$]+ not found/;

/** Whether a line says that Spark does not know storage of a kind, in a sentence. */
export function noFileSystem(line: string): string | undefined {
  const [found, unknown, classes] = NO_FILE_SYSTEM.exec(line) ?? [];
  if (found === undefined) return undefined;
  const { scheme, module } = MODULES[classes] ?? { scheme: unknown ?? classes };
  const packages =
    module === undefined
      ? "…, or spark.jars=…"
      : `org.apache.hadoop:${module}:<version>, in the version of jars/hadoop-client-api`;
  return `Spark as it is installed cannot read ${scheme}://: add what can with --conf spark.jars.packages=${packages}`;
}

/** The most telling first. */
const CAUSES: readonly Cause[] = [
  {
    pattern: /All masters are unresponsive|Could not parse Master URL|Could not find the requested master/i,
    error: (_, log, { master = "that Spark is configured with" }) =>
      new NearkinError(
        "ENGINE_UNAVAILABLE",
        `the Spark master ${master} cannot be reached: is it running, and is that its address?${see(log)}`,
      ),
  },
  {
    pattern: /requires? Java|UnsupportedClassVersionError|Unable to locate a Java Runtime|JAVA_HOME is not set/i,
    error: (_, log) =>
      new NearkinError("ENGINE_UNAVAILABLE", `Spark needs Java 17 or later: install it, or set JAVA_HOME${see(log)}`),
  },
  {
    pattern: /Initial job has not accepted any resources/,
    patience: 8, // one every 15 s: a cluster may be starting workers
    error: (_, log, { master = "the cluster" }) =>
      new NearkinError(
        "ENGINE_UNAVAILABLE",
        `${master} has no worker with enough free cores and memory: start workers, or ask for less (--conf spark.executor.memory=…)${see(log)}`,
      ),
  },
  {
    pattern:
      /Cannot run program "?([^"\s,]+)|(?:exec|bash|sh|env):(?:(?!(?:exec|bash|sh|env):).)*?(?<![\w./-])([\w./-]+): (?:command )?(?:not found|No such file)/,
    error: ([, program, other], log) =>
      new NearkinError(
        "ENGINE_UNAVAILABLE",
        `an executor has no ${program ?? other}: every worker needs Node 20.19 or later on its PATH, or name it with --node${see(log)}`,
      ),
  },
  {
    pattern: /Subprocess exited with status (\d+)\.?(?: Error:\s*(.*))?/,
    error: ([, status, said], log) =>
      new NearkinError(
        "ENGINE_UNAVAILABLE",
        `what the executors run ended with ${status}: ${said?.trim() || "it said nothing"}${see(log)}`,
      ),
  },
  {
    pattern: NO_FILE_SYSTEM,
    error: ([line], log) => new NearkinError("ENGINE_UNAVAILABLE", `${noFileSystem(line)}${see(log)}`),
  },
  {
    pattern: new RegExp(LOST_ROWS),
    error: (_, log, job) =>
      new NearkinError(
        "ENGINE_UNAVAILABLE",
        `rows that workers have written are missing: ${mustBeShared(job)}${see(log)}`,
      ),
  },
  {
    pattern:
      /FAILED_READ_FILE\.FILE_NOT_EXIST\](?:(?!FAILED_READ_FILE).)*? reading file ((?:(?! reading file ).)+?)\. File does|Caused by: java\.io\.FileNotFoundException: File (.+) does not exist/,
    error: ([, path, other], log, job) =>
      new NearkinError(
        "ENGINE_UNAVAILABLE",
        `a worker finds no ${path ?? other}: all of them must see what is read, and ${mustBeShared(job)}${see(log)}`,
      ),
  },
  {
    pattern: /\[UNABLE_TO_INFER_SCHEMA\]/,
    error: (_, log, job) =>
      new NearkinError(
        "BAD_SOURCE",
        `Spark finds no Parquet in a folder that should hold some: does what it is to read have any? What workers write is read too: ${mustBeShared(job)}${see(log)}`,
      ),
  },
  {
    pattern: /\[PATH_NOT_FOUND\] Path does not exist: (.+?)\.?(?: SQLSTATE.*)?$/s,
    error: ([, path], log) =>
      new NearkinError("BAD_SOURCE", `Spark finds nothing at ${path}: every worker must be able to read it${see(log)}`),
  },
  {
    pattern:
      /\[UNRESOLVED_COLUMN[.\w]*\].*? name ((?:`[^`]+`\.?)+)(?:.*?Did you mean one of the following\? \[(.*?)\])?/,
    error: ([, column, near], log) =>
      new NearkinError(
        "BAD_SOURCE",
        `the table has no column ${plain(column)}${near ? ` (it has ${plain(near)})` : ""}; name the one that it has, under columns in nearkin.yaml or with a flag such as --user-column${see(log)}`,
      ),
  },
  {
    pattern: /\[PARQUET_TYPE_\w+\] .*?Parquet type:? (.*?)\.?(?: SQLSTATE.*)?$/s,
    error: ([, type], log) =>
      new NearkinError(
        "BAD_SOURCE",
        `Spark does not read Parquet with a column of the type ${type}: write the table with another, such as microseconds for nanoseconds, or text${see(log)}`,
      ),
  },
  {
    pattern: /cannot create table with location to a non-empty directory (.+?)\.?(?: To allow|$)/s,
    error: ([, path], log) =>
      new NearkinError("BAD_ARGUMENT", `${path} is there; name another place, or replace it with --force${see(log)}`),
  },
  {
    pattern: /(No space left on device|Disk quota exceeded)/,
    error: ([reason], log) => new NearkinError("BAD_ARGUMENT", `Spark cannot write: ${reason}; make room${see(log)}`),
  },
  {
    pattern: /(?:java\.lang\.OutOfMemoryError|Container killed .* memory)(.*)/,
    error: (_, log) =>
      new NearkinError(
        "OUT_OF_MEMORY",
        `Spark ran out of memory: raise it with --conf spark.executor.memory=…, or use more partitions with --conf spark.sql.shuffle.partitions=…${see(log)}`,
      ),
  },
];

/** An error of Spark's own, and anything that looks like one: shown when nothing better is found. The latter may be a warning's. */
const ERROR = /^\s*(?:Error in query: )?(\[[A-Z_]+(?:\.[A-Z_]+)*\] .*)/;
const ANY = /(?:Exception|Error)\b.*?: (.+)/;

const MAX_LINE_CHARACTERS = 4000; // patterns look for words anywhere in a line, which a plan of megabytes would make slow

/** Looks at a log while it is written, and keeps the most telling line. */
export class Failure {
  #rank = CAUSES.length;
  #found: RegExpExecArray | undefined;
  #error: string | undefined;
  #any: string | undefined;
  #waited = 0;
  /** Whether to end it: it would go on trying. */
  isHopeless = false;

  look(whole: string): void {
    const line = whole.slice(0, MAX_LINE_CHARACTERS);
    for (let rank = 0; rank < this.#rank; rank++) {
      const { pattern, patience } = CAUSES[rank];
      const found = pattern.exec(line);
      if (!found) continue;
      if (patience !== undefined && ++this.#waited < patience) return;
      this.#rank = rank;
      this.#found = found;
      this.isHopeless ||= patience !== undefined;
    }
    this.#error ??= ERROR.exec(line)?.[1].trim();
    this.#any ??= ANY.exec(line)?.[1].trim();
  }

  error(log: string, job: JobWords): NearkinError {
    if (this.#found) return CAUSES[this.#rank].error(this.#found, log, job);
    return new NearkinError(
      "ENGINE_UNAVAILABLE",
      `Spark failed: ${this.#error ?? this.#any ?? "it gave no reason"}${see(log)}`,
    );
  }
}
