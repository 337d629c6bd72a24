// Principal components: the directions in which the training vectors differ most. n rows, d their width, k components kept.
//
//   mean μ (d),  C = 1/n · Σ (x − μ)(x − μ)ᵀ = Σ_j λ_j v_j v_jᵀ,  y_j = v_jᵀ(x − μ)
//
// C is summed in float64 in blocks of fixed size and order, so that it does not depend on the number of workers.
import { NearkinError } from "../errors.ts";
import { symmetricEigen } from "../linalg/decompositions/symmetric-eigen.ts";
import type { Engine } from "../linalg/engine.ts";
import { checkLeast } from "./categories.ts";
import { checkOut } from "./number.ts";
import { matrixTensor, type Stored, type StoredReader, vectorTensor } from "./stored.ts";

const BLOCK = 1024; // rows

export interface PcaConfig {
  /** d, the width of a row. */
  width: number;
  /** Components to keep; fewer are kept where the rows do not span so many directions. */
  dimensions: number;
}

export interface Pca {
  /** d */
  readonly width: number;
  /** k */
  readonly dimensions: number;
  /** Rows it was fitted on. */
  readonly count: number;
  /** (d) */
  readonly mean: Float32Array;
  /** (k, d), orthonormal rows, by variance, largest first; the entry that is largest in size is positive. */
  readonly components: Float32Array;
  /** (k) λ_j: variance along each component, over the population. */
  readonly variances: Float64Array;
  /** Σ λ_j over all d. */
  readonly totalVariance: number;
}

/** Fits on rows (n, d), row-major: those of the training items, and no others. */
export function fitPca(engine: Engine, rows: Float32Array, { width, dimensions }: PcaConfig): Pca {
  checkLeast("fitPca: width", width, 1);
  checkLeast("fitPca: dimensions", dimensions, 1);
  const n = rows.length / width;
  if (!Number.isInteger(n)) {
    throw new NearkinError("SHAPE_MISMATCH", `fitPca: ${rows.length} numbers are not whole rows of ${width}`);
  }
  if (n < 2) throw new NearkinError("BAD_ARGUMENT", `fitPca: needs at least 2 training vectors, got ${n}`);
  const mean = columnMeans(rows, width);
  const { values, vectors } = symmetricEigen(covariance(engine, rows, mean), width);

  // Rounding alone makes variances of this size, from the products and from the mean.
  const noise = Math.max(values[0] * Math.max(n, width) * 2 ** -52, 1e-20 * mean.reduce((sum, x) => sum + x * x, 0));
  let k = 0;
  while (k < Math.min(dimensions, n - 1, width) && values[k] > noise) k++;
  if (k === 0) {
    throw new NearkinError(
      "BAD_ARGUMENT",
      `fitPca: all ${n} training vectors are equal; look at what made them, or leave the channel out`,
    );
  }
  return {
    width,
    dimensions: k,
    count: n,
    mean: Float32Array.from(mean),
    components: Float32Array.from(vectors.subarray(0, k * width)),
    variances: Float64Array.from(values.subarray(0, k)),
    totalVariance: values.reduce((sum, value) => sum + Math.max(value, 0), 0),
  };
}

/** A vector of d as its k components. Sums are in float64. */
export function applyPca(
  { width, dimensions, mean, components }: Pca,
  x: ArrayLike<number>,
  out = new Float32Array(dimensions),
): Float32Array {
  if (x.length !== width) {
    throw new NearkinError("SHAPE_MISMATCH", `applyPca: expected ${width} numbers, got ${x.length}`);
  }
  checkOut("applyPca", out, dimensions);
  // Four components at a time: each sum waits for its own last addition, so four run abreast. The order within a sum is the same.
  let j = 0;
  for (; j + 4 <= dimensions; j += 4) {
    const row = j * width;
    let [y0, y1, y2, y3] = [0, 0, 0, 0];
    for (let i = 0; i < width; i++) {
      const centred = x[i] - mean[i];
      y0 += components[row + i] * centred;
      y1 += components[row + width + i] * centred;
      y2 += components[row + 2 * width + i] * centred;
      y3 += components[row + 3 * width + i] * centred;
    }
    out[j] = y0;
    out[j + 1] = y1;
    out[j + 2] = y2;
    out[j + 3] = y3;
  }
  for (; j < dimensions; j++) {
    let y = 0;
    for (let i = 0; i < width; i++) y += components[j * width + i] * (x[i] - mean[i]);
    out[j] = y;
  }
  return out;
}

export function encodePca({ width, dimensions, count, totalVariance, mean, components, variances }: Pca): Stored {
  return {
    json: { width, dimensions, count, totalVariance },
    tensors: {
      mean: vectorTensor.f32(mean),
      components: matrixTensor(components, dimensions, width),
      variances: vectorTensor.f64(variances),
    },
  };
}

export function decodePca(stored: StoredReader): Pca {
  const width = stored.count("width", 1);
  const dimensions = stored.count("dimensions", 1);
  return {
    width,
    dimensions,
    count: stored.count("count"),
    mean: stored.f32("mean", width),
    components: stored.f32("components", dimensions, width),
    variances: stored.f64("variances", dimensions),
    totalVariance: stored.number("totalVariance"),
  };
}

function columnMeans(rows: Float32Array, width: number): Float64Array {
  const n = rows.length / width;
  const mean = new Float64Array(width);
  for (let at = 0; at < rows.length; at += width) for (let j = 0; j < width; j++) mean[j] += rows[at + j];
  for (let j = 0; j < width; j++) mean[j] /= n;
  const j = mean.findIndex((x) => !Number.isFinite(x));
  if (j >= 0) throw new NearkinError("NOT_FINITE", `fitPca: column ${j} has a value that is not finite`);
  return mean;
}

/** C (d, d), row-major. */
function covariance(engine: Engine, rows: Float32Array, mean: Float64Array): Float64Array {
  const width = mean.length;
  const n = rows.length / width;
  const scope = engine.scope();
  try {
    const C = scope.zeros(width, width, "f64");
    const centred = scope.matrix(Math.min(BLOCK, n), width, "f64");
    for (let first = 0; first < n; first += BLOCK) {
      const block = centred.view(0, Math.min(BLOCK, n - first));
      const { data, offset, rowStride } = block;
      for (let i = 0; i < block.rows; i++) {
        const from = (first + i) * width;
        const to = offset + i * rowStride;
        for (let j = 0; j < width; j++) data[to + j] = rows[from + j] - mean[j];
      }
      engine.syrk(C, block, { alpha: 1 / n, beta: 1, transpose: true });
    }
    return C.read();
  } finally {
    scope.close();
  }
}
