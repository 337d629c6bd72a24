// Results of long runs, one file each, named by what they are results of: a report that was stopped goes on where it was.
import { createHash } from "node:crypto";
import { appendFileSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { canonicalJson } from "@nearkin/data";
import packageJson from "../../package.json" with { type: "json" };

const { version } = packageJson;

/** Everything that decides a result, but the version of this package, which every result is stored with: JSON. */
export type CacheKey = Readonly<Record<string, unknown>>;

export interface Computation<T> {
  /** Whether what was stored is whole. */
  check: (stored: unknown) => stored is T;
  compute: () => Promise<T>;
}

export class ResultCache {
  readonly folder: string;

  constructor(folder: string) {
    this.folder = folder;
    mkdirSync(folder, { recursive: true });
  }

  /** A path for what belongs to a key. */
  path(name: string, key: CacheKey, extension: string): string {
    const hash = createHash("sha256")
      .update(canonicalJson({ version, ...key }))
      .digest("hex")
      .slice(0, 16);
    return join(this.folder, `${name}-${hash}${extension}`);
  }

  /** The stored result, or what `compute` gives, which is then stored. A file that cannot be read, or fails the check, is computed anew. */
  async result<T>(name: string, key: CacheKey, { check, compute }: Computation<T>): Promise<T> {
    const path = this.path(name, key, ".json");
    const stored = readJson(path) as { key?: CacheKey; value?: unknown } | null | undefined;
    if (stored?.key && canonicalJson(stored.key) === canonicalJson(key) && check(stored.value)) return stored.value;
    const value = await compute();
    const temporary = `${path}.${process.pid}.tmp`; // two processes may share a cache
    writeFileSync(temporary, JSON.stringify({ key, value }));
    renameSync(temporary, path);
    return value;
  }
}

/** Lines of JSON that grow while a run goes on. */
export class Lines<T> {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  append(line: T): void {
    appendFileSync(this.#path, `\n${JSON.stringify(line)}\n`); // begins anew after a line that a crash cut short
  }

  /** Forgets all lines. */
  clear(): void {
    rmSync(this.#path, { force: true });
  }

  /** What was written so far; a line that a crash cut short is left out. */
  read(): T[] {
    if (!existsSync(this.#path)) return [];
    return readFileSync(this.#path, "utf8")
      .split("\n")
      .flatMap((line) => {
        try {
          return [JSON.parse(line) as T];
        } catch {
          return [];
        }
      });
  }
}

function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch {
    return undefined;
  }
}
