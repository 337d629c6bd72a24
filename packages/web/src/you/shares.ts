// Weights as people read them: the share that a channel has in the distance of two typical items. Only proportions decide an order, so that a
// metric twice as large is the same metric here. p channels
import type { Learned } from "../engine/personal-calls.ts";

export interface ChannelShare {
  readonly channel: string;
  /** Of the metric that all share. */
  readonly base: number;
  readonly own: number;
  /** Standard deviation of `own`. */
  readonly deviation: number;
  /** Where people are: mean and deviation. */
  readonly people: { readonly middle: number; readonly deviation: number };
}

type Weights = Readonly<Record<string, number>>;

/** h_c / Σ|h|; a weight of 1 is a typical pair's distance of 1. */
export function sharesIn(weights: Weights): Map<string, number> {
  const total = totalOf(weights);
  return new Map(Object.entries(weights).map(([channel, h]) => [channel, total > 0 ? h / total : 0]));
}

export function sharesOf({
  metric,
  base,
  own,
  people,
}: Pick<Learned, "metric" | "base" | "own" | "people">): ChannelShare[] {
  const [shared, mine, theirs] = [sharesIn(base), sharesIn(metric.weights), sharesIn(people.weights)];
  const [deviations, differ] = [shareDeviations(own), shareDeviations(people)];
  return Object.keys(base).map((channel, c) => ({
    channel,
    base: shared.get(channel) ?? 0,
    own: mine.get(channel) ?? 0,
    deviation: deviations[c],
    people: { middle: theirs.get(channel) ?? 0, deviation: differ[c] },
  }));
}

/**
 * √diag(GVGᵀ) with G = ∂s/∂h: g_cj = (δ_cj − s_c·sign h_j)/Σ|h|. How large all weights are together is uncertain too, and does not count.
 */
export function shareDeviations({ weights, covariance }: Pick<Learned["own"], "weights" | "covariance">): number[] {
  const h = Object.values(weights);
  const total = totalOf(weights);
  const P = Math.sqrt(covariance.length); // h, and one more
  if (total === 0) return h.map(() => 0);
  return h.map((own, c) => {
    const slopes = h.map((other, j) => ((j === c ? 1 : 0) - (own / total) * Math.sign(other)) / total);
    let variance = 0;
    slopes.forEach((a, i) => {
      slopes.forEach((b, j) => {
        variance += a * b * covariance[i * P + j];
      });
    });
    return Math.sqrt(Math.max(0, variance));
  });
}

/** The end of the axis: the least whole tenth that holds everything drawn. */
export function axisEnd(shares: readonly ChannelShare[]): number {
  const most = shares.flatMap(({ base, own, deviation, people }) => [
    base,
    own + deviation,
    people.middle + people.deviation,
  ]);
  return Math.min(1, Math.max(0.1, Math.ceil(10 * Math.max(...most, 0)) / 10));
}

const totalOf = (weights: Weights): number => Object.values(weights).reduce((sum, h) => sum + Math.abs(h), 0);
