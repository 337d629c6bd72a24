// Users of a cluster: the model and the filter travel to Spark's executors, the answers come back as two tables, which are seen when they are whole.
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { modelFiles, NearkinError } from "@nearkin/core";
import {
  exactly,
  findSpark,
  isUrl,
  runSpark,
  type SparkJob,
  type SparkProgress,
  shellWord,
  sparkCommand,
} from "@nearkin/data";
import { BUNDLE, executorBundle } from "./bundle.ts";
import { type PersonalizeSummary, personalizeSql, SETTINGS, SUMMARY, type UserSource } from "./sql.ts";

export interface SparkPersonalize {
  /** The model's folder, and the names of its channels. */
  readonly model: string;
  readonly channels: readonly string[];
  /** At a path that every worker sees, or an address of storage that Spark reads. */
  readonly source: UserSource;
  /** Of lines: leave out items that the model does not know. Of tables they always are. */
  readonly skipUnknown: boolean;
  /** A path or address like that of the input, for the folders users and rejects. */
  readonly out: string;
  readonly force: boolean;
  readonly partitions?: number | undefined;
  /** Node on the executors. */
  readonly node: string;
  /** What the executors have installed, to be run in place of what travels with the job: nearkin personalize. */
  readonly executorCommand?: string | undefined;
  readonly master?: string | undefined;
  readonly conf: readonly string[];
}

const MODEL = "nearkin-model"; // what the model's folder is called on an executor

/** A path as Spark takes it: this machine's working directory means nothing to a worker. */
const forSpark = (path: string): string => (isUrl(path) ? path.replace(/(?<!\/)\/+$/, "") : resolve(path));

interface Places extends Pick<SparkPersonalize, "out" | "force"> {
  input: string;
  /** The option that names it. */
  flag: "--in" | "--dataset";
}

/** What is wrong with where things are to come from and to go, before there is anything to lose. */
export function checkPlaces({ input, flag, out, force }: Places): void {
  if (input === "-") {
    throw new NearkinError("BAD_ARGUMENT", "--in: Spark reads files; name a path that every worker sees, or s3a://…");
  }
  if (!isUrl(input) && !/[*?[{]/.test(input) && !existsSync(input)) {
    throw new NearkinError("BAD_ARGUMENT", `${flag}: there is no ${input}`);
  }
  if (out === "-") throw new NearkinError("BAD_ARGUMENT", "--out: name a folder to write, or s3a://…");
  if (!isUrl(out) && existsSync(out) && !force) {
    throw new NearkinError(
      "BAD_ARGUMENT",
      `--out: ${out} is there; name another folder, or replace it, when all is done, with --force`,
    );
  }
}

/** The command line and the script, for whoever wants to run them otherwise. Nothing is started. */
export async function describeJob(options: SparkPersonalize): Promise<string> {
  const bundle = await bundleFor(options);
  const files = bundle === undefined ? [] : [bundle];
  const job = jobOf(options, {
    folder: ".",
    out: forSpark(options.out),
    replace: options.force,
    files,
    archive: `${MODEL}.tar`,
  });
  const command = sparkCommand(undefined, job).map(shellWord).join(" ");
  const tar = `tar -cf ${MODEL}.tar -C ${shellWord(options.model)} ${modelFiles.join(" ")}`;
  const lines = [
    "1. the model, which travels with the job:",
    `     ${tar}`,
    "2. this script, saved as personalize.sql:",
    `     ${command}`,
  ];
  return `${lines.map((line) => `-- ${line}\n`).join("")}\n${job.sql}`;
}

/** What executors run, where they do not have it. */
const bundleFor = async ({ executorCommand }: SparkPersonalize): Promise<string | undefined> =>
  executorCommand === undefined ? await executorBundle() : undefined;

interface RunOptions {
  signal: AbortSignal;
  onProgress: (progress: SparkProgress) => void;
}

export async function personalizeOnSpark(
  options: SparkPersonalize,
  { signal, onProgress }: RunOptions,
): Promise<PersonalizeSummary> {
  const spark = await findSpark();
  const bundle = await bundleFor(options);
  const scratch = await mkdtemp(join(tmpdir(), "nearkin-spark-"));
  const archive = join(scratch, `${MODEL}.tar`);
  const final = forSpark(options.out);
  const out = isUrl(final) ? final : `${final}.${process.pid}.tmp`;
  let keepsLog = false;
  try {
    await promisify(execFile)("tar", ["-cf", archive, "-C", options.model, ...modelFiles]);
    if (!isUrl(out)) await mkdir(dirname(out), { recursive: true });
    // As addresses, in which a blank in a path is no blank.
    const files = bundle === undefined ? [] : [pathToFileURL(bundle).href];
    const replace = options.force || out !== final; // a folder of this run alone
    const job = jobOf(options, { folder: scratch, out, replace, files, archive: pathToFileURL(archive).href });
    keepsLog = true; // what goes wrong is said with its place
    const summary = await summaryOf((onLine) => runSpark(spark, job, { signal, onLine, onProgress }));
    keepsLog = false;
    checkWhole(summary, final);
    if (out !== final) await putInPlace(out, final);
    return summary;
  } finally {
    if (out !== final) await rm(out, { recursive: true, force: true });
    await rm(keepsLog && !signal.aborted ? archive : scratch, { recursive: true, force: true });
  }
}

/** What is there by that name is meant by it; else it may be a pattern. */
function patternOf({ kind, path }: UserSource): string {
  return kind !== "dataset" && existsSync(path) ? exactly(forSpark(path)) : forSpark(path);
}

interface JobPlaces {
  folder: string;
  out: string;
  /** Whether what is at `out` may go. */
  replace: boolean;
  files: readonly string[];
  archive: string;
}

function jobOf(options: SparkPersonalize, { folder, out, replace, files, archive }: JobPlaces): SparkJob {
  const { channels, master, partitions } = options;
  const source = { ...options.source, path: patternOf(options.source) };
  const script = { source, out, replace, channels, partitions };
  return {
    name: "personalize",
    folder,
    sql: personalizeSql({ ...script, command: commandOf(options) }),
    conf: [...SETTINGS, ...options.conf],
    shared: "--out",
    ...(master === undefined ? {} : { master }),
    ...(files.length > 0 ? { files } : {}),
    archives: [`${archive}#${MODEL}`],
  };
}

/**
 * What an executor runs, in the folder where Spark has put the files of the job. Whatever fails has its input read to the end: Spark would say that it could
 * not write to it, and nothing of what went wrong.
 */
function commandOf(options: SparkPersonalize): string {
  return `${filterOf(options)} || { status=$?; while read -r _; do :; done; exit $status; }`;
}

function filterOf({ source, skipUnknown, executorCommand, node }: SparkPersonalize): string {
  const skip = source.kind === "lines" && !skipUnknown ? "" : " --skip-unknown";
  if (executorCommand !== undefined) {
    return `${executorCommand} ${MODEL} --in - --out - --engine wasm --workers 1${skip}`;
  }
  return `${shellWord(node)} ${BUNDLE} ${MODEL}${skip}`;
}

async function summaryOf(run: (onLine: (line: string) => void) => Promise<void>): Promise<PersonalizeSummary> {
  let summary: PersonalizeSummary | undefined;
  await run((line) => {
    if (line.startsWith(SUMMARY)) summary = JSON.parse(line.slice(SUMMARY.length));
  });
  if (summary === undefined) throw new NearkinError("ENGINE_UNAVAILABLE", "Spark ended without saying what it did");
  return summary;
}

/** Workers that write to disks of their own make no error: what they wrote is missing. */
function checkWhole({ asked, users }: PersonalizeSummary, out: string): void {
  if (asked === users) return;
  const n = (count: number) => count.toLocaleString("en");
  throw new NearkinError(
    "ENGINE_UNAVAILABLE",
    `of ${n(asked)} users only ${n(users)} came back: --out must be a folder that all workers and this machine see, or a URL, not ${out}`,
  );
}

/** The new folder in place of the old one: there is always one of them. */
async function putInPlace(made: string, target: string): Promise<void> {
  const old = `${made}.old`;
  const had = existsSync(target);
  if (had) await rename(target, old);
  await rename(made, target);
  if (had) await rm(old, { recursive: true, force: true });
}
