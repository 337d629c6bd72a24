// The folder a run works in, `<out>.partial`: its checkpoint, and at the end the files of the model. It becomes `<out>` by one rename, so that
// there is never half a model; kill −9 leaves the last checkpoint. `<out>.lock` beside it says who works there.
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, resolve } from "node:path";
import { NearkinError } from "@nearkin/core";
import { dropLock, holdsLock, takeLock } from "./lock.ts";

const CHECKPOINT = "checkpoint.safetensors";

export interface FolderOptions {
  /** Replace a model that is already there. @default false */
  force?: boolean;
}

export class RunFolder implements Disposable {
  /** As given. */
  readonly out: string;
  readonly partial: string;
  readonly #path: string;
  readonly #lock: string;
  #locked = false;

  private constructor(out: string) {
    this.out = out;
    this.#path = resolve(out);
    this.partial = `${this.#path}.partial`;
    this.#lock = `${this.#path}.lock`;
  }

  static open(out: string, { force = false }: FolderOptions = {}): RunFolder {
    const folder = new RunFolder(out);
    folder.#checkFree(force); // also where nothing can be written
    try {
      mkdirSync(dirname(folder.#path), { recursive: true });
      takeLock(folder.#lock, folder.partial);
      folder.#locked = true;
      const replaced = `${folder.#path}.replaced`;
      if (isModel(replaced) && !existsSync(folder.#path)) renameSync(replaced, folder.#path); // killed between two renames
      folder.#checkFree(force);
      mkdirSync(folder.partial, { recursive: true });
    } catch (cause) {
      folder[Symbol.dispose]();
      if (cause instanceof NearkinError) throw cause;
      throw unwritable(out, cause);
    }
    return folder;
  }

  #checkFree(force: boolean): void {
    if (!existsSync(this.#path) || isEmptyFolder(this.#path)) return;
    if (!isModel(this.#path)) {
      throw new NearkinError("MODEL_EXISTS", `${this.out} is there and is no model; choose another folder with --out`);
    }
    if (!force) {
      throw new NearkinError(
        "MODEL_EXISTS",
        `${this.out} is there; choose another folder with --out, or replace it with --force`,
      );
    }
  }

  /** The last checkpoint, if there is one; beside the folder where a run was killed while it moved the folder into place. */
  readCheckpoint(): Uint8Array | undefined {
    const path = [join(this.partial, CHECKPOINT), this.#aside].find((file) => existsSync(file));
    return path === undefined ? undefined : readFileSync(path);
  }

  get #aside(): string {
    return `${this.#path}.checkpoint`;
  }

  writeCheckpoint(bytes: Uint8Array): void {
    writeAtomically(join(this.partial, CHECKPOINT), bytes);
  }

  /** Forgets an earlier run. */
  clear(): void {
    rmSync(this.#aside, { force: true });
    for (const name of readdirSync(this.partial)) rmSync(join(this.partial, name), { recursive: true, force: true });
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
    sync(this.partial);
    const replaced = `${this.#path}.replaced`;
    rmSync(replaced, { recursive: true, force: true });
    if (existsSync(this.#path)) renameSync(this.#path, replaced);
    renameSync(this.partial, this.#path);
    sync(dirname(this.#path));
    rmSync(replaced, { recursive: true, force: true });
    rmSync(this.#aside, { force: true });
    this[Symbol.dispose](); // the lock goes last: until here another run would meet half of this
  }

  [Symbol.dispose](): void {
    if (!this.#locked) return;
    this.#locked = false;
    if (holdsLock(this.#lock) && isEmptyFolder(this.partial)) rmdirSync(this.partial); // nothing to go on from
    dropLock(this.#lock);
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
  writeWhole(`${path}.tmp`, bytes);
  renameSync(`${path}.tmp`, path);
}

/** Writes a file down to the disk, or leaves none. */
function writeWhole(path: string, bytes: Uint8Array): void {
  try {
    writeFileSync(path, bytes);
    sync(path);
  } catch (cause) {
    rmSync(path, { force: true });
    throw unwritable(path, cause, ` (${(bytes.length / 1e6).toFixed(1)} MB for this file)`);
  }
}

function unwritable(path: string, cause: unknown, needed = ""): NearkinError {
  const { code = "", message } = cause as NodeJS.ErrnoException;
  const full = ["ENOSPC", "EDQUOT"].includes(code);
  const advice = full ? `; make room${needed} and go on with --resume, or choose another --out` : "";
  return new NearkinError("BAD_ARGUMENT", `${path}: cannot be written to: ${message}${advice}`, { cause });
}

function sync(path: string): void {
  const file = openSync(path, "r");
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
