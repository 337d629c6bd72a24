// Distances of rows side by side, and their gradient.
import type { KernelPass } from "../engine.ts";
import { checkPairDistances, checkPairDistancesBackward } from "../kernel-contract.ts";
import { cut, type Pool } from "./pool.ts";

const THRESHOLD = 1 << 15; // elements below which one thread does it alone

export function pairDistances(pool: Pool): Pick<KernelPass, "pairDistances" | "pairDistancesBackward"> {
  const forward = pool.kernel("pairs");
  const backward = pool.kernel("pairs_backward");

  return {
    pairDistances(t, A, B, weights) {
      checkPairDistances(t, A, B, weights);
      const parts = pool.share(A.rows * A.cols, THRESHOLD);
      for (let p = 0; p < parts; p++) {
        const from = cut(A.rows, parts, p, 1);
        pool
          .job(p)
          .put(cut(A.rows, parts, p + 1, 1) - from)
          .put(A.cols);
        pool.putRows(A, from).putRows(B, from).putVector(weights).putVector(t, from);
      }
      pool.run(forward[A.precision], parts);
    },

    // By columns, so that each weight's sum runs over all rows in order, whoever computes it.
    pairDistancesBackward(g, A, B, weights, gradients) {
      checkPairDistancesBackward(g, A, B, weights, gradients);
      const { rows, columns } = gradients;
      const parts = pool.share(A.rows * A.cols, THRESHOLD);
      for (let p = 0; p < parts; p++) {
        pool
          .job(p)
          .put(A.rows)
          .put(cut(A.cols, parts, p, 4))
          .put(cut(A.cols, parts, p + 1, 4));
        pool.putRows(A).putRows(B).putVector(weights).putVector(g);
        pool.putOptionalRows(rows).putOptionalRows(columns).putVector(gradients.weights);
      }
      pool.run(backward[A.precision], parts);
    },
  };
}
