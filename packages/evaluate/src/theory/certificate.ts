// Lemmas 2 and 3: where (1 − ε)k₁ ≤ k₂ ≤ (1 + ε)k₁ with ε < 1, distances of the two kernels k = v·exp(−½D) differ by
//
//   |D₂ − D₁| ≤ 2·log(1/(1 − ε)) + 2·|log(v₂/v₁)|
//
// Lemma 2 says it of one pair, Lemma 3 of the largest ε over all pairs; the paper has v = 1. The certificate is about the pairs it has seen.
import { NearkinError } from "@nearkin/core";
import { checkPositive } from "./checks.ts";

export interface Certificate {
  readonly pairs: number;
  /** sup|k₂/k₁ − 1| */
  readonly epsilon: number;
  /** What the lemma promises of |D₂ − D₁|; null where ε ≥ 1, and it promises nothing. */
  readonly bound: number | null;
  /** sup|D₂ − D₁|, as measured. Never above `bound`. */
  readonly gap: number;
  /** Which pair that is, counted from 0; −1 where no two distances differ. */
  readonly widest: number;
}

/**
 * Lemma 2: how far two distances can be apart whose kernels have a ratio within 1 ± ε; null for ε ≥ 1.
 *
 * @example
 * certifiedGap(0.5)?.toFixed(4) // => "1.3863"
 * certifiedGap(1) // => null
 */
export function certifiedGap(epsilon: number): number | null {
  if (!(epsilon >= 0)) throw new NearkinError("BAD_ARGUMENT", `epsilon must be at least 0, got ${epsilon}`);
  return epsilon < 1 ? -2 * Math.log1p(-epsilon) : null;
}

/** The certificate of two metrics, of which each pair has a distance by either. One pass, nothing is kept. */
export function certifyDistances(pairs: Iterable<readonly [first: number, second: number]>): Certificate {
  let [count, widest] = [0, -1];
  let [above, below] = [0, 0]; // largest D₂ − D₁, and D₁ − D₂
  for (const [first, second] of pairs) {
    const difference = second - first;
    if (!Number.isFinite(difference)) {
      throw new NearkinError("NOT_FINITE", `certificate: pair ${count} has the distances ${first} and ${second}`);
    }
    if (Math.abs(difference) > Math.max(above, below)) widest = count;
    above = Math.max(above, difference);
    below = Math.max(below, -difference);
    count++;
  }
  // k₂/k₁ = e^(−½(D₂ − D₁)) lies between e^(−½·above) and e^(½·below)
  const excess = Math.expm1(0.5 * below);
  const gap = Math.max(above, below);
  return {
    pairs: count,
    epsilon: Math.max(-Math.expm1(-0.5 * above), excess),
    // 1/(1 − ε) is the larger of e^(½·above) and 1/(1 − excess): so written no digit of a large distance is lost
    bound: excess < 1 ? Math.max(gap, -2 * Math.log1p(-excess)) : null,
    gap,
    widest,
  };
}

export interface KernelCertificate extends Certificate {
  /** 2·|log(v₂/v₁)|, which is in `bound`. */
  readonly offset: number;
}

export interface KernelVariances {
  /** v₁. @default 1 */
  first?: number;
  /** v₂. @default 1 */
  second?: number;
}

/** The same from two kernels on the same pairs, which may have signal variances of their own. */
export function certifyKernels(
  first: ArrayLike<number>,
  second: ArrayLike<number>,
  { first: v1 = 1, second: v2 = 1 }: KernelVariances = {},
): KernelCertificate {
  if (first.length !== second.length) {
    throw new NearkinError(
      "SHAPE_MISMATCH",
      `certificate: ${first.length} kernel values against ${second.length}; compare the same pairs`,
    );
  }
  checkPositive("variance of the first kernel", v1);
  checkPositive("variance of the second kernel", v2);
  let [epsilon, gap, widest] = [0, 0, -1];
  for (let i = 0; i < first.length; i++) {
    checkPositive(`certificate: kernel value ${i}`, first[i]);
    checkPositive(`certificate: kernel value ${i}`, second[i]);
    epsilon = Math.max(epsilon, Math.abs((second[i] - first[i]) / first[i]));
    const difference = Math.abs(2 * (Math.log(second[i] / v2) - Math.log(first[i] / v1)));
    if (difference > gap) [gap, widest] = [difference, i];
  }
  const offset = 2 * Math.abs(Math.log(v2 / v1));
  const certified = certifiedGap(epsilon);
  return {
    pairs: first.length,
    epsilon,
    bound: certified === null ? null : Math.max(certified + offset, gap), // equal but for rounding, where one pair decides both
    gap,
    widest,
    offset,
  };
}
