// Where weights give a covariance, and where they do not: a kernel of the sigmoid link need not be positive definite.
import { NotPositiveDefiniteError } from "../errors.ts";

/** What `compute` gives; undefined where its matrix is no covariance. */
export function whereCovariance<T>(compute: () => T): T | undefined {
  try {
    return compute();
  } catch (error) {
    if (error instanceof NotPositiveDefiniteError) return undefined;
    throw error;
  }
}
