// all-MiniLM-L6-v2 and its kin (sentence-transformers): a text's vector is the mean of BERT's last rows, scaled to norm 1.
import { NearkinError } from "../errors.ts";
import type { Engine } from "../linalg/engine.ts";
import type { Matrix } from "../linalg/matrix.ts";
import { transformerOf } from "../linalg/transformer.ts";
import { type Bert, bertForward, type PieceBatch } from "./bert.ts";
import { readBertConfig, readBertWeights } from "./bert-weights.ts";
import { readWordPiece } from "./word-piece.ts";

/** Says which arithmetic made a vector, for whoever keeps vectors: it changes whenever a bit of any vector does. */
export const MINILM_ARITHMETIC = "nearkin-1";

/** Pieces that are computed together: the weights are read once for all of them. Changes speed only. */
const BATCH = 256;

/** The files of the model, as they are published. */
export interface MiniLmFiles {
  /** model.safetensors, F16 or F32. */
  weights: Uint8Array;
  /** tokenizer.json */
  tokenizer: Uint8Array;
  /** config.json */
  config: Uint8Array;
}

export interface MiniLmOptions {
  /** Word pieces after which a text is cut, its two marks included. @default 256 */
  mostPieces?: number;
}

export interface MiniLm extends Disposable {
  /** d, the width of a vector. */
  readonly dimensions: number;
  /** Row-major (n, d), rows of norm 1. A vector depends on its text alone, to the last bit, and not on its neighbours. */
  encode(texts: readonly string[]): Float32Array<ArrayBuffer>;
  /** Gives the weights' memory back. Scopes opened on the engine after this was must be closed first. */
  close(): void;
}

/**
 * Opens the encoder on an engine, whose memory it takes 22 MB of until it is closed. Throws `BAD_FILE` for files that are damaged or of another
 * kind of model. The bytes may be let go afterwards; given as shared memory, the table of pieces is read from there instead of being copied.
 */
export function openMiniLm(engine: Engine, files: MiniLmFiles, { mostPieces = 256 }: MiniLmOptions = {}): MiniLm {
  const tokenizer = readWordPiece(files.tokenizer);
  const config = readBertConfig(files.config);
  if (!Number.isSafeInteger(mostPieces) || mostPieces < 3 || mostPieces > config.positions) {
    throw new NearkinError(
      "BAD_ARGUMENT",
      `openMiniLm: mostPieces must be a whole number from 3 to ${config.positions}, got ${mostPieces}`,
    );
  }
  if (tokenizer.size > config.pieces) {
    throw new NearkinError(
      "BAD_FILE",
      `tokenizer: it has ${tokenizer.size} pieces, the weights are for ${config.pieces}; the files belong to different models`,
    );
  }
  const scope = engine.scope();
  let isOpen = true;
  const close = () => {
    if (!isOpen) return;
    scope.close();
    isOpen = false;
  };
  try {
    const weights = readBertWeights(engine, scope, files.weights, config);
    const bert: Bert = { engine, transformer: transformerOf(engine), config, weights };
    const d = config.width;
    const room = Math.max(BATCH, mostPieces);
    // A text is cut into pieces behind those that wait; what does not fit with them becomes the first of the next batch.
    const batch: PieceBatch = { pieces: new Int32Array(room + mostPieces), starts: new Int32Array(room + 1), texts: 0 };
    const none = new Float32Array();
    let out = none; // (n, d)
    let done = 0; // texts, of those in the call

    const pool = (X: Matrix) => {
      for (let text = 0; text < batch.texts; text++) {
        writeMean(out, (done + text) * d, X, batch.starts[text], batch.starts[text + 1]);
      }
      done += batch.texts;
      batch.texts = 0;
    };
    const add = (text: string) => {
      const start = batch.starts[batch.texts];
      const end = start + tokenizer.encode(text, batch.pieces, start, mostPieces);
      if (end > room) {
        bertForward(bert, batch, pool);
        batch.pieces.copyWithin(0, start, end);
      }
      batch.starts[batch.texts + 1] = batch.starts[batch.texts] + end - start;
      batch.texts++;
    };
    return {
      dimensions: d,
      encode(texts) {
        if (!isOpen) throw new NearkinError("ENGINE_CLOSED", "minilm: the encoder is closed; open a new one");
        out = new Float32Array(texts.length * d);
        done = 0;
        batch.texts = 0; // a call that failed may have left some
        for (const text of texts) add(text);
        if (batch.texts > 0) bertForward(bert, batch, pool);
        const vectors = out;
        out = none; // they are the caller's now
        return vectors;
      },
      close,
      [Symbol.dispose]: close,
    };
  } catch (error) {
    close();
    throw error;
  }
}

/** The mean of some rows of X, scaled to norm 1; sums in f64. */
function writeMean(out: Float32Array, offset: number, X: Matrix, from: number, to: number): void {
  const { data, cols, rowStride } = X;
  let squares = 0;
  for (let j = 0; j < cols; j++) {
    let sum = 0;
    for (let i = from; i < to; i++) sum += data[X.offset + i * rowStride + j];
    out[offset + j] = sum / (to - from);
    squares += out[offset + j] ** 2;
  }
  const norm = Math.sqrt(squares);
  for (let j = 0; j < cols; j++) out[offset + j] /= norm;
}
