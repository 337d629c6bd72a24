// The file that an export writes: it appears whole, or not at all.
import { mkdir, open, rename, rm, stat } from "node:fs/promises";
import { dirname, extname, resolve } from "node:path";
import { NearkinError } from "@nearkin/core";
import { InterruptedError, type StopSignals } from "../training-stop.ts";

/** The kind of file that a name asks for; what cannot be written is refused before anything is computed. */
export async function checkOut<Kind extends string>(path: string, kinds: readonly Kind[]): Promise<Kind> {
  const kind = kinds.find((one) => one === extname(path).toLowerCase());
  if (kind === undefined) {
    const expected = `${kinds.slice(0, -1).join(", ")} or ${kinds[kinds.length - 1]}`;
    throw new NearkinError("BAD_ARGUMENT", `--out: expected a file that ends in ${expected}, got ${path}`);
  }
  if ((await stat(path).catch(() => undefined))?.isDirectory()) {
    throw new NearkinError(
      "BAD_ARGUMENT",
      `--out: ${path} is a folder; name a file that is not there yet, or one to replace`,
    );
  }
  return kind;
}

/** Whatever goes wrong in writing, a full disk above all, names the file. */
export async function naming<T>(path: string, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (cause) {
    if (cause instanceof NearkinError) throw cause;
    throw new NearkinError("BAD_ARGUMENT", `--out: ${path} cannot be written: ${(cause as Error).message}`, { cause });
  }
}

/** Permissions of a file with what users did: its owner's alone. */
export const PRIVATE = 0o600;

/** A text that grows, under another name. */
export interface TextFile extends AsyncDisposable {
  append(text: string): Promise<void>;
  /** Puts it in its place. */
  finish(): Promise<void>;
}

/** @param mode permissions, less the umask */
export async function openTextFile(path: string, mode = 0o666): Promise<TextFile> {
  const target = resolve(path);
  const temporary = `${target}.${process.pid}.tmp`;
  await mkdir(dirname(target), { recursive: true });
  const file = await open(temporary, "w", mode);
  return {
    append: (text) => file.appendFile(text),
    async finish() {
      await file.sync();
      await file.close();
      await rename(temporary, target);
    },
    async [Symbol.asyncDispose]() {
      await file.close(); // once more does no harm
      await rm(temporary, { force: true });
    },
  };
}

/** Lets signals have their turn. Where one came, nothing is written. */
export async function turnOf(stop: StopSignals): Promise<void> {
  await new Promise((turn) => setImmediate(turn));
  if (stop.signal.aborted) throw new InterruptedError("stopped; nothing was written");
}
