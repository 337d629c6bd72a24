// Vectors that someone made elsewhere, by id: safetensors, npy or Parquet. Values are taken as they are, not scaled to norm 1.
// n rows, d dimensions
import { open } from "node:fs/promises";
import { basename, extname } from "node:path";
import { decodeSafetensors, NearkinError, type Tensor, toFloat32 } from "@nearkin/core";
import { decodeNpy } from "./npy.ts";

/** Vectors by id. A row of zeros means that the id has no vector. */
export interface VectorTable {
  /** d */
  dimensions: number;
  /** (n), each once. */
  ids: string[];
  /** Row-major (n, d). */
  vectors: Float32Array;
}

export interface ReadVectorsOptions {
  /** Tensor (safetensors) or column (Parquet) that holds the vectors. @default the only one there is */
  tensor?: string;
  /** Tensor, column or file that holds the ids. @default the one called `id` or `ids`, the only one there is, or the file beside */
  ids?: string;
  /** Reads Parquet; `readParquetVectors` does. It is passed in so that this file, and who imports it, does without DuckDB. */
  readParquet?: (path: string, options: { tensor?: string; ids?: string }) => Promise<VectorTable>;
}

const SIDECARS = [".ids.txt", ".ids.jsonl", ".ids.npy"];

/**
 * Reads vectors and their ids.
 *
 * - `x.safetensors`: a float tensor (n, d), and an I32 or I64 tensor (n) of ids;
 * - `x.npy`: a float array (n, d);
 * - either may have its ids in `x.ids.txt` (a line each), `x.ids.jsonl` (a JSON text or number a line) or `x.ids.npy` (integers);
 * - `x.parquet`: a column of lists or arrays of floats, and a column of ids. Needs `readParquet`.
 *
 * Throws `BAD_FILE` for a file that is cut short or has not got these, `BAD_VALUE` for NaN, infinities and repeated ids.
 */
export async function readVectors(path: string, options: ReadVectorsOptions = {}): Promise<VectorTable> {
  const { readParquet, ...names } = options;
  switch (extname(path).toLowerCase()) {
    case ".safetensors":
      return checkVectors(path, await readSafetensors(path, names));
    case ".npy":
      return checkVectors(path, await readNpy(path, names));
    case ".parquet":
      if (readParquet) return checkVectors(path, await readParquet(path, names));
      throw new NearkinError(
        "BAD_ARGUMENT",
        `readVectors: ${path} is Parquet; pass readParquet: readParquetVectors from @nearkin/data, or save it as safetensors`,
      );
    default:
      throw new NearkinError("BAD_ARGUMENT", `readVectors: expected .safetensors, .npy or .parquet, got ${path}`);
  }
}

/** Rows of `table` in the order of `ids`; an id that is not in it gets the zero row. `missing` counts rows without a vector. */
export function alignVectors(
  { dimensions: d, ids: have, vectors }: VectorTable,
  ids: readonly string[],
): { vectors: Float32Array; missing: number } {
  const rowOf = new Map(have.map((id, row) => [id, row]));
  const out = new Float32Array(ids.length * d); // (ids, d)
  let missing = 0;
  for (const [i, id] of ids.entries()) {
    const row = rowOf.get(id);
    const vector = row === undefined ? undefined : vectors.subarray(row * d, (row + 1) * d);
    if (vector?.some((value) => value !== 0)) out.set(vector, i * d);
    else missing++;
  }
  return { vectors: out, missing };
}

/** The table, once every value is finite and every id stands once. */
function checkVectors(path: string, table: VectorTable): VectorTable {
  const { dimensions: d, ids, vectors } = table;
  const seen = new Set<string>();
  for (const id of ids) {
    if (seen.has(id)) {
      throw new NearkinError("BAD_VALUE", `${path}: id ${JSON.stringify(id)} stands twice; keep one row for each id`);
    }
    seen.add(id);
  }
  const at = vectors.findIndex((value) => !Number.isFinite(value));
  if (at >= 0) {
    const id = JSON.stringify(ids[Math.floor(at / d)]);
    throw new NearkinError(
      "BAD_VALUE",
      `${path}: the vector of id ${id} has ${vectors[at]} at position ${at % d}; write a row of zeros for an item without a vector`,
    );
  }
  return table;
}

async function readSafetensors(path: string, { tensor, ids }: ReadVectorsOptions): Promise<VectorTable> {
  const tensors = decode(path, await readBytes(path), (bytes) => decodeSafetensors(bytes).tensors);
  const isFloat = ({ type, shape }: Tensor) =>
    shape.length === 2 && (type === "F32" || type === "F16" || type === "F64");
  const isId = ({ type, shape }: Tensor) => shape.length === 1 && (type === "I32" || type === "I64");
  const namesOf = (fits: (tensor: Tensor) => boolean) => [...tensors].flatMap(([name, t]) => (fits(t) ? name : []));

  const candidates = namesOf(isFloat);
  const name = tensor ?? (candidates.length === 1 ? candidates[0] : undefined);
  if (name === undefined || !candidates.includes(name)) {
    const wanted = tensor === undefined ? "" : `"${tensor}", `;
    const have = candidates.join(", ") || "none";
    const hint = candidates.length > 0 ? `; name it, as in vectors:${basename(path)}#${candidates[0]}` : "";
    throw new NearkinError(
      "BAD_FILE",
      `${path}: expected ${wanted}one float tensor of shape (n, d), got ${have}${hint}`,
    );
  }
  const matrix = tensors.get(name) as Tensor;

  const integers = namesOf(isId).filter((id) => tensors.get(id)?.shape[0] === matrix.shape[0]);
  const usual = integers.find((id) => id === "ids" || id === "id") ?? (integers.length === 1 ? integers[0] : undefined);
  const idName = ids ?? usual;
  const idTensor = idName === undefined ? undefined : tensors.get(idName);
  if (idTensor && !isId(idTensor)) {
    throw new NearkinError(
      "BAD_FILE",
      `${path}: ids "${idName}" must be I32 or I64 of shape (n), got ${idTensor.type} [${idTensor.shape}]`,
    );
  }
  const list = idTensor ? toIds(idTensor) : await readIds(path, ids);
  return tableOf(path, matrix, list);
}

async function readNpy(path: string, { ids }: ReadVectorsOptions): Promise<VectorTable> {
  const matrix = decode(path, await readBytes(path), decodeNpy);
  if (matrix.shape.length !== 2 || matrix.type === "I32" || matrix.type === "I64") {
    throw new NearkinError(
      "BAD_FILE",
      `${path}: expected floats of shape (n, d), got ${matrix.type} [${matrix.shape}]`,
    );
  }
  return tableOf(path, matrix, await readIds(path, ids));
}

function tableOf(path: string, matrix: Tensor, ids: string[]): VectorTable {
  const [n, dimensions] = matrix.shape;
  if (ids.length !== n) throw new NearkinError("BAD_FILE", `${path}: ${n} vectors, but ${ids.length} ids`);
  return { dimensions, ids, vectors: toFloat32(matrix) };
}

const toIds = ({ data }: Tensor): string[] => Array.from(data as ArrayLike<number | bigint>, String);

/** Ids from the file named, or from the one beside the vectors. */
async function readIds(path: string, named: string | undefined): Promise<string[]> {
  const stem = path.slice(0, path.length - extname(path).length);
  const looked = named === undefined ? SIDECARS.map((ending) => stem + ending) : [named];
  for (const file of looked) {
    const bytes = await readBytes(file).catch(() => undefined);
    if (!bytes) continue;
    if (file.endsWith(".npy")) return toIds(decode(file, bytes, decodeNpy));
    const lines = new TextDecoder().decode(bytes).split(/\r?\n/);
    if (lines.at(-1) === "") lines.pop();
    return /\.jsonl?$/.test(file) ? lines.map((line, i) => parseId(file, line, i + 1)) : lines;
  }
  throw new NearkinError("BAD_FILE", `${path}: no ids for its vectors; looked for ${looked.join(", ")}`);
}

function parseId(file: string, line: string, number: number): string {
  let id: unknown;
  try {
    id = JSON.parse(line);
  } catch {} // said below
  if (typeof id === "string" || Number.isSafeInteger(id)) return String(id);
  throw new NearkinError("BAD_FILE", `${file}:${number}: expected a JSON text or whole number, got ${line}`);
}

/** Says which file it was. */
function decode<T>(path: string, bytes: Uint8Array, decoder: (bytes: Uint8Array) => T): T {
  try {
    return decoder(bytes);
  } catch (cause) {
    if (!(cause instanceof NearkinError)) throw cause;
    throw new NearkinError("BAD_FILE", `${path}: ${cause.message}`, { cause });
  }
}

/** The bytes of a file, in pieces: `readFile` stops at 2 GiB. */
async function readBytes(path: string): Promise<Uint8Array> {
  try {
    const file = await open(path);
    try {
      const { size } = await file.stat();
      const bytes = new Uint8Array(size);
      for (let at = 0; at < size; ) {
        const { bytesRead } = await file.read(bytes, at, Math.min(size - at, 2 ** 30), at);
        if (bytesRead === 0) throw new Error("it became shorter while being read");
        at += bytesRead;
      }
      return bytes;
    } finally {
      await file.close();
    }
  } catch (cause) {
    throw new NearkinError("BAD_FILE", `${path}: cannot be read (${(cause as Error).message})`, { cause });
  }
}
