// A zip archive to a folder, all or nothing. The archive is not trusted: its whole directory is looked at before the
// first byte is written, and the folder gets its name when every file in it has the checksum the archive states.
import { createWriteStream } from "node:fs";
import { mkdir, rename, rm, rmdir } from "node:fs/promises";
import { dirname, join, sep } from "node:path";
import { Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { crc32 } from "node:zlib";
import { NearkinError } from "@nearkin/core";
import { type Entry, openPromise, type ZipFile } from "yauzl";
import { explainDisk, isDiskError, onDisk } from "./disk.ts";

export interface UnpackOptions {
  /** Most bytes an archive may unpack to. @default 20e9 */
  maxBytes?: number;
  /** Most bytes per packed byte; text packs to a tenth, a zip bomb to a thousandth. Small archives are let off. @default 200 */
  maxRatio?: number;
  /** Bytes written, and in all. */
  onProgress?: (bytes: number, total: number) => void;
  /** Called with the complete folder before it gets its name: the place for a note that it is complete. */
  seal?: (folder: string, files: readonly UnpackedFile[]) => Promise<void>;
}

export interface UnpackedFile {
  /** Within the folder, with forward slashes. */
  path: string;
  bytes: number;
}

const MAX_ENTRIES = 100_000;
/** Up to here the ratio does not matter: no harm fits into it. */
const HARMLESS = 50e6;

/** Unpacks `archive` to `folder`, which must not exist yet or be empty. A single top folder of the archive becomes `folder`. */
export async function unpack(archive: string, folder: string, options: UnpackOptions = {}): Promise<UnpackedFile[]> {
  const temporary = `${folder}.unpacking`;
  const zip = await opened(archive);
  try {
    const files = await plan(zip, archive, options);
    const total = files.reduce((sum, file) => sum + file.bytes, 0);
    await onDisk(temporary, rm(temporary, { recursive: true, force: true })); // of an attempt that was killed
    await onDisk(temporary, mkdir(temporary, { recursive: true }));
    let done = 0;
    for (const file of files) {
      await write(zip, file, temporary, archive, (bytes) => {
        done += bytes;
        options.onProgress?.(done, total);
      });
    }
    const written = files.map(({ path, bytes }) => ({ path, bytes }));
    await options.seal?.(temporary, written);
    await onDisk(folder, replaceEmpty(temporary, folder));
    return written;
  } catch (error) {
    await rm(temporary, { recursive: true, force: true }).catch(() => {}); // the first error is the one to tell
    throw error;
  } finally {
    zip.close();
  }
}

interface PlannedFile extends UnpackedFile {
  entry: Entry;
}

async function opened(archive: string): Promise<ZipFile> {
  try {
    return await openPromise(archive, { autoClose: false });
  } catch (error) {
    throw badArchive(archive, error);
  }
}

/** Reads the archive's directory and says what goes where; refuses what does not belong into a dataset. */
async function plan(zip: ZipFile, archive: string, options: UnpackOptions): Promise<PlannedFile[]> {
  const { maxBytes = 20e9, maxRatio = 200 } = options;
  const refuse = (why: string) => new NearkinError("BAD_FILE", `${archive}: ${why}; nothing was unpacked`);
  if (zip.entryCount > MAX_ENTRIES) throw refuse(`${zip.entryCount} entries, at most ${MAX_ENTRIES} are unpacked`);
  const files: PlannedFile[] = [];
  const seen = new Set<string>();
  let bytes = 0;
  let packed = 0;
  try {
    // yauzl refuses absolute names, drive letters and ".." itself, with an error for the whole archive.
    for await (const entry of zip.eachEntry()) {
      const path = entry.fileName;
      if (path.startsWith("__MACOSX/")) continue; // what macOS adds for itself
      const type = (entry.externalFileAttributes >>> 16) & 0o170000;
      if (type !== 0 && type !== 0o100000 && type !== 0o040000) {
        throw refuse(`"${path}" is a symbolic link or a device, expected files and folders`);
      }
      if (path.endsWith("/")) continue; // folders come with their files
      if (!entry.canDecodeFileData()) throw refuse(`"${path}" is encrypted or packed in an unknown way`);
      if (path === "" || path.includes("\0")) throw refuse(`${JSON.stringify(path)} is no file name`);
      if (seen.has(path)) throw refuse(`"${path}" is there twice`);
      seen.add(path);
      bytes += entry.uncompressedSize;
      packed += entry.compressedSize;
      files.push({ entry, path, bytes: entry.uncompressedSize });
    }
  } catch (error) {
    throw error instanceof NearkinError ? error : badArchive(archive, error);
  }
  if (files.length === 0) throw refuse("no files in it");
  if (bytes > maxBytes) throw refuse(`unpacks to ${bytes} bytes, at most ${maxBytes} are allowed`);
  if (bytes > HARMLESS && bytes > packed * maxRatio) {
    throw refuse(`unpacks ${packed} bytes to ${bytes}, more than ${maxRatio} times as many, as a zip bomb does`);
  }
  const top = `${files[0].path.split("/")[0]}/`;
  if (files.some((file) => !file.path.startsWith(top))) return files;
  return files.map((file) => ({ ...file, path: file.path.slice(top.length) }));
}

async function write(
  zip: ZipFile,
  file: PlannedFile,
  folder: string,
  archive: string,
  onBytes: (bytes: number) => void,
): Promise<void> {
  const target = join(folder, file.path);
  if (!target.startsWith(folder + sep)) throw badArchive(archive, new Error(`"${file.path}" leads out of the folder`));
  await onDisk(target, mkdir(dirname(target), { recursive: true }));
  let sum = 0;
  const check = new Transform({
    transform(chunk: Buffer, _encoding, next) {
      sum = crc32(chunk, sum);
      onBytes(chunk.length);
      next(null, chunk);
    },
  });
  try {
    // yauzl holds the number of bytes against the declared one, so no file grows past what plan() has seen.
    // Flushed to the disk, so that a power cut right behind the rename finds whole files.
    const out = createWriteStream(target, { flags: "wx", flush: true });
    await pipeline(await zip.openReadStreamPromise(file.entry), check, out);
  } catch (error) {
    if (isDiskError(error)) throw explainDisk(error, target);
    throw badArchive(archive, error, file.path);
  }
  if (sum !== file.entry.crc32) {
    throw badArchive(archive, new Error(`its CRC-32 is ${hex(sum)}, expected ${hex(file.entry.crc32)}`), file.path);
  }
}

/** Gives the finished folder its name; an empty folder of that name makes way, a full one does not. */
async function replaceEmpty(from: string, to: string): Promise<void> {
  await rmdir(to).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT") throw error;
  });
  await rename(from, to);
}

function hex(sum: number): string {
  return sum.toString(16).padStart(8, "0");
}

function badArchive(archive: string, error: unknown, path?: string): NearkinError {
  const where = path === undefined ? archive : `${archive}, "${path}"`;
  const why = (error instanceof Error ? error.message : String(error)).replace(/\.$/, "");
  return new NearkinError("BAD_FILE", `${where}: ${why}; nothing was unpacked: get another copy of the archive`, {
    cause: error,
  });
}
