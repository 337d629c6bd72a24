// Vectors on disk, by encoder, model and text, so that no text is encoded twice. A folder of chunk files that are never changed: each is
// written under a temporary name and then renamed, so any number of processes may share the folder, and a killed one leaves only
// whole chunks. Nothing here is ever fatal: what cannot be read is encoded again, what cannot be written is not kept.
import { createHash, randomUUID } from "node:crypto";
import { mkdir, open, readdir, rename, rm, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { cacheFolder } from "./cache-folder.ts";
import { encodeChunk, readChunkKeys, readChunkVectors } from "./chunk-file.ts";
import type { Encoder } from "./encoder.ts";

const STALE = 60 * 60 * 1000; // ms after which a temporary file has lost its writer

export interface CacheWarning {
  /** `CACHE_CHUNK_IGNORED`: a chunk cannot be used, its texts are encoded again. `CACHE_NOT_WRITTEN`: vectors are not kept. */
  code: "CACHE_CHUNK_IGNORED" | "CACHE_NOT_WRITTEN";
  /** Chunk or folder. */
  file: string;
  /** The whole sentence. */
  message: string;
}

export interface CacheOptions {
  /** Folder above `embeddings/`. @default NEARKIN_CACHE, or `nearkin` in the user's cache folder */
  cache?: string;
  /** Called once for each chunk or folder that makes trouble. */
  onWarning?: (warning: CacheWarning) => void;
}

export interface EmbeddingCache {
  /** Where the chunks are. */
  readonly folder: string;
  /** Calls `write(i, vector)` for every key that is kept, and gives the others' positions. */
  read(keys: readonly string[], write: (index: number, vector: Float32Array) => void): Promise<number[]>;
  /** Keeps vectors, (keys, d), as one chunk. */
  add(keys: readonly string[], vectors: Float32Array): Promise<void>;
}

/** `embeddings/<name>-<hash of name, model and width>`: two models never share a folder. */
export function embeddingsFolder(
  { name, model, dimensions }: Pick<Encoder, "name" | "model" | "dimensions">,
  cache?: string,
): string {
  const hash = createHash("sha256")
    .update(JSON.stringify([name, model, dimensions]))
    .digest("hex")
    .slice(0, 16);
  const readable = name.replace(/[^\w.-]+/g, "-");
  return join(cache === undefined ? cacheFolder() : resolve(cache), "embeddings", `${readable}-${hash}`);
}

/** Opens the cache of an encoder. Reads which texts it holds; vectors only when asked for. */
export async function openCache(
  encoder: Pick<Encoder, "name" | "model" | "dimensions">,
  { cache, onWarning }: CacheOptions = {},
): Promise<EmbeddingCache> {
  const folder = embeddingsFolder(encoder, cache);
  const places = new Map<string, { file: string; row: number }>(); // by key
  const damaged = new Set<string>();
  let writable = true;

  const ignore = (file: string, error: unknown) => {
    const reason = (error as Error).message;
    damaged.add(file);
    for (const [key, place] of places) if (place.file === file) places.delete(key);
    onWarning?.({
      code: "CACHE_CHUNK_IGNORED",
      file,
      message: `the cached vectors in ${file} are ignored (${reason}); their texts are encoded again`,
    });
  };

  for (const name of await names(folder)) {
    const file = join(folder, name);
    if (name.endsWith(".tmp")) {
      await removeStale(file);
    } else if (name.endsWith(".safetensors")) {
      try {
        const keys = await readChunkKeys(file, encoder.dimensions);
        for (const [row, key] of keys.entries()) places.set(key, { file, row });
      } catch (error) {
        ignore(file, error);
      }
    }
  }

  return {
    folder,
    async read(keys, write) {
      const missing: number[] = [];
      const wanted = new Map<string, { index: number; row: number }[]>(); // by file, so that each is read once
      for (const [index, key] of keys.entries()) {
        const place = places.get(key);
        if (!place) {
          missing.push(index);
          continue;
        }
        const rows = wanted.get(place.file) ?? [];
        wanted.set(place.file, rows);
        rows.push({ index, row: place.row });
      }
      const d = encoder.dimensions;
      for (const [file, rows] of wanted) {
        try {
          const vectors = await readChunkVectors(file);
          for (const { index, row } of rows) write(index, vectors.subarray(row * d, (row + 1) * d));
        } catch (error) {
          ignore(file, error);
          missing.push(...rows.map(({ index }) => index));
        }
      }
      return missing.sort((i, j) => i - j);
    },
    async add(keys, vectors) {
      if (!writable) return;
      const { name, bytes } = encodeChunk(keys, vectors, { encoder: encoder.name, model: encoder.model });
      try {
        await mkdir(folder, { recursive: true });
        await writeWhole(join(folder, name), bytes);
        for (const [row, key] of keys.entries()) places.set(key, { file: join(folder, name), row });
        damaged.delete(join(folder, name)); // it has just been replaced
        // Only now, when something new is safe, do damaged chunks go: they would be met again at every start.
        for (const file of damaged) await rm(file, { force: true });
        damaged.clear();
      } catch (error) {
        writable = false;
        const reason = (error as Error).message;
        onWarning?.({
          code: "CACHE_NOT_WRITTEN",
          file: folder,
          message: `vectors are not kept in ${folder} (${reason}); name another folder by NEARKIN_CACHE`,
        });
      }
    },
  };
}

async function names(folder: string): Promise<string[]> {
  try {
    return (await readdir(folder)).sort();
  } catch {
    return []; // not there yet
  }
}

async function removeStale(file: string): Promise<void> {
  try {
    if (Date.now() - (await stat(file)).mtimeMs > STALE) await rm(file, { force: true });
  } catch {} // another process was faster
}

/** All of it or nothing, whenever the process or the machine stops. */
async function writeWhole(path: string, bytes: Uint8Array): Promise<void> {
  const temporary = `${path}.${process.pid}-${randomUUID()}.tmp`;
  try {
    const file = await open(temporary, "wx");
    try {
      await file.writeFile(bytes);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}
