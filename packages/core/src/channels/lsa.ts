// Latent semantic analysis: texts as weighted words (tfidf.ts), turned into the directions in which the training texts differ most.
//
//   X (texts, terms) ≈ U·diag(σ_1 … σ_k)·Wᵀ,  y = Wᵀx / ‖Wᵀx‖
//
// Deerwester, Dumais, Furnas, Landauer & Harshman, "Indexing by latent semantic analysis" (1990). Words that come in the same
// texts point the same way, so that two texts can be near without sharing a word. Unlike a pretrained encoder it needs no download.
import { NearkinError } from "../errors.ts";
import { randomizedSvd } from "../linalg/decompositions/randomized-svd.ts";
import { type SparseMatrix, sparseOperator } from "../linalg/decompositions/sparse-operator.ts";
import type { Engine } from "../linalg/engine.ts";
import { Random } from "../linalg/random.ts";
import { checkLeast } from "./categories.ts";
import { checkOut } from "./number.ts";
import { matrixTensor, prefixed, type Stored, type StoredReader, vectorTensor } from "./stored.ts";
import {
  applyTfidf,
  decodeTfidf,
  encodeTfidf,
  fitTfidf,
  type TermWeights,
  type TextAbsence,
  type Tfidf,
  type TfidfConfig,
} from "./tfidf.ts";

const SMALLEST = 1e-6; // σ_j/σ_1, and length of a projection of a unit vector, that rounding alone can make

export interface LsaConfig extends TfidfConfig {
  /** k; less where the training texts span fewer directions. @default 128 */
  dimensions?: number;
  /** Passes of the decomposition: more come closer to the exact one where weights of directions are nearly equal. @default 5 */
  iterations?: number;
  /** Of the random start of the decomposition; matters only to directions of nearly equal weight. @default 0 */
  seed?: number;
}

export interface Lsa {
  readonly tfidf: Tfidf;
  /** k */
  readonly dimensions: number;
  /** (k) σ_j, largest first. */
  readonly singularValues: Float64Array;
  /** W (terms, k). */
  readonly components: Float32Array;
}

/** Learns vocabulary and directions from the training texts. Texts without a known word count for nothing. */
export function fitLsa(
  engine: Engine,
  texts: Iterable<string | undefined>,
  { dimensions = 128, iterations = 5, seed = 0, ...config }: LsaConfig = {},
): Lsa {
  checkLeast("fitLsa: dimensions", dimensions, 1);
  const all = Array.isArray(texts) ? (texts as readonly (string | undefined)[]) : Array.from(texts);
  const tfidf = fitTfidf(all, config);
  const rows: TermWeights[] = [];
  for (const text of all) {
    const row = applyTfidf(tfidf, text);
    if (typeof row !== "string") rows.push(row);
  }
  const X = sparseRows(rows, tfidf.terms.length); // (texts, terms)
  const random = new Random(seed).split("lsa");
  const { rank, singularValues, rightVectors } = randomizedSvd(engine, sparseOperator(engine, X), {
    rank: dimensions,
    iterations,
    random,
  });
  let k = 1;
  while (k < rank && singularValues[k] > SMALLEST * singularValues[0]) k++;
  const components = new Float32Array(tfidf.terms.length * k);
  for (let t = 0; t < tfidf.terms.length; t++) {
    components.set(rightVectors.subarray(t * rank, t * rank + k), t * k);
  }
  return { tfidf, dimensions: k, singularValues: singularValues.slice(0, k), components };
}

/**
 * A text as a vector of length 1; or why it has none, and then `out` stays as it is: "missing" where there is no text or no word in
 * it, "unknown" where no word of it is known.
 */
export function applyLsa(
  { tfidf, dimensions, components }: Lsa,
  text: string | undefined,
  out = new Float32Array(dimensions),
): Float32Array | TextAbsence {
  checkOut("applyLsa", out, dimensions);
  const x = applyTfidf(tfidf, text);
  if (typeof x === "string") return x;
  const y = new Float64Array(dimensions);
  for (let i = 0; i < x.indices.length; i++) {
    const weight = x.values[i];
    const row = x.indices[i] * dimensions;
    for (let j = 0; j < dimensions; j++) y[j] += weight * components[row + j];
  }
  let square = 0;
  for (let j = 0; j < dimensions; j++) square += y[j] * y[j];
  const norm = Math.sqrt(square);
  if (norm < SMALLEST) return "unknown"; // all its words lie in directions that were not kept
  for (let j = 0; j < dimensions; j++) out[j] = y[j] / norm;
  return out;
}

export function encodeLsa({ tfidf, dimensions, singularValues, components }: Lsa): Stored {
  const words = encodeTfidf(tfidf);
  return {
    json: { dimensions, tfidf: words.json },
    tensors: {
      ...prefixed("tfidf.", words.tensors),
      singularValues: vectorTensor.f64(singularValues),
      components: matrixTensor(components, tfidf.terms.length, dimensions),
    },
  };
}

export function decodeLsa(stored: StoredReader): Lsa {
  const dimensions = stored.count("dimensions", 1);
  const tfidf = decodeTfidf(stored.part("tfidf"));
  return {
    tfidf,
    dimensions,
    singularValues: stored.f64("singularValues", dimensions),
    components: stored.f32("components", tfidf.terms.length, dimensions),
  };
}

function sparseRows(rows: readonly TermWeights[], cols: number): SparseMatrix {
  const entries = rows.reduce((sum, { indices }) => sum + indices.length, 0);
  if (entries >= 2 ** 31)
    throw new NearkinError("BAD_ARGUMENT", `fitLsa: ${entries} words are too many; fit on fewer texts`);
  const starts = new Int32Array(rows.length + 1);
  const columns = new Int32Array(entries);
  const values = new Float32Array(entries);
  rows.forEach((row, i) => {
    columns.set(row.indices, starts[i]);
    values.set(row.values, starts[i]);
    starts[i + 1] = starts[i] + row.indices.length;
  });
  return { rows: rows.length, cols, starts, columns, values };
}
