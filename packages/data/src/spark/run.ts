// One script of SQL, run by Spark's own command line. Spark's log goes to a file beside the script; what goes wrong is said in our words.
import { createWriteStream, mkdirSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { finished } from "node:stream/promises";
import { NearkinError } from "@nearkin/core";
import { Failure } from "./failure.ts";
import type { Spark } from "./find.ts";
import { startGuarded } from "./guarded.ts";
import { readBars, type SparkProgress } from "./progress-bar.ts";

export interface SparkJob {
  /** What Spark's own pages call it. */
  readonly name: string;
  /** A folder of this machine for the script and the log. */
  readonly folder: string;
  readonly sql: string;
  /** @default what Spark is configured to use, else all cores of this machine */
  readonly master?: string;
  /** The option that names the place where workers write, and read what others wrote. @default --storage */
  readonly shared?: "--storage" | "--out";
  /** key=value, over our own settings. */
  readonly conf?: readonly string[];
  /** Files and archives (`model.tar.gz#model`) that every executor gets. */
  readonly files?: readonly string[];
  readonly archives?: readonly string[];
}

interface RunOptions {
  signal?: AbortSignal;
  /** A line that the script prints. */
  onLine?: (line: string) => void;
  /** Several times a second while tasks are at work. */
  onProgress?: (progress: SparkProgress) => void;
}

/** What the result depends on is not left to how a cluster is configured; the user's own settings come after. */
const SETTINGS: readonly string[] = [
  "spark.sql.session.timeZone=UTC",
  "spark.sql.ansi.enabled=true",
  "spark.sql.caseSensitive=false",
  "spark.sql.catalogImplementation=in-memory", // nothing is left in a metastore
  "spark.sql.parquet.compression.codec=zstd",
  "spark.sql.files.ignoreCorruptFiles=false",
  "spark.sql.files.ignoreMissingFiles=false",
  "spark.sql.variable.substitute=false", // ${…} in a path is a part of it
  "spark.ui.showConsoleProgress=true", // see progress-bar.ts
];

const scriptOf = ({ folder, name }: SparkJob) => join(folder, `${name}.sql`);
const logOf = ({ folder, name }: SparkJob) => join(folder, `${name}.log`);

/** The command line of a job, for `--dry-run` and for the run itself. */
export function sparkCommand(spark: Pick<Spark, "home"> | undefined, job: SparkJob): string[] {
  const { name, master, conf = [], files = [], archives = [] } = job;
  const warehouse = `spark.sql.warehouse.dir=${join(job.folder, "warehouse")}`; // stays empty, and out of the working directory
  return [
    spark ? join(spark.home, "bin", "spark-sql") : "spark-sql",
    ...(master === undefined ? [] : ["--master", master]),
    ...["--name", `nearkin ${name}`],
    ...lastOfEach([...SETTINGS, warehouse, ...conf]).flatMap((setting) => ["--conf", setting]),
    ...(files.length > 0 ? ["--files", files.join(",")] : []),
    ...(archives.length > 0 ? ["--archives", archives.join(",")] : []),
    ...["-f", scriptOf(job)],
  ];
}

/** Of several settings of a key the last is the one that counts. */
function lastOfEach(settings: readonly string[]): string[] {
  const key = (setting: string) => setting.split("=", 1)[0];
  return [...new Map(settings.map((setting) => [key(setting), setting])).values()];
}

/** Runs a job to its end. */
export async function runSpark(
  spark: Spark,
  job: SparkJob,
  { signal, onLine = () => {}, onProgress }: RunOptions = {},
) {
  await checkJob(job);
  signal?.throwIfAborted();
  mkdirSync(job.folder, { recursive: true });
  writeFileSync(scriptOf(job), job.sql);
  using child = startGuarded(sparkCommand(spark, job), { env: spark.env, cwd: job.folder, signal });
  const log = createWriteStream(logOf(job));
  const failure = new Failure();
  try {
    const said = createInterface({ input: child.stdout });
    const logged = createInterface({ input: child.stderr });
    logged.on("line", (line) => {
      const { progress, rest } = readBars(line);
      if (progress) onProgress?.(progress);
      if (rest.trim() === "") return; // or a bar that was wiped out
      log.write(`${rest}\n`);
      failure.look(rest);
      if (failure.isHopeless) child.kill();
    });
    said.on("line", (line) => {
      failure.look(line); // spark-sql reports some errors of SQL here
      log.write(`${line}\n`);
      onLine(line);
    });
    if ((await child.ended) !== 0) throw failure.error(logOf(job), job);
  } finally {
    log.end();
    await finished(log).catch(() => undefined); // a full disk has been told of by whoever wrote more
  }
}

/** What is wrong with how it is to be run, before anything is started or staged. */
export async function checkJob({ conf = [], master }: Pick<SparkJob, "conf" | "master">): Promise<void> {
  checkConf(conf);
  await checkMaster(master);
}

function checkConf(conf: readonly string[]): void {
  const bad = conf.find((setting) => !/^[\w.-]+=/.test(setting));
  if (bad === undefined) return;
  throw new NearkinError("BAD_ARGUMENT", `--conf: expected key=value, such as spark.executor.memory=4g, got ${bad}`);
}

const PATIENCE = 5_000; // ms to answer a call

/** A standalone master that nobody answers for is found out at once: Spark itself would try for a minute. */
async function checkMaster(master: string | undefined): Promise<void> {
  if (master === undefined) return;
  if (!/^(local(\[.*\])?|yarn|spark:\/\/.+|k8s:\/\/.+)$/.test(master)) {
    throw new NearkinError(
      "BAD_ARGUMENT",
      `--master: expected local[2], spark://host:7077, yarn or k8s://…, got ${master}`,
    );
  }
  const hosts = /^spark:\/\/(.+)$/.exec(master)?.[1].split(",") ?? [];
  if (hosts.length === 0) return;
  const answers = await Promise.all(hosts.map(answersAt));
  if (answers.some((problem) => problem === undefined)) return;
  throw new NearkinError(
    "ENGINE_UNAVAILABLE",
    `the Spark master ${master} cannot be reached (${answers[0]}): is it running, and is that its address?`,
  );
}

function answersAt(address: string): Promise<string | undefined> {
  const [, host, port] = /^\[?(.*?)\]?(?::(\d+))?$/.exec(address) as RegExpExecArray;
  if (Number(port) > 65535) return Promise.resolve("there is no such port"); // Node would throw
  return new Promise((resolve) => {
    const socket = connect({ host, port: Number(port ?? 7077), timeout: PATIENCE });
    const say = (problem: string | undefined) => {
      socket.destroy();
      resolve(problem);
    };
    socket.once("connect", () => say(undefined));
    socket.once("timeout", () => say("no answer"));
    socket.once("error", (error: NodeJS.ErrnoException) => say(error.code ?? error.message));
  });
}
