// Which film next. Among the films that are there and unseen,
//   P(i) ∝ π_i · (1 + φ·e^(−age_i/τ)) · exp(b·f_u(i)) · exp(−t̄_u(i)/T),
// t̄_u(i) = Σ_j ρʲ t_u(i, j-th last film) / Σ_j ρʲ over the last films of the same evening (0 at its first film): consecutive
// films are near under the user's own metric, which is what training pairs are to pick up.
import type { Engine, FloatArray, Matrix, Random } from "@nearkin/core";
import type { Catalogue } from "./catalogue.ts";
import { type Metric, totalDistances } from "./distances.ts";
import { PARAMETERS } from "./parameters.ts";
import { portableExp } from "./portable.ts";

const { opening, choice } = PARAMETERS;

/** A user who chooses: the metric h_u and the taste f_u, one number per film. */
export interface Chooser {
  metric: Metric;
  taste: Float64Array;
}

/** One film per time of each evening, in order; no film twice. */
export function chooseFilms(
  engine: Engine,
  chooser: Chooser,
  options: { catalogue: Catalogue; evenings: readonly (readonly number[])[]; random: Random },
): number[] {
  const { catalogue, evenings, random } = options;
  const n = chooser.taste.length;
  const appeal = chooser.taste.map((f, i) => catalogue.popularity[i] * portableExp(choice.affinity * f));
  using scope = engine.scope();
  const weights = scope.matrix(1, n);
  const chosen: number[] = [];
  for (const evening of evenings) {
    const there = appeal.map((x, i) => x * freshness(evening[0] - catalogue.added[i], catalogue.added[i] === opening));
    for (const film of chosen) there[film] = 0;
    const recent: Float64Array[] = []; // t_u from the last films of this evening, the newest first
    for (let k = 0; k < evening.length; k++) {
      weighByNearness(engine, weights, there, recent);
      const film = drawIndex(weights.data.subarray(weights.offset, weights.offset + n), random);
      there[film] = 0;
      chosen.push(film);
      const row = recent.length === choice.memoryLength ? (recent.pop() as Float64Array) : new Float64Array(n);
      totalDistances(row, chooser.metric, film);
      recent.unshift(row);
    }
  }
  return chosen;
}

/** 1 + φ·e^(−age/τ); 0 before the film is there. At the opening everything is new, and so nothing is. */
function freshness(age: number, fromTheOpening: boolean): number {
  if (age < 0) return 0;
  return fromTheOpening ? 1 : 1 + choice.freshness * portableExp(-age / choice.freshnessDecay);
}

/** weights_i = there_i · exp(−t̄(i)/T). */
function weighByNearness(engine: Engine, weights: Matrix, there: Float64Array, recent: readonly Float64Array[]): void {
  const { data, offset } = weights;
  data.fill(0, offset, offset + there.length);
  const shares = recent.map(() => 1);
  for (let j = 1; j < shares.length; j++) shares[j] = choice.memory * shares[j - 1]; // ρʲ
  const scale = -1 / (choice.temperature * shares.reduce((sum, share) => sum + share, 0));
  recent.forEach((t, j) => {
    const share = scale * shares[j];
    for (let i = 0; i < t.length; i++) data[offset + i] += share * t[i];
  });
  engine.activate(weights, weights, "exp");
  for (let i = 0; i < there.length; i++) data[offset + i] *= there[i];
}

/** i with probability weights_i / Σ weights. */
function drawIndex(weights: FloatArray, random: Random): number {
  let total = 0;
  for (const x of weights) total += x;
  let left = random.uniform() * total;
  let last = -1;
  for (let i = 0; i < weights.length; i++) {
    if (weights[i] === 0) continue;
    last = i; // rounding may leave a crumb: then it is the last film with any weight
    left -= weights[i];
    if (left < 0) break;
  }
  return last;
}
