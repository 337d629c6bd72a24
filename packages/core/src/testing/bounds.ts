// Comparison with a stated bound per element: |actual − expected| ≤ bound. Rounding of a sum of k products is at most
// k·u·Σ|a||b| (Higham, Accuracy and Stability of Numerical Algorithms, §3.1), u the unit roundoff; the oracle's own is included.
import { NearkinError } from "../errors.ts";
import type { Matrix } from "../linalg/matrix.ts";

export type Bound = number | ArrayLike<number> | ((index: number) => number);

/** Equal infinities, NaN with NaN, and all else within the bound. */
export function expectWithin(
  name: string,
  actual: Matrix | ArrayLike<number>,
  expected: Matrix | ArrayLike<number>,
  bound: Bound,
): void {
  const a = numbers(actual);
  const e = numbers(expected);
  if (a.length !== e.length) throw new Error(`${name}: ${a.length} numbers, expected ${e.length}`);
  for (let i = 0; i < e.length; i++) {
    if (Object.is(a[i], e[i])) continue;
    const allowed = typeof bound === "number" ? bound : typeof bound === "function" ? bound(i) : bound[i];
    const error = Math.abs(a[i] - e[i]);
    if (!(error <= allowed)) {
      throw new Error(`${name}: number ${i} is ${a[i]}, expected ${e[i]}: off by ${error}, allowed ${allowed}`);
    }
  }
}

function numbers(m: Matrix | ArrayLike<number>): ArrayLike<number> {
  return "read" in m ? m.read() : m;
}

/** Largest magnitude. */
export function largest(values: Matrix | ArrayLike<number>): number {
  const list = numbers(values);
  let top = 0;
  for (let i = 0; i < list.length; i++) top = Math.max(top, Math.abs(list[i]));
  return top;
}

/** What a call threw, as plain data to compare whole. */
export function errorOf(call: () => unknown): { code: string; message: string } {
  try {
    call();
  } catch (error) {
    if (!(error instanceof NearkinError)) throw error;
    return { code: error.code, message: error.message };
  }
  throw new Error("expected an error, but the call returned");
}
