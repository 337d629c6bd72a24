// What the ways to a user's metric are called, and where they stand in a result.

import type { Drawn } from "../../experiments/curve.ts";
import type { ComparedRefit, PersonalisationResult } from "../../experiments/personalisation.ts";
import type { RefitStart } from "../../experiments/refits.ts";

export const startNames: Readonly<Record<RefitStart, string>> = {
  shared: "from the shared weights",
  learned: "from the learned weights",
  fit: "the model's own fit",
};

export type Refit = PersonalisationResult["refits"][number];

/** Those of one start and number of ratings, by step. */
export const pathOf = ({ refits }: PersonalisationResult, start: RefitStart, ratings: number | null): Refit[] =>
  refits.filter((refit) => refit.start === start && refit.ratings === ratings);

/** What a user gets from the model: its own fit, to as many ratings as it takes. */
export function ownFit(result: PersonalisationResult): Readonly<Record<Drawn, ComparedRefit>> {
  const [found] = pathOf(result, "fit", null);
  if (!found) throw new Error("the model's own fit was not measured");
  return found.metrics;
}
