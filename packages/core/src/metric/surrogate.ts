// A Gaussian process on the inputs of the content channels, which explains the collaborative factors of the items people have met, and expects
// some of every other item: the further channel of an ensemble. Fitting goes in three steps, each on numbers that do not move:
//
//   select   inducing items by greedy conditional variance under a kernel
//   fit      the few numbers of the additive kernel by the vfe likelihood of some thousand items
//   expect   the posterior on all items with targets; each of them is left out of its own mean
//
// n items, m inducing ones, p source channels, k factors.
import type { SourceRows, SurrogateSource, SurrogateTransform } from "../channels/surrogate.ts";
import {
  type AdditiveParameters,
  additiveKernel,
  additiveParameters,
  additiveSize,
  additiveVariance,
  jointAndSingleTerms,
} from "../gp/additive.ts";
import { type AdditiveFitStep, fitAdditive } from "../gp/additive-fit.ts";
import { leaveOneOutMeans } from "../gp/leave-one-out.ts";
import { fitPosterior, placePosterior, type TrainingRows } from "../gp/posterior.ts";
import type { Scope } from "../linalg/arena.ts";
import { pivotedCholesky } from "../linalg/decompositions/pivoted-cholesky.ts";
import type { Engine } from "../linalg/engine.ts";
import type { Matrix } from "../linalg/matrix.ts";
import { exp } from "./exponential.ts";
import {
  type ContentInput,
  distanceTable,
  type PlacedItems,
  placedItem,
  placeItems,
  type Source,
} from "./source-space.ts";

const BLOCK = 512; // items at a time: their distances to all inducing items are in memory

/** Where fitting starts: w, log v, log σ. */
const START = { logWeight: 0, logVariance: -1.5, logNoise: -0.35 };

export function initialSurrogate(channels: number): Float64Array {
  const terms = jointAndSingleTerms(channels);
  const flat = new Float64Array(additiveSize(terms)).fill(START.logVariance);
  flat.fill(START.logWeight, 0, 2 * channels);
  flat[flat.length - 1] = START.logNoise;
  return flat;
}

/** What the process explains. */
export interface SurrogateTargets {
  /** (n) Items. */
  readonly items: Int32Array;
  /** (n, k) */
  readonly values: Float64Array;
  readonly k: number;
  /** (n) f_i of Σ_i = σ²·f_i. */
  readonly noiseFactors: Float64Array;
}

/** Items of largest conditional variance under the kernel, `count` of them or fewer where they say everything. O(n·count·(count + Σd)). */
export function selectSurrogateInducing(
  engine: Engine,
  sources: readonly Source[],
  { items, flat, count }: { items: Int32Array; flat: Float64Array; count: number },
): Int32Array {
  const terms = jointAndSingleTerms(sources.length);
  const parameters = additiveParameters(terms, flat);
  const n = items.length;
  const scope = engine.scope();
  try {
    const all = placeItems(scope, sources, items);
    const table = scope.matrix(n, sources.length);
    const same = new Int32Array(n).fill(-1);
    const column = (item: number, out: Matrix): void => {
      same[item] = 0;
      distanceTable(engine, table, { a: all, b: placedItem(all, item), same });
      additiveKernel(engine, out, { terms, parameters, distances: table });
      same[item] = -1;
    };
    const diagonal = new Float64Array(n).fill(additiveVariance(parameters));
    return pivotedCholesky(engine, { n, rank: Math.min(count, n), diagonal, column }).pivots.map((at) => items[at]);
  } finally {
    scope.close();
  }
}

export interface SurrogateFitOptions {
  /** Items of the likelihood, by their position in the targets; the first m are inducing. */
  readonly rows: Int32Array;
  /** m */
  readonly inducing: number;
  readonly steps: number;
  readonly learningRate: number;
  /** Changed in place. */
  readonly flat: Float64Array;
}

/** Fits w, v and σ; distances are computed once. Yields after every step. */
export function* fitSurrogate(
  engine: Engine,
  sources: readonly Source[],
  targets: SurrogateTargets,
  options: SurrogateFitOptions,
): Generator<AdditiveFitStep, void, void> {
  const { rows, inducing: m, steps, learningRate, flat } = options;
  const { k } = targets;
  const n = rows.length;
  const scope = engine.scope();
  try {
    const table = scope.matrix(n * m, sources.length);
    const items = rows.map((row) => targets.items[row]);
    fillTable(engine, table, { sources, items, inducing: items.subarray(0, m) });
    const R = scope.matrix(n, k);
    const noiseFactors = scope.matrix(n, 1);
    rows.forEach((row, i) => {
      R.data.set(targets.values.subarray(row * k, (row + 1) * k), R.offset + i * k);
      noiseFactors.data[noiseFactors.offset + i] = targets.noiseFactors[row];
    });
    const problem = { terms: jointAndSingleTerms(sources.length), distances: table, R, noiseFactors };
    yield* fitAdditive(engine, problem, { steps, learningRate, flat });
  } finally {
    scope.close();
  }
}

/** Distances of items to inducing ones, block by block. */
function fillTable(
  engine: Engine,
  table: Matrix,
  { sources, items, inducing }: { sources: readonly Source[]; items: Int32Array; inducing: Int32Array },
): void {
  const m = inducing.length;
  const columns = new Map(Array.from(inducing, (item, j) => [item, j]));
  const scope = engine.scope();
  try {
    const b = placeItems(scope, sources, inducing);
    for (let from = 0; from < items.length; from += BLOCK) {
      const part = items.subarray(from, from + BLOCK);
      const same = Int32Array.from(part, (item) => columns.get(item) ?? -1);
      const inner = engine.scope();
      try {
        const a = placeItems(inner, sources, part);
        distanceTable(engine, table.view(from * m, (from + part.length) * m), { a, b, same });
      } finally {
        inner.close();
      }
    }
  } finally {
    scope.close();
  }
}

/** What the process expects of all items. */
export interface Surrogate {
  readonly transform: SurrogateTransform;
  /** (itemCount, k) Not scaled; 0 where there is nothing to go by. */
  readonly means: Float64Array;
  /** (itemCount) 1 where an item has no value in any source. */
  readonly missing: Uint8Array;
}

export interface NamedSource extends Source {
  readonly name: string;
}

/**
 * The posterior of the targets' columns from `first` on, given all of them: the mean for every item of the catalogue, that of an item with
 * targets without its own. O(n·m²).
 */
export function expectSurrogate(
  engine: Engine,
  sources: readonly NamedSource[],
  targets: SurrogateTargets,
  { flat, inducing, first, itemCount }: { flat: Float64Array; inducing: Int32Array; first: number; itemCount: number },
): Surrogate {
  const terms = jointAndSingleTerms(sources.length);
  const parameters = additiveParameters(terms, flat);
  const m = inducing.length;
  const k = targets.k - first;
  const means = new Float64Array(itemCount * k);
  const scope = engine.scope();
  try {
    const kernel = new BlockKernel(engine, scope, { sources, inducing, parameters });
    const Kmm = scope.matrix(m, m);
    engine.convert(Kmm, kernel.fill(inducing));
    const sigma = exp(parameters.logNoise);
    const R = scope.matrix(BLOCK, k);
    const [noise, diagonal] = [scope.matrix(BLOCK, 1), scope.matrix(BLOCK, 1).fill(additiveVariance(parameters))];
    const rowsOf = (from: number): TrainingRows => {
      const part = targets.items.subarray(from, from + BLOCK);
      part.forEach((_, i) => {
        const row = from + i;
        R.data.set(targets.values.subarray(row * targets.k + first, (row + 1) * targets.k), R.offset + i * k);
        noise.data[noise.offset + i] = sigma * sigma * targets.noiseFactors[row];
      });
      const block = (A: Matrix) => A.view(0, part.length);
      return { Knm: kernel.fill(part), R: block(R), noise: block(noise), diagonal: block(diagonal) };
    };
    const starts = Array.from({ length: Math.ceil(targets.items.length / BLOCK) }, (_, b) => b * BLOCK);
    function* blocks() {
      for (const from of starts) yield rowsOf(from);
    }
    const posterior = fitPosterior(engine, { likelihood: "vfe", Kmm, blocks: blocks() });
    const placed = placePosterior(scope, posterior);
    const met = new Uint8Array(itemCount);
    for (const from of starts) {
      const rows = rowsOf(from);
      const found = leaveOneOutMeans(engine, placed, rows);
      for (let i = 0; i < rows.R.rows; i++) {
        const item = targets.items[from + i];
        met[item] = 1;
        means.set(found.subarray(i * k, (i + 1) * k), item * k);
      }
    }
    const others = Int32Array.from(met.keys()).filter((item) => met[item] === 0);
    for (let from = 0; from < others.length; from += BLOCK) {
      const part = others.subarray(from, from + BLOCK);
      const found = kernel.means(part, placed.beta);
      part.forEach((item, i) => {
        means.set(found.subarray(i * k, (i + 1) * k), item * k);
      });
    }
    const missing = Uint8Array.from({ length: itemCount }, (_, item) =>
      sources.every(({ input }) => input.missing[item] !== 0) ? 1 : 0,
    );
    for (let item = 0; item < itemCount; item++) if (missing[item] === 1) means.fill(0, item * k, (item + 1) * k);
    const transform: SurrogateTransform = {
      type: "surrogate",
      width: k,
      inducing: m,
      sources: sources.map((source) => storedSource(source, inducing)),
      logWeights: flat.slice(0, 2 * sources.length),
      logVariances: parameters.logVariances,
      beta: posterior.beta,
    };
    return { transform, means, missing };
  } finally {
    scope.close();
  }
}

/** The kernel of blocks of items against the same inducing ones, in memory that is taken once. */
class BlockKernel {
  readonly #engine: Engine;
  readonly #base: PlacedItems;
  readonly #columns: ReadonlyMap<number, number>;
  readonly #sources: readonly Source[];
  readonly #parameters: AdditiveParameters;
  readonly #table: Matrix;
  readonly #K: Matrix;

  constructor(
    engine: Engine,
    scope: Scope,
    {
      sources,
      inducing,
      parameters,
    }: { sources: readonly Source[]; inducing: Int32Array; parameters: AdditiveParameters },
  ) {
    this.#engine = engine;
    this.#sources = sources;
    this.#parameters = parameters;
    this.#base = placeItems(scope, sources, inducing);
    this.#columns = new Map(Array.from(inducing, (item, j) => [item, j]));
    const most = Math.max(BLOCK, inducing.length);
    this.#table = scope.matrix(most * inducing.length, sources.length);
    this.#K = scope.matrix(most, inducing.length);
  }

  /** K (q, m), until the next is asked for. */
  fill(items: Int32Array): Matrix {
    const scope = this.#engine.scope();
    try {
      const a = placeItems(scope, this.#sources, items);
      const same = Int32Array.from(items, (item) => this.#columns.get(item) ?? -1);
      const distances = this.#table.view(0, items.length * this.#K.cols);
      distanceTable(this.#engine, distances, { a, b: this.#base, same });
      const K = this.#K.view(0, items.length);
      const terms = jointAndSingleTerms(this.#sources.length);
      additiveKernel(this.#engine, K, { terms, parameters: this.#parameters, distances });
      return K;
    } finally {
      scope.close();
    }
  }

  /** K·β (q, k) */
  means(items: Int32Array, beta: Matrix): Float64Array {
    const K = this.fill(items);
    const scope = this.#engine.scope();
    try {
      const found = scope.matrix(items.length, beta.cols);
      this.#engine.gemm(found, K, beta);
      return found.read();
    } finally {
      scope.close();
    }
  }
}

/** A channel's inputs of the inducing items, in arrays of their own. */
function storedSource({ name, input, mean, scale, length }: NamedSource, inducing: Int32Array): SurrogateSource {
  return {
    name,
    width: mean.length,
    rows: storedRows(input, inducing),
    missing: inducing.reduce((marks, item, i) => {
      marks[i] = input.missing[item];
      return marks;
    }, new Uint8Array(inducing.length)),
    mean,
    scale,
    length,
  };
}

function storedRows(input: ContentInput, inducing: Int32Array): SourceRows {
  if (input.kind === "dense") {
    const { data, offset, rowStride, cols } = input.values;
    const values = new Float32Array(inducing.length * cols);
    inducing.forEach((item, i) => {
      const at = offset + item * rowStride;
      values.set(data.subarray(at, at + cols), i * cols);
    });
    return { kind: "dense", values };
  }
  const starts = new Int32Array(inducing.length + 1);
  const columns: number[] = [];
  inducing.forEach((item, i) => {
    for (let e = input.starts[item]; e < input.starts[item + 1]; e++) columns.push(input.columns[e]);
    starts[i + 1] = columns.length;
  });
  return { kind: "sparse", starts, columns: Int32Array.from(columns), value: input.value };
}
