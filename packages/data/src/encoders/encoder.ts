// What every text encoder is, whatever computes it.

export interface EncodeOptions {
  /** Stops between texts; `encode` then throws the signal's reason. */
  signal?: AbortSignal;
  /** Called with the number of texts done so far. */
  onProgress?: (done: number) => void;
}

/**
 * Texts → vectors. A text's vector depends on that text alone, to the last bit: not on its neighbours in the call, their order,
 * or the number of threads. So vectors may be cached by text.
 */
export interface Encoder extends AsyncDisposable {
  /** What was asked for: "minilm", "hf:my-model". */
  readonly name: string;
  /** Everything that decides the bits: weights and engine, with versions. Part of the cache's key. */
  readonly model: string;
  /** d, the width of a vector. */
  readonly dimensions: number;
  /** Row-major (n, d). Rows have norm 1; a blank text has the zero row, which means "no vector". */
  encode(texts: readonly string[], options?: EncodeOptions): Promise<Float32Array<ArrayBuffer>>;
  /** Frees threads and memory. Calls under way fail; closing twice is harmless. */
  close(): Promise<void>;
}

/** Whether a text has nothing to encode. */
export const isBlank = (text: string): boolean => text.trim() === "";

/** Writes `vector` at `offset` of `out`, scaled to norm 1; a vector without length stays zero. Sums in float64. */
export function writeUnit(out: Float32Array, offset: number, vector: Float32Array | Float64Array): void {
  let squares = 0;
  for (const value of vector) squares += value * value;
  const norm = Math.sqrt(squares);
  if (norm > 0) for (let j = 0; j < vector.length; j++) out[offset + j] = vector[j] / norm;
}
