// Where Spark and Node meet: a folder that both see, or a URL of storage that only Spark reaches.
import { existsSync, mkdirSync, rmSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { NearkinError } from "@nearkin/core";
import { Database } from "../database.ts";
import { isUrl } from "../sources/files.ts";
import type { Spark } from "./find.ts";
import { type HadoopShell, openHadoopShell } from "./hadoop-shell.ts";

export interface StorageOptions {
  /** The folder or URL. */
  at: string;
  /** A folder of this machine for what comes from, or goes to, a URL. */
  local: string;
  /** key=value, as for Spark. */
  conf: readonly string[];
}

export class Storage {
  /** What Spark calls it. */
  readonly at: string;
  readonly #local: string;
  readonly #conf: readonly string[];
  #shell: Promise<HadoopShell> | undefined;

  constructor({ at, local, conf }: StorageOptions) {
    this.at = isUrl(at) ? at.replace(/\/+$/, "") : resolve(at);
    this.#local = isUrl(at) ? local : this.at;
    this.#conf = conf;
  }

  get #isRemote(): boolean {
    return this.#local !== this.at;
  }

  /** Where a file is, or will be, on this machine. */
  path(name: string): string {
    const path = join(this.#local, name);
    try {
      mkdirSync(dirname(path), { recursive: true });
    } catch (cause) {
      throw new NearkinError("BAD_ARGUMENT", `--storage: ${(cause as Error).message}; name a folder to write to`, {
        cause,
      });
    }
    return path;
  }

  /** Keeps other runs out of a folder, for as long as this one is at work there. Nobody can of a URL, nor where the folder knows no locks. */
  async hold(): Promise<AsyncDisposable | undefined> {
    if (this.#isRemote) return undefined;
    return await Database.open(this.path("lock.duckdb"), { scratch: "", threads: 1 }).catch((error: Error) => {
      if (!/Conflicting lock/.test(String(error.cause))) return undefined;
      throw new NearkinError("BUSY", `--storage: another run is at work in ${this.at}; wait for it, or name another`, {
        cause: error,
      });
    });
  }

  /** Brings a folder of this machine to where Spark finds it. */
  async put(spark: Spark, name: string): Promise<void> {
    if (!this.#isRemote) return;
    await this.#run(spark, ["-mkdir", "-p", this.at], ["-put", "-f", this.path(name), `${this.at}/`]);
  }

  /** Brings folders that Spark has written to this machine, in place of what is there. */
  async get(spark: Spark, folder: string, names: readonly string[]): Promise<void> {
    if (!this.#isRemote) return;
    const to = this.path(folder);
    mkdirSync(to, { recursive: true });
    for (const name of names) rmSync(join(to, name), { recursive: true, force: true });
    await this.#run(spark, ["-get", ...names.map((name) => `${this.at}/${folder}/${name}`), to]);
  }

  /** Whether tables are on this machine, each of them whole. */
  missing(folder: string, names: readonly string[]): string[] {
    return names.filter((name) => !existsSync(join(this.#local, folder, name, "_SUCCESS")));
  }

  async #run(spark: Spark, ...commands: readonly (readonly string[])[]): Promise<void> {
    try {
      this.#shell ??= openHadoopShell(spark, { conf: this.#conf, folder: this.path("hadoop") });
      const shell = await this.#shell;
      for (const command of commands) await shell(command);
    } catch (cause) {
      throw new NearkinError("BAD_ARGUMENT", `--storage: ${this.at} cannot be used: ${(cause as Error).message}`, {
        cause,
      });
    }
  }
}
