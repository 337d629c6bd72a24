// Which items stand for all: greedily the one about which the chosen ones say least, that is of largest conditional variance
// k_ii − q_ii (Foster et al., "Stable and efficient Gaussian process calculations", 2009), which is where pivoted Cholesky puts its
// pivots. n items, d columns of Z.
import { NearkinError } from "../errors.ts";
import { pivotedCholesky } from "../linalg/decompositions/pivoted-cholesky.ts";
import type { Engine, KernelOptions } from "../linalg/engine.ts";
import { checkRowMajor, checkShape, type Matrix } from "../linalg/matrix.ts";
import { exp, logistic } from "../metric/exponential.ts";

export interface InducingInputs {
  /** Embeddings of the items to choose from (n, d), f64. */
  Z: Matrix;
  /** The kernel: link, weights, offset, variance; `rowLengths` of the items where they have them. `same` is set here. */
  options?: KernelOptions;
  /** How many. */
  count: number;
}

/** k_ii = v·e^{−½φ(0)}: v, but for the sigmoid link, where φ(0) = σ(b). */
export function selfKernel(options: KernelOptions): number {
  const { link = "linear", offset = 0, variance = 1 } = options;
  return link === "sigmoid" ? variance * exp(-0.5 * logistic(offset)) : variance;
}

/**
 * Rows of Z to use as inducing items, the most informative first: `count` of them, or fewer where the rest are duplicates of these up to
 * rounding. O(n·count·(count + d)).
 *
 * @example
 * const engine = await createEngine({ workers: 1 });
 * const Z = engine.scope().matrix(4, 1).write([0, 0.1, 5, 0]);
 * Array.from(selectInducing(engine, { Z, count: 2 })) // => [0, 2]
 */
export function selectInducing(engine: Engine, inputs: InducingInputs): Int32Array {
  const { Z, options = {}, count } = inputs;
  const n = Z.rows;
  checkShape("selectInducing: Z", Z, n, Z.cols, "f64");
  checkRowMajor("selectInducing: Z", Z);
  if (!Number.isInteger(count) || count < 1 || count > n) {
    throw new NearkinError("BAD_ARGUMENT", `selectInducing: count must be a whole number from 1 to ${n}, got ${count}`);
  }
  const scope = engine.scope();
  try {
    const same = scope.indices(n).write(new Int32Array(n).fill(-1));
    const diagonal = new Float64Array(n).fill(selfKernel(options));
    const { slope: _, ...kernel } = options;
    const column = (item: number, out: Matrix): void => {
      same.data[same.offset + item] = 0;
      const lengths = options.rowLengths && { columnLengths: element(options.rowLengths, item) };
      engine.kernel(out, Z, Z.view(item, item + 1), { ...kernel, ...lengths, same });
      same.data[same.offset + item] = -1;
    };
    return pivotedCholesky(engine, { n, rank: count, diagonal, column }).pivots;
  } finally {
    scope.close();
  }
}

/** Element i of a vector, as a vector of one. */
function element(v: Matrix, i: number): Matrix {
  return v.cols === 1 ? v.view(i, i + 1) : v.view(0, 1, i, i + 1);
}
