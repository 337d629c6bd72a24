// Vectors: numbers that someone else has computed, of fixed width; optionally reduced to their principal components.
import { NearkinError } from "../errors.ts";
import type { Engine } from "../linalg/engine.ts";
import { checkLeast } from "./categories.ts";
import { badValue, checkOut } from "./number.ts";
import { applyPca, decodePca, encodePca, fitPca, type Pca } from "./pca.ts";
import { prefixed, type Stored, type StoredReader } from "./stored.ts";

export interface VectorConfig {
  /** Numbers in a vector. @default as many as the first has */
  width?: number;
  /** Reduce to so many principal components, or as many as the training vectors have. @default no reduction */
  pca?: number;
}

export interface VectorTransform {
  readonly type: "vector";
  /** Numbers in a vector as it comes. */
  readonly width: number;
  /** Training items with a vector. */
  readonly count: number;
  /** Training items without one. */
  readonly missing: number;
  readonly pca?: Pca;
}

/** Learns from the vectors of the training items. */
export function fitVector(
  engine: Engine,
  vectors: Iterable<ArrayLike<number> | undefined>,
  config: VectorConfig = {},
): VectorTransform {
  if (config.width !== undefined) checkLeast("fitVector: width", config.width, 1);
  const present: ArrayLike<number>[] = [];
  let missing = 0;
  let width = config.width;
  for (const vector of vectors) {
    if (vector === undefined) {
      missing++;
      continue;
    }
    width ??= vector.length;
    checkVectorValue(vector, width, missing + present.length);
    present.push(vector);
  }
  if (width === undefined || width === 0 || present.length === 0) {
    throw new NearkinError(
      "BAD_ARGUMENT",
      `fitVector: none of the ${missing + present.length} training items has a vector; leave the channel out`,
    );
  }
  const known = { type: "vector", width, count: present.length, missing } as const;
  return config.pca === undefined ? known : { ...known, pca: pcaOf(engine, present, width, config.pca) };
}

/** A vector as a channel's input; missing gives undefined and leaves `out` as it is. */
export function applyVector(
  { width, pca }: VectorTransform,
  vector: ArrayLike<number> | undefined,
  out = new Float32Array(pca?.dimensions ?? width),
): Float32Array | undefined {
  checkOut("applyVector", out, pca?.dimensions ?? width);
  if (vector === undefined) return undefined;
  checkVectorValue(vector, width);
  if (pca) return applyPca(pca, vector, out);
  out.set(vector);
  return out;
}

export function encodeVector({ pca, ...json }: VectorTransform): Stored {
  if (!pca) return { json, tensors: {} };
  const reduced = encodePca(pca);
  return { json: { ...json, pca: reduced.json }, tensors: prefixed("pca.", reduced.tensors) };
}

export function decodeVector(stored: StoredReader): VectorTransform {
  const transform: VectorTransform = {
    type: "vector",
    width: stored.count("width", 1),
    count: stored.count("count", 1),
    missing: stored.count("missing"),
    ...(stored.has("pca") ? { pca: decodePca(stored.part("pca")) } : {}),
  };
  if (transform.pca && transform.pca.width !== transform.width) throw stored.problem(`"pca" is of another width`);
  return transform;
}

/** Principal components of vectors that are checked. */
export function pcaOf(engine: Engine, vectors: readonly ArrayLike<number>[], width: number, dimensions: number): Pca {
  const rows = new Float32Array(vectors.length * width);
  for (let i = 0; i < vectors.length; i++) rows.set(vectors[i], i * width);
  return fitPca(engine, rows, { width, dimensions });
}

const LARGEST = 3.4028234663852886e38; // a 32-bit float

/** Of this width, finite, and within the range of 32-bit floats. */
export function checkVectorValue(vector: ArrayLike<number>, width: number, position?: number): void {
  if (vector.length !== width) {
    throw badValue(`expected a vector of ${width} numbers, got ${vector.length}`, position);
  }
  for (let j = 0; j < width; j++) {
    if (!(Math.abs(vector[j]) <= LARGEST)) {
      throw badValue(`expected a vector of finite 32-bit floats, got ${vector[j]} at ${j}`, position);
    }
  }
}
