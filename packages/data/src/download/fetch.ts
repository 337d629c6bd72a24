// A file from the network to the disk: resumed where it stopped, checked as a whole, and only then given its name.
//   <file>.part        what has arrived
//   <file>.part.json   which version of the file that is, so that a resumed download is never half old and half new
import { mkdir, open, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { NearkinError } from "@nearkin/core";
import { md5OfFile } from "./checksum.ts";
import { brokenOff, type ConnectionOptions, connect, statusError, withRetries } from "./connection.ts";
import { explainDisk, onDisk } from "./disk.ts";

export interface FetchOptions extends ConnectionOptions {
  /** What the MD5 of the file must be, in lower-case hex. */
  md5: string;
  /** Bytes on the disk, and of the whole file where the server says. */
  onProgress?: (bytes: number, total: number | undefined) => void;
}

export interface FetchedFile {
  bytes: number;
  /** The file was there before, whole; nothing was fetched. */
  alreadyThere: boolean;
}

/** A part of a file, and the version of the file it is a part of. */
interface Part {
  url: string;
  etag?: string;
  lastModified?: string;
  /** Bytes of the whole file. */
  total?: number;
}

/** So much more than before makes a broken connection one that helped. */
const ADVANCE = 1 << 20;

/** Fetches `url` to `file`. A file of that name is taken for the download if its MD5 is right, and never overwritten. */
export async function fetchFile(url: string, file: string, options: FetchOptions): Promise<FetchedFile> {
  const there = await sizeOf(file);
  if (there !== undefined) {
    const actual = await onDisk(file, md5OfFile(file));
    if (actual === options.md5) return { bytes: there, alreadyThere: true };
    throw new NearkinError(
      "DOWNLOAD_FAILED",
      `${file} is there, but its md5 is ${actual}, expected ${options.md5}; move it away to fetch it anew`,
    );
  }
  const part = `${file}.part`;
  await onDisk(file, mkdir(dirname(file), { recursive: true }));
  let furthest = (await sizeOf(part)) ?? 0;
  await withRetries(
    options,
    () => fetchRest(url, part, options),
    async () => {
      const bytes = (await sizeOf(part)) ?? 0;
      if (bytes < furthest + ADVANCE) return false;
      furthest = bytes;
      return true;
    },
  );
  const actual = await onDisk(part, md5OfFile(part));
  if (actual !== options.md5) {
    await discard(part);
    throw new NearkinError(
      "DOWNLOAD_FAILED",
      `the md5 of ${url} is ${actual}, expected ${options.md5}; nothing was kept: it was damaged on its way, ` +
        `or the publisher changed it; try once more`,
    );
  }
  await onDisk(file, rename(part, file));
  await onDisk(file, rm(noteOf(part), { force: true }));
  return { bytes: (await sizeOf(file)) ?? 0, alreadyThere: false };
}

/** One connection: everything from where the part ends. */
async function fetchRest(url: string, part: string, options: FetchOptions): Promise<void> {
  const known = await readPart(url, part);
  if (known && known.bytes === known.total) return; // stopped between the last byte and the check
  const headers: Record<string, string> = known
    ? { range: `bytes=${known.bytes}-`, "if-range": known.validator } // another version comes whole, as a 200
    : {};
  const connection = await connect(url, headers, options);
  const { response } = connection;
  if (known && (response.status === 416 || (response.status === 206 && !continues(response, known)))) {
    // The server's file is not the one our part is of.
    await connection.close();
    await discard(part);
    return fetchRest(url, part, options);
  }
  if (response.status !== 200 && !(known && response.status === 206)) {
    await connection.close();
    throw statusError(url, response);
  }
  const resumed = response.status === 206;
  const total = resumed ? known?.total : length(response);
  let bytes = resumed && known ? known.bytes : 0;
  // Emptied before the note is written: a note is never older than the bytes it speaks of.
  const handle = await onDisk(part, open(part, resumed ? "r+" : "w"));
  try {
    if (!resumed) await onDisk(part, writeFile(noteOf(part), JSON.stringify(describe(url, response, total))));
    options.onProgress?.(bytes, total);
    for await (const chunk of connection.chunks()) {
      // By position, so that two downloads of the same file at once write the same bytes to the same places.
      for (let done = 0; done < chunk.length; ) {
        const { bytesWritten } = await onDisk(part, handle.write(chunk, done, chunk.length - done, bytes));
        done += bytesWritten;
        bytes += bytesWritten;
      }
      options.onProgress?.(bytes, total);
    }
    if (total !== undefined && bytes < total) throw brokenOff(url);
    await onDisk(part, handle.sync()); // on the disk before it gets its name
  } finally {
    await handle.close();
  }
}

/** The part and what identifies it; `undefined` where there is nothing one can safely go on from. */
async function readPart(
  url: string,
  part: string,
): Promise<{ bytes: number; total: number | undefined; validator: string; etag: string | undefined } | undefined> {
  const bytes = await sizeOf(part);
  if (!bytes) return undefined;
  let note: Part;
  try {
    note = JSON.parse(await readFile(noteOf(part), "utf8")) as Part;
  } catch {
    return undefined; // no note, or half a note: start again
  }
  // A weak tag may stand for different bytes, so RFC 9110 does not allow it here.
  const strong = note.etag?.startsWith("W/") ? undefined : note.etag;
  const validator = strong ?? note.lastModified;
  if (note.url !== url || !validator || (note.total !== undefined && bytes > note.total)) return undefined;
  return { bytes, total: note.total, validator, etag: note.etag };
}

/** Whether a 206 begins where the part ends and is of the same version: some servers do not know If-Range. */
function continues(response: Response, known: { bytes: number; total: number | undefined; etag: string | undefined }) {
  const range = /^bytes (\d+)-\d+\/(\d+|\*)$/.exec(response.headers.get("content-range") ?? "");
  if (!range || Number(range[1]) !== known.bytes) return false;
  if (range[2] !== "*" && known.total !== undefined && Number(range[2]) !== known.total) return false;
  const etag = response.headers.get("etag");
  return !etag || !known.etag || etag === known.etag;
}

function describe(url: string, response: Response, total: number | undefined): Part {
  const etag = response.headers.get("etag");
  const lastModified = response.headers.get("last-modified");
  return { url, ...(etag && { etag }), ...(lastModified && { lastModified }), ...(total !== undefined && { total }) };
}

function length(response: Response): number | undefined {
  const text = response.headers.get("content-length");
  return text && /^\d+$/.test(text) ? Number(text) : undefined;
}

async function discard(part: string): Promise<void> {
  await onDisk(part, rm(part, { force: true }));
  await onDisk(part, rm(noteOf(part), { force: true }));
}

function noteOf(part: string): string {
  return `${part}.json`;
}

async function sizeOf(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw explainDisk(error, path);
  }
}
