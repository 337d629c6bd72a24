// The files of a model folder, for core to read.
import { open, stat } from "node:fs/promises";
import { join } from "node:path";
import { NearkinError, type ReadModelFile } from "@nearkin/core";

const PIECE = 2 ** 30; // one read of Node takes at most 2 GiB, and so does readFile

/** Reads the files of a model folder. */
export function readFolder(folder: string): ReadModelFile {
  return async (name) => {
    const found = await stat(folder).catch(() => undefined);
    if (!found?.isDirectory()) {
      throw new NearkinError(
        "BAD_MODEL",
        `${folder} ${found ? "is not" : "does not exist; expected"} a folder that nearkin train wrote`,
      );
    }
    try {
      await using file = await open(join(folder, name));
      const { size } = await file.stat();
      const bytes = new Uint8Array(size);
      for (let at = 0; at < size; ) {
        const { bytesRead } = await file.read(bytes, at, Math.min(PIECE, size - at), at);
        if (bytesRead === 0) throw new Error("it became shorter while being read");
        at += bytesRead;
      }
      return bytes;
    } catch (cause) {
      const { code, message } = cause as NodeJS.ErrnoException;
      throw new Error(code === "ENOENT" ? `there is no ${join(folder, name)}` : `${join(folder, name)}: ${message}`, {
        cause,
      });
    }
  };
}
