// Numbers: standardised by what the training items have, or spread over 16 soft bins.
//
//   standardised   z = (x − mean) / deviation
//   bins           b_j = exp(−½((z − centre_j) / width)²),  j = 1 … 16
//
// A tower on z alone has to bend itself around every region of a skewed column; bins hand it the regions. Their centres stand
// evenly between the 0.5 % and the 99.5 % quantile of the training items' z: a few extreme values do not stretch them, and they
// lie where the items are. Neighbours are one spacing apart and 1.1 spacings wide, so that every value lights two or three bins
// and their sum hardly depends on the value. A z beyond the outer centres is moved to the nearer one: far out all bins would be
// 0, and the oldest item would equal the newest.
import { NearkinError } from "../errors.ts";
import { portableLog } from "../linalg/random.ts";
import { type Stored, type StoredReader, vectorTensor } from "./stored.ts";

const BIN_COUNT = 16;
const QUANTILE = 0.005;
const WIDTH_IN_SPACINGS = 1.1;

export interface NumberConfig {
  /** Take log(1 + x) first, for prices, counts and other columns with a long tail; values must not be negative. @default false */
  log?: boolean;
}

/** What was learnt from the training items. All statistics are of the values after the logarithm, where there is one. */
export interface NumberTransform {
  readonly type: "number";
  readonly log: boolean;
  /** Training items with a value. */
  readonly count: number;
  /** Training items without one. */
  readonly missing: number;
  readonly mean: number;
  /** Standard deviation over the population: divided by `count`. */
  readonly deviation: number;
  readonly min: number;
  readonly max: number;
  /** All training items have the same value: every value becomes 0. */
  readonly constant: boolean;
  /** Centres of the bins, in standard deviations from the mean; ascending. */
  readonly centres: Float64Array;
  /** Width of a bin, in standard deviations. */
  readonly width: number;
}

/** What a number becomes: 1 number, or 16. */
export type NumberMode = "standardised" | "bins";

export const numberWidth = (mode: NumberMode): number => (mode === "bins" ? BIN_COUNT : 1);

/**
 * Learns a transform from the values of the training items. Their order does not matter, to the last bit: sums run over the
 * sorted values.
 *
 * @example
 * const { mean, deviation, missing } = fitNumber([2, 4, 4, 4, undefined, 5, 5, 7, 9]);
 * [mean, deviation, missing] // => [5, 2, 1]
 */
export function fitNumber(values: Iterable<number | undefined>, { log = false }: NumberConfig = {}): NumberTransform {
  const present: number[] = [];
  let missing = 0;
  for (const value of values) {
    if (value === undefined) missing++;
    else present.push(numberOf(value, log, missing + present.length));
  }
  const count = present.length;
  if (count === 0) {
    throw new NearkinError(
      "BAD_ARGUMENT",
      `fitNumber: none of the ${missing} training items has a value; leave the channel out`,
    );
  }
  const sorted = Float64Array.from(present).sort();
  const min = sorted[0];
  const max = sorted[count - 1];
  const mean = min === max ? min : sum(sorted, (x) => x) / count;
  const deviation = Math.sqrt(sum(sorted, (x) => (x - mean) * (x - mean)) / count);
  if (!Number.isFinite(deviation)) {
    throw new NearkinError(
      "BAD_VALUE",
      `fitNumber: values from ${min} to ${max} are too far apart for 64-bit floats; use another unit, or log`,
    );
  }
  const constant = deviation === 0; // also where the squares of tiny differences vanish
  const z = (x: number) => (constant ? 0 : (x - mean) / deviation);
  let low = z(quantile(sorted, QUANTILE));
  let high = z(quantile(sorted, 1 - QUANTILE));
  if (low === high) {
    // more than 99 % have one value: the quantiles cannot say how far apart the others are
    low = z(min);
    high = z(max);
  }
  const spacing = constant ? 1 : (high - low) / (BIN_COUNT - 1);
  const centres = Float64Array.from({ length: BIN_COUNT }, (_, j) => low + j * spacing);
  return {
    type: "number",
    log,
    count,
    missing,
    mean,
    deviation,
    min,
    max,
    constant,
    centres,
    width: WIDTH_IN_SPACINGS * spacing,
  };
}

export interface ApplyNumberOptions {
  /** @default "bins" */
  mode?: NumberMode;
  /** Where to write; 1 or 16 long. @default a new array */
  out?: Float32Array;
}

/**
 * A value as a channel's input: (1) or (16) numbers, all 0 where the column is constant. Missing gives undefined and leaves `out`
 * as it is: the caller decides what stands for it.
 *
 * The last bit of `Math.exp` may differ between JavaScript engines. Datasets store values, not bins, so nothing stored depends on it.
 *
 * @example
 * const year = fitNumber([1990, 2000, 2010]);
 * applyNumber(year, 2000, { mode: "standardised" }) // => new Float32Array([0])
 * applyNumber(year, undefined) // => undefined
 */
export function applyNumber(
  transform: NumberTransform,
  value: number | undefined,
  { mode = "bins", out = new Float32Array(numberWidth(mode)) }: ApplyNumberOptions = {},
): Float32Array | undefined {
  checkOut("applyNumber", out, numberWidth(mode));
  if (value === undefined) return undefined;
  const x = numberOf(value, transform.log);
  if (transform.constant) return out.fill(0);
  const z = (x - transform.mean) / transform.deviation;
  if (mode === "standardised") {
    out[0] = z;
    return out;
  }
  const { centres, width } = transform;
  const inside = Math.min(Math.max(z, centres[0]), centres[BIN_COUNT - 1]);
  for (let j = 0; j < BIN_COUNT; j++) {
    const u = (inside - centres[j]) / width;
    out[j] = Math.exp(-0.5 * u * u);
  }
  return out;
}

export function encodeNumber(transform: NumberTransform): Stored {
  const { centres, ...json } = transform;
  return { json, tensors: { centres: vectorTensor.f64(centres) } };
}

export function decodeNumber(stored: StoredReader): NumberTransform {
  const transform: NumberTransform = {
    type: "number",
    log: stored.flag("log"),
    count: stored.count("count", 1),
    missing: stored.count("missing"),
    mean: stored.number("mean"),
    deviation: stored.number("deviation"),
    min: stored.number("min"),
    max: stored.number("max"),
    constant: stored.flag("constant"),
    centres: stored.f64("centres", BIN_COUNT),
    width: stored.number("width"),
  };
  if (!(transform.constant || transform.deviation > 0)) throw stored.problem(`"deviation" must be positive`);
  if (!(transform.width > 0)) throw stored.problem(`"width" must be positive`);
  return transform;
}

export function checkOut(name: string, out: Float32Array, width: number): void {
  if (out.length !== width) {
    throw new NearkinError("SHAPE_MISMATCH", `${name}: out must hold ${width} numbers, got ${out.length}`);
  }
}

function numberOf(value: number, log: boolean, position?: number): number {
  if (typeof value !== "number" || !Number.isFinite(value)) {
    const got = typeof value === "number" ? value : JSON.stringify(value);
    throw badValue(`expected a finite number, got ${got}; leave it out if it is not known`, position);
  }
  if (!log) return value + 0; // −0 is 0
  if (value < 0) throw badValue(`log needs numbers of at least 0, got ${value}`, position);
  return log1p(value);
}

/** `position`: of the training item, where there are several. */
export function badValue(text: string, position?: number): NearkinError {
  return new NearkinError("BAD_VALUE", position === undefined ? text : `training item ${position}: ${text}`);
}

/** log(1 + x), x ≥ 0, the same bits everywhere; the ratio undoes the rounding of 1 + x (Goldberg 1991, theorem 4). */
function log1p(x: number): number {
  const y = 1 + x;
  return y === 1 ? x : (portableLog(y) * x) / (y - 1);
}

function sum(values: Float64Array, f: (x: number) => number): number {
  let total = 0;
  for (let i = 0; i < values.length; i++) total += f(values[i]);
  return total;
}

/** Linear between order statistics: position q·(n − 1), as in NumPy's default. */
function quantile(sorted: Float64Array, q: number): number {
  const position = q * (sorted.length - 1);
  const below = Math.floor(position);
  const above = Math.min(below + 1, sorted.length - 1);
  return sorted[below] + (position - below) * (sorted[above] - sorted[below]);
}
