// Where Spark and Node meet: a folder that both see, or a URL of storage that only Spark reaches.
import { existsSync, mkdirSync, rmSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { NearkinError } from "@nearkin/core";
import { Database } from "../database.ts";
import { isUrl } from "../sources/files.ts";
import { type HadoopShell, openHadoopShell, type ShellUser } from "./hadoop-shell.ts";

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
    this.at = isUrl(at) ? at.replace(/(?<!\/)\/+$/, "") : resolve(at);
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
      const { code, message } = cause as NodeJS.ErrnoException;
      const problem = code === "EEXIST" || code === "ENOTDIR" ? `${this.#local} is, or lies in, a file` : message;
      throw new NearkinError("BAD_ARGUMENT", `--storage: ${problem}; name a folder to write to`, { cause });
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

  /** Brings files of this machine to where Spark finds them, the last of them when all others are there. */
  async put(by: ShellUser, folder: string, names: readonly string[]): Promise<void> {
    if (!this.#isRemote) return;
    const here = names.map((name) => pathToFileURL(this.path(`${folder}/${name}`)).href);
    const there = `${this.at}/${folder}`;
    await this.#run(
      by,
      ["-rm", "-f", `${there}/${names.at(-1)}`],
      ["-mkdir", "-p", there],
      ["-put", "-f", ...here.slice(0, -1), `${there}/`],
      ["-put", "-f", here.at(-1) as string, `${there}/`],
    );
  }

  /** Brings folders that Spark has written to this machine, in place of what is there. */
  async get(by: ShellUser, folder: string, names: readonly string[]): Promise<void> {
    if (!this.#isRemote) return;
    const to = this.path(folder);
    mkdirSync(to, { recursive: true });
    for (const name of names) rmSync(join(to, name), { recursive: true, force: true });
    // The shell takes a path for an address, in which a blank is none.
    await this.#run(by, ["-get", ...names.map((name) => `${this.at}/${folder}/${name}`), pathToFileURL(to).href]);
  }

  /** Whether tables are on this machine, each of them whole. */
  missing(folder: string, names: readonly string[]): string[] {
    return names.filter((name) => !existsSync(join(this.#local, folder, name, "_SUCCESS")));
  }

  async #run(by: ShellUser, ...commands: readonly (readonly string[])[]): Promise<void> {
    try {
      this.#shell ??= openHadoopShell(by, { conf: this.#conf, folder: this.path("hadoop") });
      const shell = await this.#shell;
      for (const command of commands) await shell(command);
    } catch (cause) {
      by.signal?.throwIfAborted();
      const { message } = cause as Error;
      throw new NearkinError("BAD_ARGUMENT", `--storage: ${this.at} cannot be used: ${message}`, { cause });
    }
  }
}
