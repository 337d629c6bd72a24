// The folder a run works in, `<out>.partial`: its checkpoint, and at the end the files of the model. It becomes `<out>` by one rename, so that
// there is never half a model; kill −9 leaves the last checkpoint.
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
  unlinkSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { dirname, join, resolve } from "node:path";
import { NearkinError } from "@nearkin/core";

const CHECKPOINT = "checkpoint.safetensors";
const LOCK = "lock";

export interface FolderOptions {
  /** Replace a model that is already there. @default false */
  force?: boolean;
}

export class RunFolder implements Disposable {
  readonly out: string;
  readonly partial: string;

  private constructor(out: string) {
    this.out = resolve(out);
    this.partial = `${this.out}.partial`;
  }

  static open(out: string, { force = false }: FolderOptions = {}): RunFolder {
    const folder = new RunFolder(out);
    const replaced = `${folder.out}.replaced`;
    if (isModel(replaced) && !existsSync(folder.out)) renameSync(replaced, folder.out); // killed between two renames
    if (existsSync(folder.out)) {
      const empty = isEmptyFolder(folder.out);
      if (!empty && !isModel(folder.out)) {
        throw new NearkinError("MODEL_EXISTS", `${out} is there and is no model; choose another folder with --out`);
      }
      if (!empty && !force) {
        throw new NearkinError(
          "MODEL_EXISTS",
          `${out} is there; choose another folder with --out, or replace it with --force`,
        );
      }
    }
    try {
      mkdirSync(folder.partial, { recursive: true });
    } catch (cause) {
      throw new NearkinError("BAD_ARGUMENT", `${out}: cannot be written to: ${(cause as Error).message}`, { cause });
    }
    folder.#lock();
    return folder;
  }

  /** The last checkpoint, if there is one; beside the folder where a run was killed while it moved the folder into place. */
  readCheckpoint(): Uint8Array | undefined {
    const path = [join(this.partial, CHECKPOINT), this.#aside].find((file) => existsSync(file));
    return path === undefined ? undefined : readFileSync(path);
  }

  get #aside(): string {
    return `${this.out}.checkpoint`;
  }

  writeCheckpoint(bytes: Uint8Array): void {
    writeAtomically(join(this.partial, CHECKPOINT), bytes);
  }

  /** Forgets an earlier run. */
  clear(): void {
    rmSync(this.#aside, { force: true });
    for (const name of readdirSync(this.partial)) {
      if (name !== LOCK) rmSync(join(this.partial, name), { recursive: true, force: true });
    }
  }

  path(name: string): string {
    return join(this.partial, name);
  }

  write(name: string, bytes: Uint8Array): void {
    writeAtomically(join(this.partial, name), bytes);
  }

  /** The partial folder becomes the model. */
  finish(): void {
    const checkpoint = join(this.partial, CHECKPOINT);
    if (existsSync(checkpoint)) renameSync(checkpoint, this.#aside); // until the model is in its place
    rmSync(join(this.partial, LOCK), { force: true });
    sync(this.partial);
    const replaced = `${this.out}.replaced`;
    rmSync(replaced, { recursive: true, force: true });
    if (existsSync(this.out)) renameSync(this.out, replaced);
    renameSync(this.partial, this.out);
    sync(dirname(this.out));
    rmSync(replaced, { recursive: true, force: true });
    rmSync(this.#aside, { force: true });
  }

  [Symbol.dispose](): void {
    const lock = join(this.partial, LOCK);
    if (!existsSync(lock) || readFileSync(lock, "utf8") !== String(process.pid)) return;
    unlinkSync(lock);
    if (isEmptyFolder(this.partial)) rmSync(this.partial, { recursive: true }); // nothing to go on from
  }

  /** Two runs in one folder would overwrite each other's checkpoints. The lock of a process that is gone does not count. */
  #lock(): void {
    const path = join(this.partial, LOCK);
    for (let attempt = 0; ; attempt++) {
      try {
        const file = openSync(path, "wx");
        writeSync(file, String(process.pid));
        closeSync(file);
        return;
      } catch (cause) {
        if ((cause as NodeJS.ErrnoException).code !== "EEXIST" || attempt > 1) throw cause;
        const owner = Number(readFileSync(path, "utf8"));
        if (owner === process.pid || isAlive(owner)) {
          throw new NearkinError(
            "BUSY",
            `another run (process ${owner}) is working on ${this.partial}; wait for it, or end it`,
          );
        }
        rmSync(path, { force: true });
      }
    }
  }
}

function isAlive(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

function isModel(path: string): boolean {
  return existsSync(join(path, "model.json"));
}

function isEmptyFolder(path: string): boolean {
  try {
    return readdirSync(path).length === 0;
  } catch {
    return false; // a file
  }
}

function writeAtomically(path: string, bytes: Uint8Array): void {
  writeFileSync(`${path}.tmp`, bytes);
  sync(`${path}.tmp`);
  renameSync(`${path}.tmp`, path);
}

function sync(path: string): void {
  const file = openSync(path, "r");
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
