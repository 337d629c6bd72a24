// NaN is named where it entered, with a count. Nothing is looked through as long as all is well: NaN in any input that counts reaches a
// pivot or the value, and only then are the inputs searched.
import { NearkinError } from "../errors.ts";
import type { Matrix } from "../linalg/matrix.ts";

/** Runs `compute`; where NaN or ∞ turned up in it, throws an error that says how many of them which input holds. */
export function naming<T extends { value: number }>(
  name: string,
  inputs: Readonly<Record<string, Matrix | undefined>>,
  compute: () => T,
): T {
  let result: T;
  try {
    result = compute();
  } catch (error) {
    if (error instanceof NearkinError && (error.code === "NOT_FINITE" || error.code === "NOT_POSITIVE_DEFINITE")) {
      throw culprit(name, inputs, error) ?? error;
    }
    throw error;
  }
  if (Number.isFinite(result.value)) return result;
  throw (
    culprit(name, inputs) ??
    new NearkinError(
      "NOT_FINITE",
      `${name}: the value is ${result.value} though all inputs are finite: an overflow; look at the sizes of the kernel, R and the noise`,
    )
  );
}

function culprit(
  name: string,
  inputs: Readonly<Record<string, Matrix | undefined>>,
  cause?: Error,
): NearkinError | undefined {
  const found = Object.entries(inputs).flatMap(([input, m]) => {
    const bad = m ? countNotFinite(m) : 0;
    return m && bad > 0 ? [`${bad} of the ${m.rows * m.cols} entries of ${input}`] : [];
  });
  if (found.length === 0) return undefined;
  return new NearkinError(
    "NOT_FINITE",
    `${name}: NaN or infinite: ${found.join(", ")}; look for a missing value, or a step that diverged`,
    cause && { cause },
  );
}

function countNotFinite(m: Matrix): number {
  let bad = 0;
  for (const x of m.read()) if (!Number.isFinite(x)) bad++;
  return bad;
}
