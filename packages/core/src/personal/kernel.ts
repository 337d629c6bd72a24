// k(t) = v·exp(−½φ(t)) and its derivatives by t, of many pairs at once:
//
//   k′ = −½φ′·k      k″ = (¼φ′² − ½φ″)·k      k‴ = (−⅛φ′³ + ¾φ′φ″ − ½φ‴)·k
import type { Engine, Link } from "../linalg/engine.ts";
import type { Matrix } from "../linalg/matrix.ts";
import { exp, logistic } from "../metric/exponential.ts";

export interface KernelValues {
  /** k (N, 1) */
  readonly k: Matrix;
  /** k′, k″, k‴ (N) each. */
  readonly slopes: readonly Float64Array[];
}

/** `all`: k″ and k‴ too. */
export function kernelSlopes(
  engine: Engine,
  { k, slopes: [first, second, third] }: KernelValues,
  t: Float64Array,
  { link, variance, offset, all }: { link: Link; variance: number; offset: number; all: boolean },
): void {
  const N = t.length;
  const { data, offset: at } = k;
  const phi = link === "linear" ? undefined : linkDerivatives(link, offset);
  for (let i = 0; i < N; i++) data[at + i] = -0.5 * (phi ? phi(t[i])[0] : t[i]);
  engine.activate(k, k, "exp");
  for (let i = 0; i < N; i++) {
    const value = variance * data[at + i];
    data[at + i] = value;
    if (phi) {
      const [, a, b, c] = phi(t[i]);
      first[i] = -0.5 * a * value;
      if (!all) continue;
      second[i] = (0.25 * a * a - 0.5 * b) * value;
      third[i] = (-0.125 * a * a * a + 0.75 * a * b - 0.5 * c) * value;
    } else {
      first[i] = -0.5 * value;
      if (!all) continue;
      second[i] = 0.25 * value;
      third[i] = -0.125 * value;
    }
  }
}

/** φ and its first three derivatives at t. */
function linkDerivatives(link: Exclude<Link, "linear">, offset: number): (t: number) => readonly number[] {
  if (link === "saturating") {
    return (t) => {
      const e = exp(-t);
      return [1 - e, e, -e, e];
    };
  }
  return (t) => {
    const s = logistic(t + offset);
    const slope = s * (1 - s);
    return [s, slope, slope * (1 - 2 * s), slope * (1 - 6 * slope)];
  };
}
