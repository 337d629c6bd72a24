// Any number of texts → vectors: each distinct text once, chunk by chunk, every chunk kept as soon as it is done.
import { NearkinError } from "@nearkin/core";
import { type CacheOptions, type EmbeddingCache, openCache } from "./cache.ts";
import { textKey } from "./chunk-file.ts";
import { type Encoder, isBlank } from "./encoder.ts";

/** Seconds above which `estimateAdvice` has something to say. */
const PATIENCE = 15 * 60;

/** Texts of the first chunk: enough to tell the rate, few enough to tell it soon. */
const FIRST_CHUNK = 32;

export interface EncodeEstimate {
  /** Distinct texts in all, blank ones aside. */
  texts: number;
  /** Those that were in the cache. */
  cached: number;
  /** Measured on the first chunk, the encoder's start included. */
  perSecond: number;
  secondsLeft: number;
}

export interface EncodeProgress {
  /** Distinct texts done, those in the cache included. */
  done: number;
  /** Distinct texts in all, blank ones aside. */
  texts: number;
  /** Those that were in the cache. */
  cached: number;
}

export interface EncodeAllOptions extends Pick<CacheOptions, "onWarning"> {
  /** Folder, an open cache, or false for none. @default NEARKIN_CACHE, or `nearkin` in the user's cache folder */
  cache?: string | EmbeddingCache | false;
  /** Texts that are encoded and kept together: the most that a killed process loses. Changes no vector. @default 256 */
  chunkSize?: number;
  onProgress?: (progress: EncodeProgress) => void;
  /** Called once, after the first chunk, if there is more to do. Abort the signal here to stop: the chunk is kept. */
  onEstimate?: (estimate: EncodeEstimate) => void;
  /** Stops the work; what the finished chunks hold is kept. */
  signal?: AbortSignal;
}

/**
 * The vectors of all texts, row-major (n, d), those of blank texts zero. A run that was killed goes on where it stopped.
 *
 * @example
 * const vectors = await encodeAll(encoder, plots, { onEstimate: (e) => print(estimateAdvice(e)) });
 */
export async function encodeAll(
  encoder: Encoder,
  texts: readonly string[],
  { cache, chunkSize = 256, onProgress, onEstimate, onWarning, signal }: EncodeAllOptions = {},
): Promise<Float32Array<ArrayBuffer>> {
  if (!Number.isSafeInteger(chunkSize) || chunkSize < 1) {
    throw new NearkinError(
      "BAD_ARGUMENT",
      `encodeAll: chunkSize must be a whole number of at least 1, got ${chunkSize}`,
    );
  }
  signal?.throwIfAborted();
  const d = encoder.dimensions;
  const out = new Float32Array(texts.length * d); // (n, d)
  const { keys, rows, firstRow } = distinct(texts);
  const write = (k: number, vector: Float32Array) => out.set(vector, rows[k] * d);

  const store = await openStore(encoder, cache, onWarning);
  const todo = store ? await store.read(keys, write) : [...keys.keys()];
  const cached = keys.length - todo.length;
  let done = cached;
  const report = (more: number) => onProgress?.({ done: done + more, texts: keys.length, cached });
  report(0);

  for (let start = 0; start < todo.length; ) {
    signal?.throwIfAborted();
    const chunk = todo.slice(start, start + (start === 0 ? Math.min(chunkSize, FIRST_CHUNK) : chunkSize));
    const began = performance.now();
    const vectors = await encoder.encode(
      chunk.map((k) => texts[rows[k]]),
      { ...(signal && { signal }), onProgress: report },
    );
    if (vectors.length !== chunk.length * d) {
      const expected = `(${chunk.length}, ${d})`;
      throw new NearkinError(
        "SHAPE_MISMATCH",
        `${encoder.name}: expected vectors ${expected}, got ${vectors.length} values`,
      );
    }
    for (const [i, k] of chunk.entries()) write(k, vectors.subarray(i * d, (i + 1) * d));
    await store?.add(
      chunk.map((k) => keys[k]),
      vectors,
    );
    done += chunk.length;
    const left = keys.length - done;
    const first = start === 0;
    start += chunk.length;
    if (first && left > 0) {
      const perSecond = (1000 * chunk.length) / (performance.now() - began);
      onEstimate?.({ texts: keys.length, cached, perSecond, secondsLeft: left / perSecond });
    }
  }
  for (const [i, first] of firstRow.entries()) {
    if (first >= 0 && first !== i) out.copyWithin(i * d, first * d, (first + 1) * d);
  }
  return out;
}

/** What to try instead when the work would take more than 15 minutes; `undefined` when it would not. */
export function estimateAdvice({ texts, cached, perSecond, secondsLeft }: EncodeEstimate): string | undefined {
  if (secondsLeft <= PATIENCE) return undefined;
  const minutes = Math.round(secondsLeft / 60);
  const time = minutes < 120 ? `${minutes} minutes` : `${Math.round(minutes / 60)} hours`;
  return [
    `Encoding will take about ${time}: ${texts - cached} texts at ${perSecond.toPrecision(2)} a second. Faster choices:`,
    "  lsa              fitted on the texts themselves in seconds, coarser",
    "  vectors:<file>   vectors made elsewhere, for example on a GPU",
    "  hf:<folder>      a smaller or quantised model (onnx/model_quantized.onnx)",
    "Stopping loses nothing: finished chunks are kept, and the next run goes on from there.",
  ].join("\n");
}

/** Each distinct text's key and first row; for each row the first with the same text, or -1 for a blank one. */
function distinct(texts: readonly string[]) {
  const keys: string[] = [];
  const rows: number[] = [];
  const firstRow = new Int32Array(texts.length).fill(-1);
  const seen = new Map<string, number>();
  for (const [i, text] of texts.entries()) {
    if (isBlank(text)) continue;
    const key = textKey(text);
    const first = seen.get(key);
    firstRow[i] = first ?? i;
    if (first !== undefined) continue;
    seen.set(key, i);
    keys.push(key);
    rows.push(i);
  }
  return { keys, rows, firstRow };
}

async function openStore(
  encoder: Encoder,
  cache: string | EmbeddingCache | false | undefined,
  onWarning: CacheOptions["onWarning"],
): Promise<EmbeddingCache | undefined> {
  if (cache === false) return undefined;
  if (typeof cache === "object") return cache;
  return openCache(encoder, { ...(cache !== undefined && { cache }), ...(onWarning && { onWarning }) });
}
