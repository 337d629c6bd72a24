// An output file is there as a whole or not at all: it is written under a temporary name, then renamed. Whether that will do can be asked before.
import { mkdir, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { NearkinError } from "@nearkin/core";

/** Beside the file: a rename works within one file system only. */
const temporaryOf = (path: string): string => `${path}.${process.pid}.tmp`;

/** Whether `--out` can be written, asked before minutes or hours of work: the folder is made, and a file like the temporary one tried. */
export async function checkOutPath(path: string): Promise<void> {
  if ((await stat(path).catch(() => undefined))?.isDirectory()) {
    throw new NearkinError("BAD_ARGUMENT", `--out: ${path} is a folder; name a file`);
  }
  await withTemporary(path, async (temporary) => {
    await writeFile(temporary, "");
    await rm(temporary);
  });
}

/** A reader sees all of the text, or the file as it was. */
export async function writeWhole(path: string, text: string): Promise<void> {
  await withTemporary(path, async (temporary) => {
    await writeFile(temporary, text);
    await rename(temporary, path);
  });
}

/** Whatever happens, nothing is left of the temporary file. */
async function withTemporary(path: string, write: (temporary: string) => Promise<void>): Promise<void> {
  const temporary = temporaryOf(path);
  try {
    await mkdir(dirname(path), { recursive: true });
    await write(temporary);
  } catch (cause) {
    await rm(temporary, { force: true }).catch(() => undefined);
    throw new NearkinError("BAD_ARGUMENT", `--out: ${path} cannot be written: ${(cause as Error).message}`, { cause });
  }
}
