// Bytes and columns of a dataset's files. A file that cannot be read after all is a BAD_DATASET that names it.
import { open } from "node:fs/promises";
import { decodeSafetensors, NearkinError, type Tensor } from "@nearkin/core";
import { type ColumnArray, Database, quote } from "../database.ts";
import { badDataset, type Dataset } from "./open.ts";

export interface LoadOptions {
  /** Threads of DuckDB; changes speed, never a result. @default the cores there are */
  threads?: number;
}

/** A database in memory to read Parquet with. Nothing is spilled: what is read goes straight into arrays. */
export function openReader({ threads }: LoadOptions = {}): Promise<Database> {
  return Database.open(":memory:", { scratch: "", ...(threads === undefined ? {} : { threads }) });
}

/** A file as a relation. [ * and ? are letters of a name here, not a pattern that may match other files. */
export function parquet(path: string): string {
  return `read_parquet(${quote(path.replaceAll(/[[*?]/g, "[$&]"))})`;
}

/** Runs `read`; whatever DuckDB or a decoder has against the file is a BAD_DATASET. A mistake of ours, and too little memory, are not. */
export async function reading<T>(
  { folder }: Pick<Dataset, "folder">,
  name: string,
  read: () => Promise<T>,
): Promise<T> {
  try {
    return await read();
  } catch (cause) {
    if (cause instanceof TypeError || (cause instanceof NearkinError && cause.code === "BAD_DATASET")) throw cause;
    const [problem] = (cause as Error).message.split("\n");
    if (problem.startsWith("Out of Memory Error")) {
      throw new NearkinError("OUT_OF_MEMORY", `${folder}: reading ${name} took too much memory (${problem})`, {
        cause,
      });
    }
    throw badDataset(folder, `${name} cannot be read (${problem})`, { cause });
  }
}

/** Fills `targets` from a query over the file `name`, which must give as many rows as they are long. */
export async function readColumns(
  dataset: Pick<Dataset, "folder">,
  name: string,
  { database, sql }: { database: Database; sql: string },
  targets: readonly ColumnArray[],
): Promise<void> {
  const expected = targets[0].length;
  const rows = await reading(dataset, name, () => database.readInto(sql, targets).catch(orTooMany));
  if (rows !== expected) {
    const wanted = expected.toLocaleString("en");
    const found =
      rows > expected ? `more than ${wanted} rows` : `${rows.toLocaleString("en")} rows instead of ${wanted}`;
    throw badDataset(dataset.folder, `${name} has ${found}`);
  }
}

/** A typed array refuses what does not fit with a RangeError: there are more rows than expected. */
function orTooMany(error: unknown): number {
  if (error instanceof RangeError) return Number.POSITIVE_INFINITY;
  throw error;
}

/** Throws unless every entry is in [0, size). */
export function checkIndices(dataset: Pick<Dataset, "folder">, name: string, indices: Int32Array, size: number): void {
  for (let i = 0; i < indices.length; i++) {
    if (indices[i] < 0 || indices[i] >= size) {
      throw badDataset(dataset.folder, `${name}: row ${i} has the index ${indices[i]}, outside [0, ${size})`);
    }
  }
}

const PIECE = 2 ** 30; // one read of Node takes at most 2 GiB, and so does readFile; a channel may be larger

/** The arrays of a safetensors file. */
export async function readTensors(dataset: Dataset, name: string): Promise<ReadonlyMap<string, Tensor>> {
  const path = dataset.path(name);
  return reading(dataset, name, async () => {
    await using file = await open(path);
    const { size } = await file.stat();
    const bytes = new Uint8Array(size);
    for (let at = 0; at < size; ) {
      const { bytesRead } = await file.read(bytes, at, Math.min(PIECE, size - at), at);
      if (bytesRead === 0) throw new Error("it ended early");
      at += bytesRead;
    }
    return decodeSafetensors(bytes).tensors;
  });
}
