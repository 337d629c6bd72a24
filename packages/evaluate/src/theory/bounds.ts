// Theorems 1 and 2: how likely it is that the learned kernel misses the true one by a share ε or more, and how many observations keep that below δ.
// Under A1–A3 and Lemma 5 the proof comes down to the energy of the observations, X = σ⁴·rᵀr/n with r ~ N(0, K*):
//
//   Pr(sup|k − k*|/k* ≥ ε)  ≤  Pr(X·(1 − c_ε) ≥ α)  ≤  exp(F(λ)) for every 0 < λ < n/(2σ⁴(1 − c_ε)λ_max)      c_ε = ε·λ_max/d
//
// With every eigenvalue of K* replaced by λ_max the best λ is n(1 − τ)/(2σ⁴(1 − c_ε)λ_max), τ = σ⁴(1 − c_ε)λ_max/α, and the bound exp(−½n·g(τ)).
// From τ = 1 on that λ is not positive, Markov's inequality does not apply, and what is printed is no bound. docs/theory.md has the rest.
import { NearkinError } from "@nearkin/core";
import { checkNotNegative, checkPositive, checkShare, checkWhole } from "./checks.ts";
import { aboveZero, significant } from "./numbers.ts";

export interface TheoremInputs {
  /** Observations. */
  readonly n: number;
  /** σ, the standard deviation of the noise in Eq. 4. */
  readonly sigma: number;
  /** α of A2: sup|k − k*| ≤ 1 − α/X. At least 0. */
  readonly alpha: number;
  /** d of A1: d·inf k* ≥ λ_max. */
  readonly d: number;
  /** λ_max(K*) */
  readonly lambdaMax: number;
  /** The share by which the kernel may be off, in (0, 1). */
  readonly epsilon: number;
}

export interface TheoremOne {
  readonly cEpsilon: number;
  readonly tau: number;
  /** exp(−½n·g(τ)), as the paper has it, whether or not it holds. */
  readonly printed: number;
  /** What follows from the proof: `printed` where τ < 1, and 1 elsewhere. */
  readonly bound: number;
  /** τ ≥ 1: the theorem says nothing. */
  readonly vacuous: boolean;
  /** Reasons, where it is. */
  readonly why: readonly string[];
  /** exp(−n/(2λ_max)·g(σ⁴(1 − c_ε)/α)), 1 where σ⁴(1 − c_ε) ≥ α: as easy, never above `bound`, and right for every τ. */
  readonly sharper: number;
  /** Probability with which A2 can hold at most: it needs X ≥ α. The theorem speaks of these draws alone. */
  readonly assumption: number;
  /** Why no kernel has these numbers, where none has. */
  readonly contradictions: readonly string[];
}

/** g(τ) = log τ + 1/τ − 1: 0 at τ = 1, positive elsewhere, ∞ at both ends. */
export function g(tau: number): number {
  if (tau === 0 || tau === Infinity) return Infinity;
  const z = (1 - tau) / tau; // g = z − log(1 + z) = z²/2 − z³/3 + …, of which near 1 the difference would keep no digit
  return Math.abs(z) < 0.01
    ? z * z * (1 / 2 - z * (1 / 3 - z * (1 / 4 - z * (1 / 5 - z * (1 / 6 - z * (1 / 7 - z / 8))))))
    : Math.log(tau) + 1 / tau - 1;
}

/** α/σ⁴, all that the theorems ask of the two. Step by step, for σ⁴ may be out of a double's range where this is not. */
export const energyOf = ({ alpha, sigma }: { alpha: number; sigma: number }): number =>
  alpha / sigma / sigma / sigma / sigma;

/**
 * Theorem 1.
 *
 * @example
 * theoremOne({ n: 2, sigma: 1, alpha: 4, d: 3, lambdaMax: 1.5, epsilon: 0.9 }).bound.toFixed(3) // => "0.103"
 * theoremOne({ n: 200, sigma: 1, alpha: 1, d: 4000, lambdaMax: 40, epsilon: 0.5 }).vacuous // => true
 */
export function theoremOne(inputs: TheoremInputs): TheoremOne {
  checkInputs(inputs);
  const { n, d, lambdaMax, epsilon } = inputs;
  const cEpsilon = (epsilon * lambdaMax) / d;
  const energy = energyOf(inputs);
  const mean = 1 - cEpsilon; // E[X(1 − c_ε)]/σ⁴, since tr K* = n
  const tau = energy === 0 ? Infinity : (mean * lambdaMax) / energy;
  const printed = Math.exp(-0.5 * n * g(tau));
  const vacuous = !(tau < 1);
  return {
    cEpsilon,
    tau,
    printed,
    bound: vacuous ? 1 : printed,
    vacuous,
    why: vacuous ? reasons({ tau, printed, mean, energy }, inputs) : [],
    sharper: energyTail(mean, energy, inputs),
    assumption: Math.min(1 / energy, energyTail(1, energy, inputs), 1), // Markov's inequality, and Chernoff's
    contradictions: contradictionsOf(inputs),
  };
}

export interface TheoremTwo {
  /** 2·log(1/(1 − ε)): what |D − D*| then stays below, everywhere. */
  readonly gap: number;
  /** 2/g(τ)·log(1/δ), as printed; null where τ ≥ 1, and no number of observations is enough. */
  readonly observations: number | null;
  /** Whether n is at least that: with probability 1 − δ the gap is kept, if A1–A3 hold. */
  readonly kept: boolean;
  /**
   * The smallest δ that more observations can reach by the sharper bound, while inf k* and α stay: n/λ_max never passes 1/inf k*. 1 where
   * it has nothing to say.
   */
  readonly leastDelta: number;
}

/** Theorem 2, at a confidence of 1 − δ. */
export function theoremTwo({ delta, ...inputs }: TheoremInputs & { readonly delta: number }): TheoremTwo {
  checkShare("delta", delta);
  const { tau, vacuous, cEpsilon } = theoremOne(inputs);
  const { n, d, lambdaMax, epsilon } = inputs;
  const observations = vacuous ? null : (-2 / g(tau)) * Math.log(delta);
  const ratio = (1 - cEpsilon) / energyOf(inputs);
  return {
    gap: -2 * Math.log1p(-epsilon),
    observations,
    kept: observations !== null && n >= observations,
    leastDelta: ratio < 1 ? Math.exp((-0.5 * g(ratio)) / (lambdaMax / d)) : 1,
  };
}

/**
 * Pr(s·rᵀr/n ≥ e) ≤ exp(−n/(2λ_max)·g(s/e)) for e > s: −log(1 − x) is convex and 0 at 0, so that each eigenvalue counts at most λ_j/λ_max times
 * what λ_max does, and the eigenvalues sum to n.
 */
function energyTail(s: number, energy: number, { n, lambdaMax }: TheoremInputs): number {
  return s < energy ? Math.exp((-0.5 * n * g(s / energy)) / lambdaMax) : 1;
}

function checkInputs({ n, sigma, alpha, d, lambdaMax, epsilon }: TheoremInputs): void {
  checkWhole("n", n);
  checkPositive("sigma", sigma);
  checkNotNegative("alpha", alpha);
  checkPositive("lambdaMax", lambdaMax);
  checkPositive("d", d);
  checkShare("epsilon", epsilon);
  if (d < lambdaMax) {
    throw new NearkinError(
      "BAD_ARGUMENT",
      `d must be at least lambdaMax: A1 asks for d·inf k* ≥ ${lambdaMax}, and no kernel value is above 1; got ${d}`,
    );
  }
  if (lambdaMax / d === 0) {
    throw new NearkinError(
      "BAD_ARGUMENT",
      `d must be nearer to lambdaMax: A1 then has inf k* at lambdaMax/d, which for ${lambdaMax} and ${d} is less than a number can be`,
    );
  }
}

function reasons(
  { tau, printed, mean, energy }: { tau: number; printed: number; mean: number; energy: number },
  { alpha }: TheoremInputs,
): string[] {
  const said = alpha === 0 ? significant : aboveZero;
  return [
    `τ = σ⁴(1 − c_ε)λ_max/α = ${said(tau)}, and the proof needs τ < 1: its λ is a positive multiple of 1 − τ, and Markov's inequality takes a positive λ. The printed ${said(printed)} bounds nothing; only 1 does`,
    ...(mean >= energy
      ? [
          `α/σ⁴ = ${said(energy)} is at most 1 − c_ε = ${significant(mean)}, the mean of what must stay below it: no bound of this kind can be under 1`,
        ]
      : []),
  ];
}

/** A kernel matrix with ones on its diagonal, and no entry below λ_max/d, cannot have any λ_max. */
function contradictionsOf({ n, d, lambdaMax }: TheoremInputs): string[] {
  const inf = lambdaMax / d;
  const least = 1 + (n - 1) * inf;
  const slack = 1e-9; // inputs are printed numbers
  return [
    ...(lambdaMax > n * (1 + slack)
      ? [`λ_max = ${significant(lambdaMax)} is above n = ${n}, the sum of all eigenvalues`]
      : []),
    ...(lambdaMax < least * (1 - slack)
      ? [
          `A1 with d = ${significant(d)} keeps every k* at ${significant(inf)} or more, so that λ_max is at least 1 + (n − 1)·inf k* = ${significant(least)}, not ${significant(lambdaMax)}`,
        ]
      : []),
  ];
}
