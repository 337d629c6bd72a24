// One user as personalisation sees them: how far apart their items are, channel by channel, and what they make of each. Towers are fixed, so
// this is all that a user's weights depend on.
// n items of the user, p channels, N = n(n + 1)/2 pairs: the lower triangle with its diagonal, row by row
import { NearkinError } from "../errors.ts";

export interface PersonalProblem {
  readonly n: number;
  readonly p: number;
  /** (p, N) d_c of each pair; 0 on the diagonal. */
  readonly distances: Float64Array;
  /** (n) r */
  readonly targets: Float64Array;
  /** (n) Σ_i, above 0. */
  readonly noise: Float64Array;
}

/** N of n items. */
export const pairCount = (n: number): number => (n * (n + 1)) / 2;

export function checkProblem({ n, p, distances, targets, noise }: PersonalProblem): void {
  const expected: [string, number, number][] = [
    ["distances", distances.length, p * pairCount(n)],
    ["targets", targets.length, n],
    ["noise", noise.length, n],
  ];
  for (const [name, length, wanted] of expected) {
    if (length !== wanted)
      throw new NearkinError("SHAPE_MISMATCH", `personal: ${n} items take ${wanted} ${name}, got ${length}`);
  }
  if (n < 1 || p < 1) throw new NearkinError("BAD_ARGUMENT", "personal: needs at least one item and one channel");
}
