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
import { type Foresight, NearkinError, type Random } from "@nearkin/core";
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
export function ialsFactors(data: EventData, { random, ...settings }: IalsSettings & { random: Random }): Float32Array {
  const { factors: k = 128, alpha = 0.5, lambda = 0.003, sweeps = 12, steps = 3 } = settings;
  if (!(alpha >= 0)) throw new NearkinError("BAD_ARGUMENT", `iALS: alpha must be at least 0, got ${alpha}`);
  if (!(lambda > 0)) throw new NearkinError("BAD_ARGUMENT", `iALS: lambda must be above 0, got ${lambda}`);
  const { items, byUser, byItem } = eventMatrix(data);
  const userCount = byUser.starts.length - 1;
  const X = new Float32Array(userCount * k);
  const Y = Float32Array.from({ length: items.length * k }, () => 0.1 * random.normal());
  const solver = new Solver(k, { alpha, lambda, steps });
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

/** Solves for the factors of one side, given those of the other. */
class Solver {
  readonly #k: number;
  readonly #settings: { readonly alpha: number; readonly lambda: number; readonly steps: number };
  /** (k, k) α times the Gram matrix of the other side. */
  readonly #gram: Float64Array;
  readonly #x: Float64Array;
  readonly #r: Float64Array;
  readonly #p: Float64Array;
  readonly #Ap: Float64Array;

  constructor(k: number, settings: { alpha: number; lambda: number; steps: number }) {
    this.#k = k;
    this.#settings = settings;
    this.#gram = new Float64Array(k * k);
    this.#x = new Float64Array(k);
    this.#r = new Float64Array(k);
    this.#p = new Float64Array(k);
    this.#Ap = new Float64Array(k);
  }

  /** X of each line with entries, from Y. */
  solve(X: Float32Array, { starts, indices }: EventLines, Y: Float32Array): void {
    const k = this.#k;
    const { alpha, lambda, steps } = this.#settings;
    const count = Y.length / k;
    this.#setGram(Y, count);
    const [x, r, p, Ap] = [this.#x, this.#r, this.#p, this.#Ap];
    for (let line = 0; line + 1 < starts.length; line++) {
      const [first, end] = [starts[line], starts[line + 1]];
      if (first === end) continue;
      const entries = indices.subarray(first, end);
      const ridge = lambda * (entries.length + alpha * count);
      for (let j = 0; j < k; j++) x[j] = X[line * k + j];
      // r = Σ y − A·x
      this.#multiply(r, x, { entries, Y, ridge });
      for (let j = 0; j < k; j++) r[j] = -r[j];
      for (const other of entries) {
        const at = other * k;
        for (let j = 0; j < k; j++) r[j] += Y[at + j];
      }
      p.set(r);
      let square = dot(r, r);
      for (let step = 0; step < steps && square > 0; step++) {
        this.#multiply(Ap, p, { entries, Y, ridge });
        const a = square / dot(p, Ap);
        for (let j = 0; j < k; j++) x[j] += a * p[j];
        for (let j = 0; j < k; j++) r[j] -= a * Ap[j];
        const next = dot(r, r);
        const b = next / square;
        for (let j = 0; j < k; j++) p[j] = r[j] + b * p[j];
        square = next;
      }
      for (let j = 0; j < k; j++) X[line * k + j] = x[j];
    }
  }

  /** out = (α·YᵀY + Σ y·yᵀ + ridge·I)·p, the sum over the entries. */
  #multiply(
    out: Float64Array,
    p: Float64Array,
    { entries, Y, ridge }: { entries: Int32Array; Y: Float32Array; ridge: number },
  ): void {
    const k = this.#k;
    const gram = this.#gram;
    for (let i = 0; i < k; i++) {
      let sum = ridge * p[i];
      const row = i * k;
      for (let j = 0; j < k; j++) sum += gram[row + j] * p[j];
      out[i] = sum;
    }
    for (const other of entries) {
      const at = other * k;
      let product = 0;
      for (let j = 0; j < k; j++) product += Y[at + j] * p[j];
      for (let j = 0; j < k; j++) out[j] += product * Y[at + j];
    }
  }

  #setGram(Y: Float32Array, count: number): void {
    const k = this.#k;
    const gram = this.#gram.fill(0);
    for (let row = 0; row < count; row++) {
      const at = row * k;
      for (let i = 0; i < k; i++) {
        const y = Y[at + i];
        const to = i * k;
        for (let j = 0; j <= i; j++) gram[to + j] += y * Y[at + j];
      }
    }
    const { alpha } = this.#settings;
    for (let i = 0; i < k; i++) {
      for (let j = 0; j <= i; j++) {
        gram[i * k + j] *= alpha;
        gram[j * k + i] = gram[i * k + j];
      }
    }
  }
}

function dot(a: Float64Array, b: Float64Array): number {
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
export function ials(data: EventData, { ids, name = "iALS", foresight, ...settings }: IalsOptions): Recommender {
  const vectors = ialsFactors(data, settings);
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
