// What a failing disk is called when a download meets it.
import { NearkinError } from "@nearkin/core";

const WORDS: Readonly<Record<string, string>> = {
  ENOSPC: "the disk is full; make room or choose a folder on another disk",
  EDQUOT: "your quota on this disk is used up; make room or choose a folder on another disk",
  EACCES: "no permission to write there; choose another folder",
  EPERM: "no permission to write there; choose another folder",
  EROFS: "the disk is read-only; choose another folder",
  ENOTDIR: "a part of this path is a file, not a folder; choose another folder",
  ENOENT: "it went away meanwhile, perhaps because another download of the same file finished; try again",
  ENOTEMPTY: "it is there and not empty; choose another folder",
  EBUSY: "it is in use, perhaps a mount point; choose a folder inside it",
};

/** True for an error of the file system, which names the system call that failed. */
export function isDiskError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && "syscall" in error && "code" in error;
}

/** An error of the file system in plain words; any other error as it is. */
export function explainDisk(error: unknown, path: string): unknown {
  if (!isDiskError(error)) return error;
  const words = WORDS[error.code ?? ""] ?? `${error.message}; look at the disk, or choose another folder`;
  return new NearkinError("DOWNLOAD_FAILED", `cannot write ${path}: ${words}`, { cause: error });
}

/** Awaits work on a file and explains its failure. */
export async function onDisk<T>(path: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw explainDisk(error, path);
  }
}
