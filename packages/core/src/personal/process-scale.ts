// v, σ² and γ of a process that all users share, as the users at hand are most likely under it. With S = v(K̃ + ρI) and ρ = σ²/v, the best v
// has a closed form, ρ is searched for by golden section, and γ among powers of 2:
//
//   v(ρ) = Σ_u r_uᵀ(K̃_u + ρI)⁻¹r_u / Σ_u n_u      ℓ(ρ) = ½ Σ_u (n_u·log v(ρ) + log|K̃_u + ρI|) + const
//
// K̃ = exp(−½φ(γt)) at the shared metric
import type { Engine } from "../linalg/engine.ts";
import { portableLog } from "../linalg/random.ts";
import { exp } from "../metric/exponential.ts";
import { whereCovariance } from "./covariance.ts";
import type { PersonalKernel } from "./likelihood.ts";
import { PersonalLikelihood } from "./likelihood.ts";
import type { PersonalProblem } from "./problem.ts";
import type { ProcessScale } from "./settings.ts";

const [LEAST, MOST] = [1e-3, 1e3]; // ρ
const STEPS = 24; // of a golden section: to 1e-4 of the interval's logarithm

const RATES = Array.from({ length: 11 }, (_, k) => 2 ** (k - 2)); // γ

interface SharedWeights {
  /** (p) h */
  weights: Float64Array;
  /** b of the sigmoid. */
  offset: number;
  link: PersonalKernel["link"];
}

/** The noise of the problems is not used. */
export function fitProcessScale(
  engine: Engine,
  problems: readonly PersonalProblem[],
  { weights, offset, link }: SharedWeights,
): ProcessScale {
  const found = RATES.map((rate) => {
    const point = [...weights.map((h) => rate * h), offset];
    return { rate, ...fitNoise(engine, problems, { point, link }) };
  });
  const { rate, variance, noise } = found.reduce((best, one) => (one.value < best.value ? one : best));
  return { rate, variance, noise };
}

/** v and σ² at one γ, with ℓ there. */
function fitNoise(
  engine: Engine,
  problems: readonly PersonalProblem[],
  { point, link }: { point: readonly number[]; link: PersonalKernel["link"] },
): { value: number; variance: number; noise: number } {
  const items = problems.reduce((sum, { n }) => sum + n, 0);
  const [low, high] = [portableLog(LEAST), portableLog(MOST)];
  const ratio = (Math.sqrt(5) - 1) / 2;
  let [a, b] = [low, high];
  let [c, d] = [b - ratio * (b - a), a + ratio * (b - a)];
  let [atC, atD] = [profile(c), profile(d)];
  for (let k = 0; k < STEPS; k++) {
    if (atC.value < atD.value) {
      [b, d, atD] = [d, c, atC];
      c = b - ratio * (b - a);
      atC = profile(c);
    } else {
      [a, c, atC] = [c, d, atD];
      d = a + ratio * (b - a);
      atD = profile(d);
    }
  }
  const best = atC.value < atD.value ? { ...atC, at: c } : { ...atD, at: d };
  return { value: best.value, variance: best.variance, noise: best.variance * exp(best.at) };

  /** ℓ and v at log ρ. */
  function profile(at: number): { value: number; variance: number } {
    const rho = exp(at);
    let [quadratic, determinant] = [0, 0];
    for (const problem of problems) {
      using scope = engine.scope();
      const noise = new Float64Array(problem.n).fill(rho);
      const likelihood = new PersonalLikelihood(engine, scope, { ...problem, noise }, { link, variance: 1 });
      const value = whereCovariance(() => likelihood.evaluate(point));
      if (value === undefined) return { value: Infinity, variance: 1 }; // more noise makes it one
      const both = 2 * problem.n * value; // log|S| + rᵀS⁻¹r
      const logDeterminant = engine.logDeterminant(likelihood.factors.L);
      determinant += logDeterminant;
      quadratic += both - logDeterminant;
    }
    const variance = Math.max(quadratic / items, 1e-12);
    return { value: 0.5 * (items * portableLog(variance) + determinant), variance };
  }
}
