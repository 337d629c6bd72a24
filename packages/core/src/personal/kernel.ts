// k(t) = v·exp(−½φ(t)) and its derivatives by t, of many pairs at once:
//
//   k′ = −½φ′·k      k″ = (¼φ′² − ½φ″)·k      k‴ = (−⅛φ′³ + ¾φ′φ″ − ½φ‴)·k
//
// φ and its derivatives are polynomials of one number u, which costs one exponential:
//
//   linear      u = t         φ = u        φ′ = 1           φ″ = 0             φ‴ = 0
//   saturating  u = e^−t      φ = 1 − u    φ′ = u           φ″ = −u            φ‴ = u
//   sigmoid     u = σ(t + b)  φ = u        φ′ = u(1 − u)    φ″ = φ′(1 − 2u)    φ‴ = φ′(1 − 6φ′)
//
// p channels, N pairs. What belongs to pairs lies in a row, (1, N): the engine's passes run along rows, a column would cost six times as much
import type { Engine, Link } from "../linalg/engine.ts";
import type { Matrix } from "../linalg/matrix.ts";
import { numbersOf } from "./pairs.ts";

export interface KernelValues {
  /** (1, N) */
  readonly k: Matrix;
  /** (1, N) `k` itself where the link is linear: there k alone has all derivatives. */
  readonly u: Matrix;
}

/** The distances and weights that make t = Σ h_c d_c. */
export interface WeighedDistances {
  /** (p, N) */
  readonly d: Matrix;
  /** (p, 1) */
  readonly h: Matrix;
}

const SUM = { transpose: true };
const HALF_SUM = { transpose: true, alpha: -0.5 };

export function kernelValues(
  engine: Engine,
  { k, u }: KernelValues,
  { d, h }: WeighedDistances,
  { link, variance, offset }: { link: Link; variance: number; offset: number },
): void {
  if (link === "linear") engine.gemv(k, d, h, HALF_SUM);
  else {
    engine.gemv(u, d, h, SUM);
    placeExponents(engine, k, u, link, offset);
  }
  engine.activate(k, k, "exp");
  if (variance === 1) return;
  const values = numbersOf(k);
  for (let i = 0; i < values.length; i++) values[i] *= variance;
}

/** From t to u, and −½φ in the place of k. */
function placeExponents(engine: Engine, k: Matrix, u: Matrix, link: Exclude<Link, "linear">, offset: number): void {
  const isSigmoid = link === "sigmoid";
  const t = numbersOf(u);
  for (let i = 0; i < t.length; i++) t[i] = isSigmoid ? t[i] + offset : -t[i];
  engine.activate(u, u, isSigmoid ? "sigmoid" : "exp");
  const [exponents, values] = [numbersOf(k), numbersOf(u)];
  for (let i = 0; i < values.length; i++) exponents[i] = -0.5 * (isSigmoid ? values[i] : 1 - values[i]);
}

/** φ′k = −2k′: in `out` (1, N), or `k` itself where the link is linear. */
export function kernelRates(out: Matrix, { k, u }: KernelValues, link: Link): Matrix {
  if (link === "linear") return k;
  const [rates, kernel, values] = [numbersOf(out), numbersOf(k), numbersOf(u)];
  for (let i = 0; i < rates.length; i++) {
    const value = values[i];
    rates[i] = (link === "sigmoid" ? value * (1 - value) : value) * kernel[i];
  }
  return out;
}

/** k′, k″ and k‴, (1, N) each. */
export function kernelSlopes(slopes: readonly Matrix[], { k, u }: KernelValues, link: Link): void {
  const [first, second, third] = slopes.map(numbersOf);
  const [kernel, values] = [numbersOf(k), numbersOf(u)];
  for (let i = 0; i < kernel.length; i++) {
    const value = values[i];
    let [a, b, c] = [1, 0, 0]; // φ′, φ″, φ‴
    if (link === "saturating") [a, b, c] = [value, -value, value];
    else if (link === "sigmoid") {
      a = value * (1 - value);
      [b, c] = [a * (1 - 2 * value), a * (1 - 6 * a)];
    }
    const own = kernel[i];
    first[i] = -0.5 * a * own;
    second[i] = (0.25 * a * a - 0.5 * b) * own;
    third[i] = (-0.125 * a * a * a + 0.75 * a * b - 0.5 * c) * own;
  }
}
