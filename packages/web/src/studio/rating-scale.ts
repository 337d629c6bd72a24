// The piece of the rating scale on which a prediction is drawn.
import type { Rating } from "./asked.ts";

export interface RatingScale {
  readonly from: number;
  readonly to: number;
  /** Where the axis has figures. */
  readonly ticks: readonly number[];
  /** A rating's place, 0 to 1. */
  at(rating: number): number;
}

const STEPS = [1, 2, 5]; // times a power of ten

/** Wide enough for one rating to come, between round figures. */
export function scaleOf({ mean, observationDeviation }: Rating): RatingScale {
  const least = mean - observationDeviation;
  const most = mean + observationDeviation;
  const step = stepFor(most - least);
  const first = Math.floor(least / step);
  const last = Math.max(first + 1, Math.ceil(most / step));
  const [from, to] = [first * step, last * step];
  return {
    from,
    to,
    ticks: Array.from({ length: last - first + 1 }, (_, i) => Number(((first + i) * step).toPrecision(12))),
    at: (rating) => Math.min(1, Math.max(0, (rating - from) / (to - from))),
  };
}

/** The smallest round step that cuts a width into at most four. */
function stepFor(width: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(width, 1e-9) / 4));
  for (const factor of [...STEPS, 10]) if (factor * power * 4 >= width) return factor * power;
  return 10 * power;
}

/** Two digits behind the point, or fewer on wide scales. */
export const shownRating = (value: number, { from, to }: RatingScale): string => value.toFixed(to - from >= 20 ? 1 : 2);
