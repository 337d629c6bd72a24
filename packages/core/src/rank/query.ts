// A query: one or several items, and whose notion of similar it is.
//
//   score(y) = −t/T + β·log q(y),   t = Σ_c h_c d_c        (several items: t is the mean of their distances)
//            = row(y)·vector + constant,   vector = [2h_c z̄^c/T, −h_c/T, β],   constant = −Σ_c h_c·mean(‖z^c‖² + ρ)/T
//
// and of a product channel vector = [h_c z̄^c/T, 0], constant = −h_c/T. What a user met lately adds to the vector too (history.ts).
//
// z̄ is the mean of the query's items: a mean of distances is linear in them, so several items cost the same one scan.
import { NearkinError } from "../errors.ts";
import { buildHistory, type HistoryOptions, type QueryHistory } from "./history.ts";
import type { LiftedItem, LiftedRows } from "./rows.ts";

const LARGEST = 1e38; // beyond it a product may overflow to an infinity

export interface QueryOptions {
  /** (p) h; negative ones are allowed. */
  weights: ArrayLike<number>;
  /** T */
  temperature: number;
  /** β: 0 is pure similarity. @default 0 */
  popularity?: number;
  /** What the user met lately. @default nothing */
  history?: HistoryOptions | undefined;
}

export interface Query {
  /** At least one. */
  readonly items: readonly LiftedItem[];
  readonly weights: Float64Array;
  readonly temperature: number;
  readonly popularity: number;
  readonly history: QueryHistory | undefined;
  /** (w) What rows are multiplied with. */
  readonly vector: Float32Array<ArrayBuffer>;
  /** What is added to make a score of the product. */
  readonly constant: number;
  /** How far a score computed in f32 may lie from the exact one, for any row. */
  readonly rounding: number;
}

/** The query of one or several items under weights h, popularity β and temperature T. */
export function buildQuery(rows: LiftedRows, items: readonly LiftedItem[], options: QueryOptions): Query {
  const { temperature, popularity = 0 } = options;
  const { channelCount: p, embeddingSize: e, starts, sizes, products, width } = rows.layout;
  const weights = Float64Array.from(options.weights);
  if (items.length === 0) throw new NearkinError("BAD_ARGUMENT", "a query needs at least one item");
  if (weights.length !== p || !weights.every(Number.isFinite)) {
    throw new NearkinError("BAD_ARGUMENT", `a query takes ${p} finite weights, got ${Array.from(weights).join(", ")}`);
  }
  if (!(temperature > 0 && Number.isFinite(temperature)) || !Number.isFinite(popularity)) {
    throw new NearkinError(
      "BAD_ARGUMENT",
      `temperature must be positive and popularity finite, got ${temperature} and ${popularity}`,
    );
  }
  const vector = new Float32Array(width);
  let constant = 0;
  for (let c = 0; c < p; c++) {
    const weight = weights[c] / temperature;
    let squares = 0;
    for (let j = starts[c]; j < starts[c] + sizes[c]; j++) {
      let sum = 0;
      for (const { embedding } of items) {
        sum += embedding[j];
        squares += embedding[j] * embedding[j];
      }
      vector[j] = ((products[c] ? 1 : 2) * weight * sum) / items.length;
    }
    if (products[c]) {
      constant -= weight;
      continue;
    }
    for (const { masked } of items) if (masked[c] === 1) squares += rows.lengths[c];
    vector[e + c] = -weight;
    constant -= (weight * squares) / items.length;
  }
  vector[width - 1] = popularity;
  const history = options.history && buildHistory(rows.layout, options.history);
  if (history) for (let j = 0; j < e; j++) vector[j] += history.direction[j];
  if (!(largestMagnitude(rows, vector) < LARGEST)) {
    throw new NearkinError(
      "BAD_ARGUMENT",
      "the weights of a query are too large for 32-bit floats; divide all of them by one number",
    );
  }
  return { items, weights, temperature, popularity, history, vector, constant, rounding: roundingOf(rows, vector) };
}

/**
 * How far the f32 product of any row with this vector may lie from the exact one. A sum of w products is off by at most w·u·Σ|row_j·vector_j|
 * (Higham, Accuracy and Stability of Numerical Algorithms, §3.1); the rounding of norm slots, vector and result adds a few u.
 */
export function roundingOf(rows: LiftedRows, vector: Float32Array): number {
  const { width } = rows.layout;
  return (width + 4) * 2 ** -24 * largestMagnitude(rows, vector) + width * 2 ** -149;
}

/** A bound on Σ|row_j·vector_j| over all rows: Cauchy–Schwarz, channel by channel. */
function largestMagnitude({ layout, largestSquares, largestLog }: LiftedRows, vector: Float32Array): number {
  const { channelCount: p, embeddingSize: e, starts, sizes, width } = layout;
  let magnitude = Math.abs(vector[width - 1]) * largestLog;
  for (let c = 0; c < p; c++) {
    let square = 0;
    for (let j = starts[c]; j < starts[c] + sizes[c]; j++) square += vector[j] * vector[j];
    magnitude += Math.sqrt(largestSquares[c] * square) + largestSquares[c] * Math.abs(vector[e + c]);
  }
  return magnitude;
}
