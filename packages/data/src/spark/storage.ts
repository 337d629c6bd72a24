// Where Spark and Node meet: a folder that both see, or a URL of storage that only Spark reaches. Files are brought to and from a URL by
// Hadoop's own shell, which comes with Spark and knows the credentials that Spark has been given.
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import { NearkinError } from "@nearkin/core";
import { Database } from "../database.ts";
import { isUrl } from "../sources/files.ts";
import type { Spark } from "./find.ts";

export interface StorageOptions {
  /** The folder or URL. */
  at: string;
  /** A folder of this machine for what comes from, or goes to, a URL. */
  local: string;
  /** key=value; those of spark.hadoop.* are for the shell too. */
  conf: readonly string[];
}

export class Storage {
  /** What Spark calls it. */
  readonly at: string;
  readonly #local: string;
  readonly #conf: readonly string[];

  constructor({ at, local, conf }: StorageOptions) {
    this.at = isUrl(at) ? at.replace(/\/+$/, "") : resolve(at);
    this.#local = isUrl(at) ? local : this.at;
    this.#conf = conf.flatMap((setting) => /^spark\.hadoop\.(.*)$/s.exec(setting)?.[1] ?? []);
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
    await this.#shell(spark, ["-mkdir", "-p", this.at]);
    await this.#shell(spark, ["-put", "-f", this.path(name), `${this.at}/`]);
  }

  /** Brings folders that Spark has written to this machine, in place of what is there. */
  async get(spark: Spark, folder: string, names: readonly string[]): Promise<void> {
    if (!this.#isRemote) return;
    const to = this.path(folder);
    mkdirSync(to, { recursive: true });
    for (const name of names) rmSync(join(to, name), { recursive: true, force: true });
    await this.#shell(spark, ["-get", ...names.map((name) => `${this.at}/${folder}/${name}`), to]);
  }

  /** Whether tables are on this machine, each of them whole. */
  missing(folder: string, names: readonly string[]): string[] {
    return names.filter((name) => !existsSync(join(this.#local, folder, name, "_SUCCESS")));
  }

  async #shell(spark: Spark, args: readonly string[]): Promise<void> {
    const program = join(spark.home, "bin", "spark-class");
    const env = { ...spark.env, HADOOP_CONF_DIR: this.#settings(spark) };
    try {
      await promisify(execFile)(program, ["org.apache.hadoop.fs.FsShell", ...args], { env, maxBuffer: 1 << 26 });
    } catch (cause) {
      const { stderr = "" } = cause as { stderr?: string };
      const said = stderr.split("\n").findLast((line) => /^-?\w+: |Exception/.test(line)) ?? (cause as Error).message;
      throw new NearkinError("BAD_ARGUMENT", `--storage: ${this.at} cannot be used: ${said}`, { cause });
    }
  }

  /** The shell takes settings from a folder only. Those of a command line may be secrets, and are read by nobody else. */
  #settings({ env }: Spark): string {
    if (this.#conf.length === 0 && env.HADOOP_CONF_DIR) return env.HADOOP_CONF_DIR;
    const folder = this.path("hadoop");
    mkdirSync(folder, { recursive: true });
    const properties = this.#conf.map((setting) => {
      const [key, ...value] = setting.split("=");
      return `<property><name>${xml(key)}</name><value>${xml(value.join("="))}</value></property>`;
    });
    writeFileSync(join(folder, "core-site.xml"), `<configuration>${properties.join("")}</configuration>\n`, {
      mode: 0o600,
    });
    return folder;
  }
}

const xml = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
