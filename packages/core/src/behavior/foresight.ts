// Cold start: a ridge regression from features of an item's content to behavior factors, so that an item that nobody has met gets the factors of the people
// who would meet it. Features are additive by channel, so that what is foreseen is a sum over channels and can be explained as one.
//
//   φ_c(x) = [ x, ½·√(2/m)·cos(x·Ω_c + b_c) ]        x scaled to mean square norm 1; Ω normal, b uniform in [0, 2π); all 0 if the value is missing
//   φ = [ 1, φ_1 … φ_p ]                                                      (f)
//   B = (ΦᵀDΦ + λ·tr(ΦᵀDΦ)/f·I)⁻¹ ΦᵀDV,  D = diag(√n_i)                       (f, k), over items that somebody met
//   μ = φ·B
//
// The cosines are random Fourier features (Rahimi and Recht, 2007) of a squared exponential kernel. Items that many people met count more, by the root
// of how many. Cost: O(n·f²) and O(f³); memory: (f, f) numbers in f64 and a block of items.
// n items, p channels, m cosines of a channel, f features, k factors
import { type BehaviorTransform, behaviorFeatures } from "../channels/behavior.ts";
import { cosDegrees } from "../channels/geo.ts";
import { NearkinError } from "../errors.ts";
import type { Scope } from "../linalg/arena.ts";
import type { Engine } from "../linalg/engine.ts";
import type { Matrix } from "../linalg/matrix.ts";
import { Random } from "../linalg/random.ts";
import { type ChannelInput, type ContentInput, isContent } from "../metric/ensemble.ts";
import { contentWidth, forEachInput } from "../metric/source-space.ts";
import type { MetItems } from "./factors.ts";

const BLOCK = 512; // items at a time

export interface ForesightOptions {
  /** (n) How many people met each item: 0 leaves an item out of the regression. */
  readonly met: ArrayLike<number>;
  /** λ @default 0.03 */
  readonly ridge?: number;
  /** m @default 500 */
  readonly cosines?: number;
  /** Draws Ω and b. */
  readonly random: Random;
}

/** How many of these users met each item, each user once. */
export function countUsers({ starts, items }: MetItems, itemCount: number): Int32Array {
  const counts = new Int32Array(itemCount);
  const seen = new Int32Array(itemCount).fill(-1);
  for (let u = 0; u + 1 < starts.length; u++) {
    for (let e = starts[u]; e < starts[u + 1]; e++) {
      const item = items[e];
      if (seen[item] === u) continue;
      seen[item] = u;
      counts[item]++;
    }
  }
  return counts;
}

/**
 * The regression from content, factored once for any number of factors. With more features than known items it is solved in its dual form,
 * B = ΦᵀD^½(D^½ΦΦᵀD^½ + λ′I)⁻¹D^½V.
 */
export class Foresight {
  readonly #engine: Engine;
  readonly #features: ContentFeatures;
  readonly #cosines: number;
  readonly #key: BehaviorTransform["key"];
  readonly #met: ArrayLike<number>;
  /** Items that somebody met. */
  readonly #known: Int32Array;
  /** Cholesky factor of the primal (f, f) or the dual (known, known) matrix. */
  readonly #L: Matrix;

  /** What it computes with lives in `scope`. */
  constructor(
    engine: Engine,
    scope: Scope,
    inputs: readonly ContentInput[],
    { met, ridge = 0.03, cosines = 500, random }: ForesightOptions,
  ) {
    if (!(ridge > 0)) throw new NearkinError("BAD_ARGUMENT", `Foresight: ridge must be above 0, got ${ridge}`);
    this.#engine = engine;
    this.#met = met;
    this.#known = Int32Array.from({ length: met.length }, (_, i) => i).filter((i) => met[i] > 0);
    if (this.#known.length === 0) {
      throw new NearkinError("BAD_ARGUMENT", "Foresight: nobody met any of the items, so nothing can be foreseen");
    }
    this.#cosines = cosines;
    this.#key = [random.keyLow, random.keyHigh];
    const scaled = inputs.map((input) => ({ input, scale: inputScale(input, this.#known) }));
    this.#features = new ContentFeatures(engine, scope, scaled, { cosines, random });
    const f = this.features;
    const size = this.#isDual ? this.#known.length : f;
    this.#L = scope.zeros(size, size);
    if (this.#isDual) {
      using inner = engine.scope();
      engine.syrk(this.#L, this.#weightedRows(inner, this.#known)); // D^½ΦΦᵀD^½
    } else {
      for (const part of blocksOf(this.#known)) {
        using inner = engine.scope();
        engine.syrk(this.#L, this.#weightedRows(inner, part), { transpose: true, beta: 1 }); // ΦᵀDΦ
      }
    }
    let trace = 0; // the same of both
    for (let j = 0; j < size; j++) trace += this.#L.get(j, j);
    for (let j = 0; j < size; j++) this.#L.set(j, j, this.#L.get(j, j) + (ridge * trace) / f);
    engine.cholesky(this.#L, { name: "Foresight: ΦᵀDΦ" });
  }

  /** f */
  get features(): number {
    return this.#features.width;
  }

  /** μ (n, k) of every item, those that somebody met included, from the factors V (n, k). */
  means(vectors: Float32Array): Float32Array {
    const n = this.#met.length;
    const k = vectors.length / n;
    if (!Number.isInteger(k) || k < 1) {
      throw new NearkinError(
        "SHAPE_MISMATCH",
        `Foresight: ${vectors.length} numbers are not the factors of ${n} items`,
      );
    }
    using scope = this.#engine.scope();
    return foreseen(this.#engine, this.#features, this.#coefficients(scope, vectors, k), n);
  }

  /** The regression to these factors (n, k), for items to come; `names` are those of the inputs' channels. */
  transform(vectors: Float32Array, names: readonly string[]): BehaviorTransform {
    const k = vectors.length / this.#met.length;
    using scope = this.#engine.scope();
    return {
      type: "behavior",
      width: k,
      cosines: this.#cosines,
      key: this.#key,
      sources: this.#features.channels.map(({ input, scale }, c) => {
        return { name: names[c], width: contentWidth(input), scale };
      }),
      coefficients: Float32Array.from(this.#coefficients(scope, vectors, k).read()),
    };
  }

  get #isDual(): boolean {
    return this.#known.length < this.features;
  }

  /** B (f, k), in numbers that a model can store: what is foreseen does not depend on whether it was. */
  #coefficients(scope: Scope, vectors: Float32Array, k: number): Matrix {
    const B = this.#solution(scope, vectors, k);
    for (let at = B.offset; at < B.offset + B.rows * B.cols; at++) B.data[at] = Math.fround(B.data[at]);
    return B;
  }

  #solution(scope: Scope, vectors: Float32Array, k: number): Matrix {
    const engine = this.#engine;
    const B = scope.zeros(this.features, k);
    if (this.#isDual) {
      using inner = engine.scope();
      const V = this.#weightedFactors(inner, this.#known, vectors, k);
      engine.solveCholesky(V, this.#L);
      engine.gemm(B, this.#weightedRows(inner, this.#known), V, { transposeA: true });
      return B;
    }
    for (const part of blocksOf(this.#known)) {
      using inner = engine.scope();
      const V = this.#weightedFactors(inner, part, vectors, k);
      engine.gemm(B, this.#weightedRows(inner, part), V, { transposeA: true, beta: 1 }); // ΦᵀDV
    }
    engine.solveCholesky(B, this.#L);
    return B;
  }

  /** D^½Φ of known items. */
  #weightedRows(scope: Scope, items: Int32Array): Matrix {
    const Phi = this.#features.of(scope, items);
    items.forEach((item, r) => {
      const root = this.#root(item);
      const at = Phi.offset + r * Phi.cols;
      for (let j = 0; j < Phi.cols; j++) Phi.data[at + j] *= root;
    });
    return Phi;
  }

  /** D^½V of known items. */
  #weightedFactors(scope: Scope, items: Int32Array, vectors: Float32Array, k: number): Matrix {
    const V = scope.matrix(items.length, k);
    items.forEach((item, r) => {
      const root = this.#root(item);
      for (let j = 0; j < k; j++) V.data[V.offset + r * k + j] = root * vectors[item * k + j];
    });
    return V;
  }

  /** The root of what an item weighs: n^¼. */
  #root(item: number): number {
    return Math.sqrt(Math.sqrt(this.#met[item]));
  }
}

/**
 * What content foresees of the factors of `count` items that are in no catalogue, k numbers each, or undefined if none of an item's source channels has
 * a value. `inputs` are those of the named channels, as their towers get them, all of the same items.
 */
export function applyForesight(
  engine: Engine,
  transform: BehaviorTransform,
  { inputs, count }: { inputs: ReadonlyMap<string, ChannelInput>; count: number },
): (Float32Array | undefined)[] {
  const { width: k, cosines, key, coefficients } = transform;
  const sources = transform.sources.map(({ name, scale, width }) => {
    const input = inputs.get(name);
    if (input && isContent(input) && contentWidth(input) === width) return { input, scale };
    throw new NearkinError("BAD_ARGUMENT", `applyForesight: it looks at the channel ${name}, which is not there`);
  });
  using scope = engine.scope();
  const features = new ContentFeatures(engine, scope, sources, { cosines, random: new Random(key[0], key[1]) });
  const B = scope.matrix(behaviorFeatures(transform), k).write(coefficients);
  const means = foreseen(engine, features, B, count);
  return Array.from({ length: count }, (_, i) =>
    sources.some(({ input }) => input.missing[i] === 0) ? means.slice(i * k, (i + 1) * k) : undefined,
  );
}

// Products with a single row sum in another order: it is doubled, so that an item has the same numbers, bit for bit, alone and among others.
const LEAST_ROWS = 2;

/** μ = φ·B of n items, (n, k). */
function foreseen(engine: Engine, features: ContentFeatures, B: Matrix, n: number): Float32Array {
  const k = B.cols;
  const means = new Float32Array(n * k);
  for (const part of blocksOf(Int32Array.from({ length: n }, (_, i) => i))) {
    using scope = engine.scope();
    const rows = part.length >= LEAST_ROWS ? part : Int32Array.of(part[0], part[0]);
    const mu = scope.matrix(rows.length, k);
    engine.gemm(mu, features.of(scope, rows), B);
    means.set(mu.read().subarray(0, part.length * k), part[0] * k);
  }
  return means;
}

function* blocksOf(items: Int32Array): Generator<Int32Array> {
  for (let from = 0; from < items.length; from += BLOCK) yield items.subarray(from, from + BLOCK);
}

/** Φ of any items: inputs, and cosines of random projections of them. */
class ContentFeatures {
  /** f */
  readonly width: number;
  readonly channels: readonly {
    readonly input: ContentInput;
    readonly scale: number;
    /** (d, m) */
    readonly Omega: Matrix;
    /** (m) In degrees. */
    readonly shifts: Float64Array;
  }[];
  readonly #engine: Engine;
  readonly #cosines: number;

  constructor(
    engine: Engine,
    scope: Scope,
    inputs: readonly { readonly input: ContentInput; readonly scale: number }[],
    { cosines, random }: { cosines: number; random: Random },
  ) {
    this.#engine = engine;
    this.#cosines = cosines;
    this.channels = inputs.map(({ input, scale }, c) => {
      const stream = random.split("channel", c);
      const Omega = scope.matrix(contentWidth(input), cosines);
      engine.fillNormal(Omega, stream.split("projections"));
      const turns = stream.split("shifts");
      const shifts = Float64Array.from({ length: cosines }, () => 360 * turns.uniform());
      return { input, scale, Omega, shifts };
    });
    this.width = 1 + this.channels.reduce((sum, { input }) => sum + contentWidth(input) + cosines, 0);
  }

  /** Φ (items, f) */
  of(scope: Scope, items: Int32Array): Matrix {
    const engine = this.#engine;
    const m = this.#cosines;
    const Phi = scope.zeros(items.length, this.width);
    const factor = 0.5 * Math.sqrt(2 / Math.max(1, m));
    let column = 0;
    for (let r = 0; r < items.length; r++) Phi.set(r, 0, 1);
    column++;
    for (const { input, scale, Omega, shifts } of this.channels) {
      using inner = engine.scope();
      const d = contentWidth(input);
      const X = inner.zeros(items.length, d);
      items.forEach((item, r) => {
        if (input.missing[item] === 0) {
          forEachInput(input, item, (j, x) => {
            X.data[X.offset + r * d + j] += scale * x;
          });
        }
      });
      const angles = inner.matrix(items.length, m);
      engine.gemm(angles, X, Omega, { alpha: 180 / Math.PI });
      items.forEach((item, r) => {
        if (input.missing[item] !== 0) return;
        const to = Phi.offset + r * this.width + column;
        for (let j = 0; j < d; j++) Phi.data[to + j] = X.data[X.offset + r * d + j];
        for (let j = 0; j < m; j++)
          Phi.data[to + d + j] = factor * cosDegrees(angles.data[angles.offset + r * m + j] + shifts[j]);
      });
      column += d + m;
    }
    return Phi;
  }
}

/** 1/√(mean ‖x‖²) over these items that have a value. */
function inputScale(input: ContentInput, items: Int32Array): number {
  let [squares, count] = [0, 0];
  for (const item of items) {
    if (input.missing[item] !== 0) continue;
    count++;
    forEachInput(input, item, (_, x) => {
      squares += x * x;
    });
  }
  return squares > 0 ? Math.sqrt(count / squares) : 0;
}
