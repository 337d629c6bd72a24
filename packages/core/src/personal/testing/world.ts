// A user made up: items in channels of two coordinates, targets and noise drawn at random.
import { Random } from "../../linalg/random.ts";
import type { PersonalProblem } from "../problem.ts";

/** n items in p channels of two coordinates each; a typical pair has d_c = 1. */
export function personalWorld(n: number, p: number, seed = 1): PersonalProblem {
  const random = new Random(seed);
  const distances: number[] = [];
  for (let c = 0; c < p; c++) {
    const z = Array.from({ length: n }, () => [0.5 * random.normal(), 0.5 * random.normal()]);
    for (let i = 0; i < n; i++) {
      for (let j = 0; j <= i; j++) distances.push((z[i][0] - z[j][0]) ** 2 + (z[i][1] - z[j][1]) ** 2);
    }
  }
  return {
    n,
    p,
    distances: Float64Array.from(distances),
    targets: Float64Array.from({ length: n }, () => random.normal()),
    noise: Float64Array.from({ length: n }, () => 0.5 + random.uniform()),
  };
}
