// The folder a run works in, `<out>.partial`: what is finished, and the files of the dataset as they are written. It becomes `<out>` by one
// rename at the end, so that there is never half a dataset.
//
// Tables of a small input are kept in memory: to make them again is quicker than to save them. Those of a large one are kept in a database
// file, and a resumed run goes on after the last finished step. What takes long for any input (factors, channels with their texts) is a
// stage, and is kept in either case.
import { createHash } from "node:crypto";
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, resolve, sep } from "node:path";
import { NearkinError } from "@nearkin/core";
import { Database, type DatabaseOptions } from "../database.ts";

export interface WorkOptions extends Omit<DatabaseOptions, "scratch"> {
  /** Go on with what an earlier run of the same configuration left. @default false */
  resume?: boolean;
  /** Replace a dataset that is already there. @default false */
  force?: boolean;
  /** Paths that are read, or outlive the run, and so must not lie in the folder that is made. */
  inputs?: readonly string[];
  /** Where the tables of the run are kept; `disk` resumes at every step. Changes no result. @default by the size of the input */
  tables?: "memory" | "disk";
}

const WORK = "work"; // inside the partial folder; gone at the end
const STEPS = "steps.duckdb";

export class WorkFolder implements AsyncDisposable {
  readonly out: string;
  readonly partial: string;
  /** Stands for everything that decides the result. */
  readonly key: string;
  /** Whether steps of an earlier run are used. */
  readonly resumed: boolean;
  readonly #database: Database;
  /** Whoever has this file open works here. */
  readonly #lock: Database;
  readonly #done: Set<string>;

  private constructor(
    { out, key, resumed }: Pick<WorkFolder, "out" | "key" | "resumed">,
    databases: { tables: Database; lock: Database },
    done: Set<string>,
  ) {
    this.out = out;
    this.partial = partialOf(out);
    this.key = key;
    this.resumed = resumed;
    this.#database = databases.tables;
    this.#lock = databases.lock;
    this.#done = done;
  }

  /** @param identity everything that decides the result; a run is only resumed for the same one */
  static async open(out: string, identity: string, options: WorkOptions): Promise<WorkFolder> {
    const target = resolve(out);
    const replaced = `${target}.replaced`;
    if (isDataset(replaced) && !existsSync(target)) renameSync(replaced, target); // killed between two renames
    checkTarget(out, target, options);
    const partial = partialOf(target);
    // A lock on the database file tells processes apart, but not two runs of one process.
    if (held.has(partial)) throw new NearkinError("BUSY", `another run of this process is working on ${partial}`);
    held.add(partial);
    try {
      return await WorkFolder.#open(target, identity, options);
    } catch (error) {
      held.delete(partial);
      throw error;
    }
  }

  static async #open(target: string, identity: string, options: WorkOptions): Promise<WorkFolder> {
    const partial = partialOf(target);
    const work = join(partial, WORK);
    const key = createHash("sha256").update(identity).digest("hex");
    const keyFile = join(work, "identity");
    const same = existsSync(keyFile) && readFileSync(keyFile, "utf8") === key;
    const resumed = Boolean(options.resume) && same;
    if (options.resume && existsSync(work) && !same) {
      throw new NearkinError(
        "BAD_ARGUMENT",
        `${partial} was left by a run with other files, settings or versions and cannot be resumed; run without --resume to start over`,
      );
    }
    if (!resumed) await clear(partial);
    mkdirSync(dirname(partial), { recursive: true });
    mkdirSync(partial, { recursive: true, mode: 0o700 }); // it becomes the dataset: what users did is its owner's alone
    mkdirSync(join(work, "stages"), { recursive: true });
    const lock = await Database.open(join(work, STEPS), { ...options, scratch: join(work, "spill") });
    writeFileSync(keyFile, key);
    const run = { out: target, key, resumed };
    if (options.tables === "memory") {
      const tables = await Database.open(":memory:", { ...options, scratch: join(work, "spill") });
      return new WorkFolder(run, { tables, lock }, new Set());
    }
    await lock.run("CREATE TABLE IF NOT EXISTS finished_steps (name VARCHAR)");
    const rows = await lock.rows<{ name: string }>("SELECT name FROM finished_steps");
    return new WorkFolder(run, { tables: lock, lock }, new Set(rows.map((row) => row.name)));
  }

  get database(): Database {
    return this.#database;
  }

  /** Runs a step unless an earlier run has finished it. What it does to the database is one transaction; a file it writes must be atomic. */
  async step(name: string, run: () => Promise<void>): Promise<"done" | "kept"> {
    if (this.#done.has(name)) return "kept";
    if (this.#database === this.#lock) await this.#atomic(name, run);
    else await run(); // nothing to roll back to, and DuckDB plans better over tables that are committed
    this.#done.add(name);
    return "done";
  }

  async #atomic(name: string, run: () => Promise<void>): Promise<void> {
    await this.#database.run("BEGIN");
    try {
      await run();
      await this.#database.run(`INSERT INTO finished_steps VALUES ('${name}')`);
      await this.#database.run("COMMIT");
    } catch (error) {
      await this.#database.run("ROLLBACK").catch(() => undefined); // the error itself says more
      throw error;
    }
  }

  /** Runs something long whose outcome is files and a small result, unless an earlier run has finished it. */
  async stage<T>(name: string, run: () => Promise<T>): Promise<{ result: T; kept: boolean }> {
    const path = join(this.partial, WORK, "stages", `${name}.json`);
    if (existsSync(path)) return { result: JSON.parse(readFileSync(path, "utf8")) as T, kept: true };
    const result = await run();
    writeFileSync(`${path}.tmp`, JSON.stringify(result));
    renameSync(`${path}.tmp`, path); // last: a stage is there when its files are
    return { result, kept: false };
  }

  /** The path of a dataset file, its folder made. */
  path(name: string): string {
    const path = join(this.partial, name);
    mkdirSync(dirname(path), { recursive: true });
    return path;
  }

  /** A path for something that is not part of the dataset. */
  scratch(name: string): string {
    return join(this.partial, WORK, name);
  }

  /** Every file of the dataset so far, relative, sorted. */
  files(): string[] {
    return (readdirSync(this.partial, { recursive: true }) as string[])
      .map((name) => name.replaceAll("\\", "/"))
      .filter((name) => name !== WORK && !name.startsWith(`${WORK}/`) && statSync(join(this.partial, name)).isFile())
      .sort();
  }

  /** Makes the dataset visible under its name. */
  async finish(): Promise<void> {
    await this[Symbol.asyncDispose]();
    rmSync(join(this.partial, WORK), { recursive: true });
    for (const name of this.files()) flush(join(this.partial, name));
    const replaced = `${this.out}.replaced`;
    if (existsSync(this.out)) {
      if (isDataset(replaced)) rmSync(replaced, { recursive: true }); // of a run that was killed here
      if (existsSync(replaced)) throw new NearkinError("BAD_ARGUMENT", `${replaced} is in the way; move it elsewhere`);
      renameSync(this.out, replaced); // an empty folder, or a dataset: see checkTarget
    }
    renameSync(this.partial, this.out);
    flush(dirname(this.out));
    if (isDataset(replaced) || isEmpty(replaced)) rmSync(replaced, { recursive: true });
  }

  /** Leaves what is there for a later resume. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#database.close();
    if (this.#lock !== this.#database) await this.#lock.close();
    held.delete(this.partial);
  }
}

/** Whether `out` may be made: it is not there, is an empty folder, or is a dataset that is to be replaced. Nothing else is ever removed. */
function checkTarget(out: string, target: string, { force = false, inputs = [] }: WorkOptions): void {
  const holds = (path: string) =>
    `${resolve(path)}${sep}`.startsWith(target.endsWith(sep) ? target : `${target}${sep}`);
  const within = [process.cwd(), ...inputs].find(holds);
  if (within !== undefined) {
    throw new NearkinError(
      "BAD_ARGUMENT",
      `${out} cannot be the dataset folder: ${within} is in it; choose a folder of its own`,
    );
  }
  if (!existsSync(target)) return;
  if (!statSync(target).isDirectory())
    throw new NearkinError("DATASET_EXISTS", `${out} is a file; choose another --out`);
  if (readdirSync(target).length === 0) return;
  if (!isDataset(target)) {
    throw new NearkinError(
      "DATASET_EXISTS",
      `${out} is a folder with other files, and no dataset; choose another --out`,
    );
  }
  if (!force) {
    throw new NearkinError(
      "DATASET_EXISTS",
      `${out} is already there; choose another --out, or replace it with --force`,
    );
  }
}

const isEmpty = (folder: string) => existsSync(folder) && readdirSync(folder).length === 0;

function isDataset(folder: string): boolean {
  try {
    const { format } = JSON.parse(readFileSync(join(folder, "dataset.json"), "utf8")) as { format?: unknown };
    return format === "nearkin-dataset";
  } catch {
    return false;
  }
}

const partialOf = (out: string) => `${out}.partial`;

/** Removes what an earlier run left, unless it is still at work. */
async function clear(partial: string): Promise<void> {
  checkPartial(partial);
  const steps = join(partial, WORK, STEPS);
  if (existsSync(steps)) {
    const other = await Database.open(steps, { scratch: partial }).catch((error: unknown) => {
      if ((error as { code?: string }).code === "BUSY") throw error;
      return undefined; // damaged: it goes anyway
    });
    await other?.close();
  }
  rmSync(partial, { recursive: true, force: true });
}

/** Partial folders that runs of this process work in. */
const held = new Set<string>();

/** Only what a run has left may be deleted: it has a work folder or, killed at the very end, a whole dataset. */
function checkPartial(partial: string): void {
  const ours = (name: string) => existsSync(join(partial, name));
  if (!existsSync(partial) || ours(WORK) || ours("dataset.json")) return;
  throw new NearkinError(
    "BAD_ARGUMENT",
    `${partial} is in the way, and no run has left it; move it, or choose another --out`,
  );
}

/** What an error of the disk, or of DuckDB's memory, means; undefined for any other. */
export function writeProblem(out: string, cause: unknown): NearkinError | undefined {
  if (cause instanceof NearkinError) return undefined;
  const { code = "", message } = cause as NodeJS.ErrnoException;
  if (/^Out of Memory Error/.test(message)) {
    const [reason] = message.split("\n");
    return new NearkinError("OUT_OF_MEMORY", `${reason}; raise --memory, or lower --threads`, { cause });
  }
  const ofNode = /^(ENOSPC|EDQUOT|EFBIG|EROFS|EACCES|EPERM|ENOTDIR|EIO)$/.test(code);
  const ofDuckdb = /^IO Error/.test(message) && /writ|space|offload|permission|too large/i.test(message);
  if (!ofNode && !ofDuckdb) return undefined;
  const [reason] = message.split("\n");
  return new NearkinError("BAD_ARGUMENT", `${out} cannot be written: ${reason}; make room, or choose another --out`, {
    cause,
  });
}

/** To the disk, so that a power cut right behind the rename finds whole files. */
function flush(path: string): void {
  const file = openSync(path, "r");
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
