// Lemmas 2 and 3: where (1 − ε)k₁ ≤ k₂ ≤ (1 + ε)k₁ with ε < 1, distances of the two kernels k = v·exp(−½D) differ by
//
//   |D₂ − D₁| ≤ 2·log(1/(1 − ε)) + 2·|log(v₂/v₁)|
//
// Lemma 2 says it of one pair, Lemma 3 of the largest ε over all pairs; the paper has v = 1. The certificate is about the pairs it has seen.
//
// ε < 1 asks for k₂ < 2k₁ and no more: k₂ > 0, so that a k₂ however small keeps 1 − k₂/k₁ below 1. But from k₂/k₁ = 1e-16 on the double nearest to
// ε is 1, so that bounds are computed from the logarithms of the ratios.
import { NearkinError } from "@nearkin/core";
import { checkPositive } from "./checks.ts";

export interface Certificate {
  /** At least 1. */
  readonly pairs: number;
  /** sup|k₂/k₁ − 1|, rounded: where `bound` is a number, it is below 1 though it may read 1. */
  readonly epsilon: number;
  /** What the lemma promises of |D₂ − D₁|. null where ε ≥ 1, and it promises nothing: some k₂ ≥ 2k₁, for v = 1 a pair nearer by 2·log 2 or more. */
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

/** The largest 2·log(k₁/k₂) and 2·log(k₂/k₁) of any pair; both are at least 0. */
interface Extremes {
  readonly down: number;
  readonly up: number;
}

/** ε of Lemma 3, and its bound for v = 1: k₂/k₁ lies between e^(−½·down) and e^(½·up). */
function lemma3({ down, up }: Extremes): Pick<Certificate, "epsilon" | "bound"> {
  const excess = Math.expm1(0.5 * up);
  return {
    epsilon: Math.max(-Math.expm1(-0.5 * down), excess),
    bound: excess < 1 ? Math.max(down, up, -2 * Math.log1p(-excess)) : null, // 1/(1 − ε) is the larger of e^(½·down) and 1/(1 − excess)
  };
}

function checkSome(pairs: number): void {
  if (pairs === 0) throw new NearkinError("BAD_ARGUMENT", "certificate: no pairs; it takes one to say something about");
}

/**
 * The certificate of two metrics, of which each pair has a distance by either. One pass, nothing is kept.
 *
 * @example
 * certifyDistances([[0, 100]]).bound // => 100
 * certifyDistances([[100, 0]]).bound // => null
 */
export function certifyDistances(pairs: Iterable<readonly [first: number, second: number]>): Certificate {
  let [count, widest] = [0, -1];
  let [down, up] = [0, 0]; // 2·log(k₁/k₂) = D₂ − D₁
  for (const [first, second] of pairs) {
    const difference = second - first;
    if (!Number.isFinite(difference)) {
      throw new NearkinError("NOT_FINITE", `certificate: pair ${count} has the distances ${first} and ${second}`);
    }
    if (Math.abs(difference) > Math.max(down, up)) widest = count;
    down = Math.max(down, difference);
    up = Math.max(up, -difference);
    count++;
  }
  checkSome(count);
  return { pairs: count, ...lemma3({ down, up }), gap: Math.max(down, up), widest };
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
      `certificate: as many values of the second kernel as of the first, ${first.length}, got ${second.length}; compare the same pairs`,
    );
  }
  checkSome(first.length);
  checkPositive("variance of the first kernel", v1);
  checkPositive("variance of the second kernel", v2);
  const shift = 2 * logRatio(v2, v1);
  let [down, up, gap, widest] = [0, 0, 0, -1];
  for (let i = 0; i < first.length; i++) {
    checkPositive(`certificate: kernel value ${i}`, first[i]);
    checkPositive(`certificate: kernel value ${i}`, second[i]);
    const ratio = 2 * logRatio(second[i], first[i]);
    down = Math.max(down, -ratio);
    up = Math.max(up, ratio);
    const difference = Math.abs(shift - ratio); // D = 2·log(v/k)
    if (difference > gap) [gap, widest] = [difference, i];
  }
  const offset = Math.abs(shift);
  const { epsilon, bound } = lemma3({ down, up });
  return {
    pairs: first.length,
    epsilon,
    bound: bound === null ? null : Math.max(bound + offset, gap), // equal but for rounding, where one pair decides both
    gap,
    widest,
    offset,
  };
}

/** log(a/b), of numbers near each other and of those whose ratio no double holds. */
function logRatio(a: number, b: number): number {
  const share = (a - b) / b;
  return Math.abs(share) < 0.5 ? Math.log1p(share) : Math.log(a) - Math.log(b);
}
