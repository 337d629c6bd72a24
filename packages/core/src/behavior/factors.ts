// Behavior factors: a few numbers for each item, such that the inner product of two items says how much more often than by chance the same people
// met both. In closed form, without a gradient step.
//
//   M    one row for each user, and one for each session: so many successive events of a user, whatever the time between them
//   r    = n^−a for a user with n items, w·n^−a for a session with n: long histories say less about each pair of their items
//   d_i  = Σ_rows∋i r², how much evidence there is of item i; d̄ is its mean for one event
//   N    = diag(r)·M·diag((d + s·d̄)^−ρ)                                                 (rows, n)
//   V    = the leading k right singular vectors of N times their singular values        (n, k), V·Vᵀ ≈ NᵀN
//
// The shrinkage s and an exponent ρ below ½ keep items that few people met from being close to anything by accident. Sessions are evidence of their own:
// what was met together counts more than what the same person met years apart.
//
// Cost: O(events·k) for each of about 2.5k/32 passes, and O(n·k²). Memory: 12 bytes an event, and (n, 2.5k) numbers while factors are computed.
// n items, k factors
import { NearkinError } from "../errors.ts";
import { krylovSvd } from "../linalg/decompositions/krylov-svd.ts";
import { type SparseMatrix, sparseOperator } from "../linalg/decompositions/sparse-operator.ts";
import type { Engine } from "../linalg/engine.ts";
import { portableLog, type Random } from "../linalg/random.ts";
import { exp } from "../metric/exponential.ts";

/** What each user met, in time order: user u met `items[starts[u]]` to `items[starts[u + 1] - 1]`. */
export interface MetItems {
  readonly starts: ArrayLike<number>;
  readonly items: ArrayLike<number>;
}

export interface BehaviorSettings {
  /** a: a row of n items weighs n^−a. @default 0.25 */
  userLengthExponent?: number;
  /** Events of a session. @default 10 */
  session?: number;
  /** w: what a session weighs beside a user; 0 leaves sessions out. @default 0.5 */
  sessionWeight?: number;
  /** s: events that every item is treated as having had with nobody else. @default 10 */
  shrinkage?: number;
  /** ρ: ½ makes products cosines, less lets well-known items be closer to everything. @default 0.4 */
  normExponent?: number;
}

export interface BehaviorOptions extends BehaviorSettings {
  /** k. @default 128 */
  rank?: number;
  /** Draws where the search for singular vectors starts. */
  random: Random;
}

export interface BehaviorFactors {
  /** k, or less if there are fewer users and sessions, or items. */
  readonly rank: number;
  /** (n, k) V, row-major; zeros for items that nobody met. */
  readonly vectors: Float32Array;
  /** (k) Squares of the singular values. */
  readonly squares: Float64Array;
  /** (n) d */
  readonly evidence: Float64Array;
  /** d̄ */
  readonly perEvent: number;
}

/** V of the items that these users met. The same bits for any number of workers. */
export function behaviorFactors(
  engine: Engine,
  met: MetItems,
  { itemCount, rank = 128, random, ...settings }: BehaviorOptions & { itemCount: number },
): BehaviorFactors {
  if (!Number.isInteger(rank) || rank < 1) {
    throw new NearkinError("BAD_ARGUMENT", `behaviorFactors: rank must be a whole number of at least 1, got ${rank}`);
  }
  const matrix = behaviorMatrix(met, itemCount, settings);
  const { evidence, perEvent } = matrix;
  if (matrix.columns.length === 0) {
    return { rank: 0, vectors: new Float32Array(0), squares: new Float64Array(0), evidence, perEvent };
  }
  const found = krylovSvd(engine, sparseOperator(engine, matrix, { precision: "f32" }), {
    rank: Math.min(rank, matrix.rows, itemCount),
    random,
  });
  const { rank: k, singularValues, rightVectors } = found;
  const vectors = new Float32Array(itemCount * k);
  for (let i = 0; i < itemCount; i++) {
    if (matrix.columnScale[i] === 0) continue; // the search begins at random, which leaves traces in empty columns
    for (let j = 0; j < k; j++) vectors[i * k + j] = rightVectors[i * k + j] * singularValues[j];
  }
  return { rank: k, vectors, squares: singularValues.map((sigma) => sigma * sigma), evidence, perEvent };
}

interface BehaviorMatrix extends SparseMatrix, Pick<BehaviorFactors, "evidence" | "perEvent"> {
  readonly rowScale: Float64Array;
  readonly columnScale: Float64Array;
}

/** N as rows of users, then rows of sessions. An item that a row has several times counts once. */
export function behaviorMatrix(
  { starts, items }: MetItems,
  itemCount: number,
  settings: BehaviorSettings = {},
): BehaviorMatrix {
  const { userLengthExponent = 0.25, session = 10, sessionWeight = 0.5, shrinkage = 10, normExponent = 0.4 } = settings;
  checkAtLeast({ userLengthExponent, sessionWeight, shrinkage, normExponent }, 0);
  checkAtLeast({ session }, 1);
  const users = starts.length - 1;
  const rows = new RowBuilder(itemCount, (sessionWeight > 0 ? 2 : 1) * items.length);
  for (let u = 0; u < users; u++) {
    const size = rows.add(items, starts[u], starts[u + 1]);
    if (size > 0) rows.scales.push(power(size, -userLengthExponent));
  }
  const events = rows.size;
  if (sessionWeight > 0) {
    for (let u = 0; u < users; u++) {
      for (let from = starts[u]; from < starts[u + 1]; from += session) {
        const size = rows.add(items, from, Math.min(from + session, starts[u + 1]));
        rows.scales.push(sessionWeight * power(size, -userLengthExponent));
      }
    }
  }
  return rows.matrix(events, { shrinkage, normExponent });
}

/** x^p for x > 0, with the same bits in every JavaScript engine. */
const power = (x: number, p: number): number => exp(p * portableLog(x));

/** Sparse rows of ones, each item at most once in a row. */
class RowBuilder {
  readonly scales: number[] = [];
  readonly #starts: number[] = [0];
  readonly #columns: Int32Array<ArrayBuffer>;
  readonly #seen: Int32Array;
  #size = 0;

  constructor(itemCount: number, most: number) {
    this.#columns = new Int32Array(most);
    this.#seen = new Int32Array(itemCount).fill(-1);
  }

  /** Entries so far. */
  get size(): number {
    return this.#size;
  }

  /** Adds a row of items `from` to `to`, if there is any, and returns how many there are. */
  add(items: ArrayLike<number>, from: number, to: number): number {
    if (from >= to) return 0;
    const row = this.#starts.length;
    const first = this.#size;
    for (let e = from; e < to; e++) {
      const item = items[e];
      if (!(item >= 0 && item < this.#seen.length)) {
        throw new NearkinError(
          "INDEX_OUT_OF_RANGE",
          `behaviorMatrix: item ${item} is outside [0, ${this.#seen.length})`,
        );
      }
      if (this.#seen[item] === row) continue;
      this.#seen[item] = row;
      this.#columns[this.#size++] = item;
    }
    this.#starts.push(this.#size);
    return this.#size - first;
  }

  /** N; `events` are those of users, each item once. */
  matrix(events: number, { shrinkage, normExponent }: { shrinkage: number; normExponent: number }): BehaviorMatrix {
    const n = this.#seen.length;
    const starts = Int32Array.from(this.#starts);
    const rowScale = Float64Array.from(this.scales);
    const columns = this.#columns.slice(0, this.#size);
    const evidence = new Float64Array(n); // d
    for (let row = 0; row < rowScale.length; row++) {
      const square = rowScale[row] * rowScale[row];
      for (let e = starts[row]; e < starts[row + 1]; e++) evidence[columns[e]] += square;
    }
    const perEvent = evidence.reduce((sum, d) => sum + d, 0) / Math.max(1, events); // d̄
    const columnScale = evidence.map((d) => (d > 0 ? power(d + shrinkage * perEvent, -normExponent) : 0));
    return { rows: rowScale.length, cols: n, starts, columns, rowScale, columnScale, evidence, perEvent };
  }
}

function checkAtLeast(settings: Readonly<Record<string, number>>, least: number): void {
  for (const [name, value] of Object.entries(settings)) {
    if (value >= least && Number.isFinite(value)) continue;
    throw new NearkinError("BAD_ARGUMENT", `behaviorMatrix: ${name} must be at least ${least}, got ${value}`);
  }
}
