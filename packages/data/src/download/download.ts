// A dataset from its name to a folder that `prepare` reads: fetched, checked, unpacked.
import { readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { NearkinError } from "@nearkin/core";
import { type Dataset, findDataset, GROUPLENS, type ManualDataset, type PublicDataset } from "./catalogue.ts";
import { parseMd5 } from "./checksum.ts";
import { type ConnectionOptions, fetchText } from "./connection.ts";
import { onDisk } from "./disk.ts";
import { fetchFile } from "./fetch.ts";
import { type UnpackedFile, unpack } from "./unpack.ts";

export interface DownloadOptions extends Omit<ConnectionOptions, "advice"> {
  /** Where the files go; must not exist yet, or be empty. @default the dataset's name */
  folder?: string;
  /** Address of the folder that holds the archives: a mirror. @default the publisher's */
  baseUrl?: string;
  /** Keep the archive beside the folder. @default false */
  keepArchive?: boolean;
  onProgress?: (progress: DownloadProgress) => void;
}

export interface DownloadProgress {
  stage: "fetch" | "unpack";
  bytes: number;
  total: number | undefined;
}

export interface DownloadResult {
  dataset: PublicDataset;
  /** As given. */
  folder: string;
  /** Where the archive came from. */
  url: string;
  /** MD5 of the archive. */
  md5: string;
  files: readonly UnpackedFile[];
  /** The folder held the finished download before; nothing was fetched. */
  alreadyThere: boolean;
  /** The archive, where it was kept. */
  archive?: string;
}

/** What a finished download leaves in its folder: proof that it is whole, and a note of where the data is from. */
interface Note {
  dataset: string;
  url: string;
  md5: string;
  licence: string;
  files: UnpackedFile[];
}

const NOTE = "nearkin-download.json";

/** Fetches, checks and unpacks a dataset. Repeated, it goes on where it stopped, and does nothing once it is done. */
export async function downloadDataset(name: string, options: DownloadOptions = {}): Promise<DownloadResult> {
  const { baseUrl = GROUPLENS, keepArchive = false, onProgress, ...connection } = options;
  const dataset = findDataset(name);
  const folder = options.folder ?? dataset.name;
  if (dataset.access === "manual") throw byHand(dataset, folder);
  const url = addressOf(dataset, baseUrl);
  const done = await findFinished(dataset, folder);
  if (done) return { dataset, folder, url: done.url, md5: done.md5, files: done.files, alreadyThere: true };

  // The publisher's address also where a mirror failed: elsewhere the mirror may not be known.
  const advice =
    `fetch ${addressOf(dataset, GROUPLENS)} elsewhere and unpack it so that ${join(folder, dataset.contains)} is there; ` +
    `then: ${howToPrepare(dataset, folder)}`;
  const md5 = dataset.md5 ?? (await publishedMd5(url, dataset.file, { ...connection, advice }));
  const archive = join(dirname(resolve(folder)), dataset.file);
  const { alreadyThere } = await fetchFile(url, archive, {
    ...connection,
    md5,
    advice,
    onProgress: (bytes, total) => onProgress?.({ stage: "fetch", bytes, total }),
  });
  const files = await unpack(archive, resolve(folder), {
    onProgress: (bytes, total) => onProgress?.({ stage: "unpack", bytes, total }),
    seal: async (temporary, unpacked) => {
      const note: Note = { dataset: dataset.name, url, md5, licence: dataset.licenceUrl, files: [...unpacked] };
      await onDisk(temporary, writeFile(join(temporary, NOTE), `${JSON.stringify(note, null, 2)}\n`, { flush: true }));
    },
  });
  const result = { dataset, folder, url, md5, files, alreadyThere: false };
  // An archive that someone else put there is not ours to delete.
  if (keepArchive || alreadyThere) return { ...result, archive };
  await onDisk(archive, rm(archive, { force: true }));
  return result;
}

/**
 * The command that makes a dataset of a downloaded folder.
 *
 * @example
 * howToPrepare(findDataset("ml-1m"), "my films") // => "nearkin prepare --layout movielens 'my films'"
 */
export function howToPrepare(dataset: Dataset, folder: string): string {
  return `nearkin prepare --layout ${dataset.layout} ${shellWord(folder)}`;
}

/** One word of a command line that can be pasted into a shell. */
export function shellWord(text: string): string {
  return /^[\w./:@%+=,~-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

function byHand(dataset: ManualDataset, folder: string): NearkinError {
  return new NearkinError(
    "DOWNLOAD_FAILED",
    `${dataset.title} cannot be fetched by a program (${dataset.reason}); get it from ${dataset.page} and put ` +
      `${dataset.contains} into ${folder}; then: ${howToPrepare(dataset, folder)}`,
  );
}

function addressOf(dataset: PublicDataset, baseUrl: string): string {
  const base = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  if (!base || !["http:", "https:"].includes(base.protocol)) {
    throw new NearkinError(
      "BAD_ARGUMENT",
      `download: expected an http or https address of the folder that holds ${dataset.file}, got "${baseUrl}"`,
    );
  }
  if (!base.pathname.endsWith("/")) base.pathname += "/";
  return new URL(dataset.file, base).href;
}

async function publishedMd5(url: string, file: string, options: ConnectionOptions): Promise<string> {
  const text = await fetchText(`${url}.md5`, options);
  const md5 = parseMd5(text, file);
  if (md5) return md5;
  const start = JSON.stringify(text.slice(0, 60));
  throw new NearkinError(
    "DOWNLOAD_FAILED",
    `${url}.md5 does not hold the md5 of ${file}, it begins ${start}; ${options.advice}`,
  );
}

/** The note of a finished download in `folder`; `undefined` where the folder is free. */
async function findFinished(dataset: PublicDataset, folder: string): Promise<Note | undefined> {
  const names = await onDisk(
    folder,
    readdir(folder).catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return [];
      throw error;
    }),
  );
  if (names.length === 0) return undefined;
  const note = await readNote(folder);
  if (note?.dataset !== dataset.name) {
    const what = note ? `holds ${note.dataset}` : "is not empty and no finished download";
    throw new NearkinError("BAD_ARGUMENT", `download: ${folder} ${what}; name another folder, or remove this one`);
  }
  const changed = await changedFile(note, dataset, folder);
  if (changed) {
    throw new NearkinError(
      "BAD_FILE",
      `${join(folder, changed)} is not as it was downloaded; remove ${folder} to fetch it anew`,
    );
  }
  return note;
}

async function readNote(folder: string): Promise<Note | undefined> {
  try {
    const note = JSON.parse(await readFile(join(folder, NOTE), "utf8")) as Partial<Note> | null;
    return typeof note?.dataset === "string" && Array.isArray(note.files) ? (note as Note) : undefined;
  } catch {
    return undefined;
  }
}

/** The first thing in the folder that is not what was unpacked. Sizes only: reading gigabytes to say "already there" helps nobody. */
async function changedFile(note: Note, dataset: PublicDataset, folder: string): Promise<string | undefined> {
  if (dataset.md5 !== undefined && note.md5 !== dataset.md5) return NOTE;
  for (const { path, bytes } of note.files) {
    const size = await stat(join(folder, path)).then(
      (found) => found.size,
      () => undefined,
    );
    if (size !== bytes) return path;
  }
  return undefined;
}
