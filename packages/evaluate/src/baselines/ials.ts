// iALS: factors of users and items whose products tell what was met from what was not (Hu, Koren, Volinsky 2008, with the scaled ridge of Rendle et al.:
// Revisiting the Performance of iALS on Item Recommendation Benchmarks, RecSys 2022).
//
//   min Σ_met (1 − x_u·y_i)² + α·Σ_all (x_u·y_i)² + λ·(Σ_u (n_u + α·n)·‖x_u‖² + Σ_i (n_i + α·m)·‖y_i‖²)
//
// All users, then all items, are solved for in turn; each by a few steps of conjugate gradients from where it was (Takács, Pilászy, Tikk 2011). Items that
// nobody met get what content foresees of the others' factors.
//
// Cost of a sweep: O(steps·(events·k + (m + n)·k²)). Memory: (m + n, k) numbers in f32.
// m users, n items, k factors; n_u the items of a user, n_i the users of an item
import {
  type Engine,
  type FloatArray,
  type Foresight,
  type Matrix,
  NearkinError,
  type Random,
  type Scope,
} from "@nearkin/core";
import type { Recommender } from "../protocol/recommender.ts";
import { type EventData, type EventLines, eventMatrix } from "./events.ts";
import { scoredRecommender } from "./scored.ts";

export interface IalsSettings {
  /** k @default 128 */
  factors?: number;
  /** α, at least 0: what not having met says beside having met. @default 0.5 */
  alpha?: number;
  /** λ, above 0. @default 0.003 */
  lambda?: number;
  /** Times that all users and all items are solved for. @default 12 */
  sweeps?: number;
  /** Steps of conjugate gradients for each of them. @default 3 */
  steps?: number;
}

/** (itemCount, k) Y, row-major; zeros for items that nobody met. */
export function ialsFactors(
  engine: Engine,
  data: EventData,
  { random, ...settings }: IalsSettings & { random: Random },
): Float32Array {
  const { factors: k = 128, alpha = 0.5, lambda = 0.003, sweeps = 12, steps = 3 } = settings;
  if (!(alpha >= 0)) throw new NearkinError("BAD_ARGUMENT", `iALS: alpha must be at least 0, got ${alpha}`);
  if (!(lambda > 0)) throw new NearkinError("BAD_ARGUMENT", `iALS: lambda must be above 0, got ${lambda}`);
  const { items, byUser, byItem } = eventMatrix(data);
  const userCount = byUser.starts.length - 1;
  const X = new Float32Array(userCount * k);
  const Y = Float32Array.from({ length: items.length * k }, () => 0.1 * random.normal());
  using scope = engine.scope();
  const solver = new Solver(engine, scope, k, { alpha, lambda, steps });
  for (let sweep = 0; sweep < sweeps; sweep++) {
    solver.solve(X, byUser, Y);
    solver.solve(Y, byItem, X);
  }
  const vectors = new Float32Array(data.itemCount * k);
  items.forEach((item, column) => {
    vectors.set(Y.subarray(column * k, (column + 1) * k), item * k);
  });
  return vectors;
}

const BLOCK = 512; // rows that are copied for the engine together

interface SolverSettings {
  readonly alpha: number;
  readonly lambda: number;
  readonly steps: number;
}

/** Solves for the factors of one side, given those of the other. */
class Solver {
  readonly #engine: Engine;
  readonly #settings: SolverSettings;
  /** (k, k) α·YᵀY of the other side. */
  readonly #gram: Matrix;
  readonly #p: Matrix;
  readonly #Ap: Matrix;
  readonly #x: Float64Array;
  readonly #r: Float64Array;

  constructor(engine: Engine, scope: Scope, k: number, settings: SolverSettings) {
    this.#engine = engine;
    this.#settings = settings;
    this.#gram = scope.matrix(k, k, "f32");
    this.#p = scope.matrix(k, 1, "f32");
    this.#Ap = scope.matrix(k, 1, "f32");
    this.#x = new Float64Array(k);
    this.#r = new Float64Array(k);
  }

  /** X of each line with entries, from Y. */
  solve(X: Float32Array, { starts, indices }: EventLines, Y: Float32Array): void {
    const k = this.#gram.cols;
    const { alpha, lambda } = this.#settings;
    this.#setGram(Y, k);
    for (let line = 0; line + 1 < starts.length; line++) {
      const entries = indices.subarray(starts[line], starts[line + 1]);
      if (entries.length === 0) continue;
      using scope = this.#engine.scope();
      const E = scope.matrix(entries.length, k, "f32");
      entries.forEach((other, row) => {
        E.data.set(Y.subarray(other * k, (other + 1) * k), E.offset + row * k);
      });
      const products = scope.matrix(entries.length, 1, "f32");
      const ridge = lambda * (entries.length + alpha * (Y.length / k));
      this.#solveLine(X.subarray(line * k, (line + 1) * k), E, { products, ridge });
    }
  }

  /** x from (α·YᵀY + EᵀE + ridge·I)·x = Σ of the rows of E. */
  #solveLine(out: Float32Array, E: Matrix, { products, ridge }: { products: Matrix; ridge: number }): void {
    const k = this.#gram.cols;
    const [x, r] = [this.#x, this.#r];
    const [p, Ap] = [this.#p, this.#Ap].map(({ data, offset }) => data.subarray(offset, offset + k));
    const multiply = () => {
      this.#engine.gemv(this.#Ap, this.#gram, this.#p);
      this.#engine.gemv(products, E, this.#p);
      this.#engine.gemv(this.#Ap, E, products, { transpose: true, beta: 1 });
      for (let j = 0; j < k; j++) Ap[j] += ridge * p[j];
    };
    x.set(out);
    p.set(out);
    multiply();
    products.data.fill(1, products.offset, products.offset + E.rows);
    for (let j = 0; j < k; j++) r[j] = -Ap[j];
    this.#engine.gemv(this.#Ap, E, products, { transpose: true });
    for (let j = 0; j < k; j++) r[j] += Ap[j];
    p.set(r);
    let square = dot(r, r);
    for (let step = 0; step < this.#settings.steps && square > 0; step++) {
      multiply();
      const along = dot(p, Ap);
      if (!(along > 0)) break; // it is solved for
      const a = square / along;
      for (let j = 0; j < k; j++) x[j] += a * p[j];
      for (let j = 0; j < k; j++) r[j] -= a * Ap[j];
      const next = dot(r, r);
      for (let j = 0; j < k; j++) p[j] = r[j] + (next / square) * p[j];
      square = next;
    }
    out.set(x);
  }

  #setGram(Y: Float32Array, k: number): void {
    this.#gram.data.fill(0, this.#gram.offset, this.#gram.offset + k * k);
    const rows = Y.length / k;
    for (let from = 0; from < rows; from += BLOCK) {
      using scope = this.#engine.scope();
      const part = Y.subarray(from * k, Math.min(rows, from + BLOCK) * k);
      const block = scope.matrix(part.length / k, k, "f32").write(part);
      this.#engine.syrk(this.#gram, block, { transpose: true, beta: 1, alpha: this.#settings.alpha });
    }
  }
}

function dot(a: FloatArray, b: FloatArray): number {
  let sum = 0;
  for (let j = 0; j < a.length; j++) sum += a[j] * b[j];
  return sum;
}

export interface IalsOptions extends IalsSettings {
  /** Ids of the catalogue's items. */
  ids: readonly string[];
  /** As tables print it. @default "iALS" */
  name?: string;
  /** Foresees factors of items that nobody met from their content. @default such items are neither queries nor candidates */
  foresight?: Foresight | undefined;
  random: Random;
}

/** Candidates by the inner product of their factors with the query's. */
export function ials(
  engine: Engine,
  data: EventData,
  { ids, name = "iALS", foresight, ...settings }: IalsOptions,
): Recommender {
  const vectors = ialsFactors(engine, data, settings);
  const n = data.itemCount;
  const k = vectors.length / n;
  const met = new Uint8Array(n);
  for (const item of data.histories.items) met[item] = 1;
  const means = foresight?.means(vectors);
  if (means) {
    for (let item = 0; item < n; item++) {
      if (met[item] === 0) vectors.set(means.subarray(item * k, (item + 1) * k), item * k);
    }
  }
  return scoredRecommender({
    name,
    ids,
    ...(means ? {} : { knows: (item: number) => met[item] === 1 }),
    score: (query, out) => {
      if (!means && met[query] === 0) {
        throw new NearkinError(
          "BAD_ARGUMENT",
          `${name}: nobody met item ${query}; ask only about items that it knows()`,
        );
      }
      for (let item = 0; item < n; item++) {
        if (!means && met[item] === 0) {
          out[item] = -Infinity;
          continue;
        }
        let product = 0;
        for (let j = 0; j < k; j++) product += vectors[query * k + j] * vectors[item * k + j];
        out[item] = product;
      }
    },
  });
}
